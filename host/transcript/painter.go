package transcript

import (
	"fmt"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/plain"
)

// painter draws blocks and calls to rows.
type painter struct {
	opts    *Options
	pending *pending
}

func dimRow(text string) row {
	r := row{text: text}
	r.mark(0, len(text), "AcpOutput")
	return r
}

// outputRows draws text below a call, and omits the middle of a long one.
func outputRows(text string) []row {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	head, tail := ends(lines)
	var rows []row
	for i := 0; i < len(lines); i++ {
		if i == head && head+tail < len(lines) {
			skipped := len(lines) - head - tail
			rows = append(rows, dimRow(fmt.Sprintf("%s… %d lines not shown; <CR> opens the whole …", indent, skipped)))
			i += skipped
			if i == len(lines) {
				break
			}
		}
		for _, part := range broken(lines[i]) {
			rows = append(rows, dimRow(indent+part))
		}
	}
	return rows
}

// ends are how many lines of a text are shown at its beginning and at its end: all of them, or so many that they are not much
// more than maxRows lines and keptPart bytes.
func ends(lines []string) (head, tail int) {
	fits := func(n *int, at func(n int) string) {
		for size := 0; head+tail < len(lines) && *n < maxRows/2 && size < keptPart/2; *n++ {
			size += min(len(at(*n)), keptPart) + 1
		}
	}
	fits(&head, func(n int) string { return lines[n] })
	fits(&tail, func(n int) string { return lines[len(lines)-1-n] })
	return head, tail
}

// broken splits a line that is too long for the editor; of a very long one only the first part is kept.
func broken(line string) []string {
	if len(line) <= longLine {
		return []string{printable([]byte(line))}
	}
	text := []byte(line)
	if len(text) > keptPart {
		text = text[:plain.Start(text, keptPart)]
	}
	lines, _ := drawAll(text, stylePlain, nil, nil)
	return append(lines, "…")
}
