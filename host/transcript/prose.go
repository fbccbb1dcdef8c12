package transcript

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/nvim-acp/nvim-acp/host/markdown"
	"github.com/nvim-acp/nvim-acp/host/marks"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

const (
	// A longer line is broken: drawing one of 8 KiB, wrapped at words and indented, takes Neovim 150 ms, four of 2 KiB 1 ms.
	longLine  = 2 << 10
	longBlock = 256 << 10 // a longer block shows only its head and tail
	keptPart  = 64 << 10  // of each
)

// prose is text that grows at its end, drawn line by line: a complete line is never drawn again.
type prose struct {
	text  []byte
	at    int    // start of the first line that is not final
	lines int    // final lines drawn
	state reader // at that line
	head  int    // how many of them are within the first keptPart bytes

	renders  bool    // parts that are over are rendered
	tone     string  // group of all their words
	parts    []*part // that are over, in order
	open     opening
	given    int     // parts that fresh has returned
	ready    []*part // that are rendered, and not drawn
	seen     int     // bytes of the text that are drawn
	finished bool

	references []markdown.Reference // definitions of links in its rendered parts
	referred   int                  // how many of them all parts know
}

func (p *prose) String() string { return string(p.text) }

func (p *prose) append(s string) { p.text = append(p.text, s...) }

// rewind makes the next draw start at the beginning.
func (p *prose) rewind() { *p = prose{text: p.text, renders: p.renders, tone: p.tone} }

// nextLine returns the line that starts at from, where the next one starts, and whether the line is final.
func nextLine(text []byte, from int) (line []byte, next int, final bool) {
	rest := text[from:]
	for i, c := range rest {
		if c == '\n' {
			return rest[:i], from + i + 1, true
		}
		if i >= longLine && utf8.RuneStart(c) {
			return rest[:i], from + i, true
		}
	}
	return rest, len(text), false
}

// draw returns the lines from p.lines on, about as many as a frame's budget has room for, and whether there are more. Empty lines at the
// end wait for later text.
func (p *prose) draw(budget int, style styler) (from int, lines []string, list marks.List, more bool) {
	long := len(p.text) > longBlock
	if long && p.at >= keptPart {
		return p.drawLong(style)
	}

	text := bytes.TrimRight(p.text, "\n")
	from = p.lines
	at, state, spent := min(p.at, len(text)), p.state, 0
	for {
		if spent > budget || long && at >= keptPart {
			return from, lines, list, true
		}

		line, next, final := nextLine(text, at)
		shown := printable(line)
		marked := len(list)
		state.grows = !final && !p.finished
		list = style(&state, shown, len(lines), list)
		lines = append(lines, shown)
		spent += len(line) + 1 + markCost*(len(list)-marked)
		if !final {
			break
		}
		if p.renders {
			p.note(shown, at, next, p.state, state)
		}

		at = next
		p.at, p.state = at, state
		p.lines++
		if at <= keptPart {
			p.head = p.lines
		}
	}

	p.seen = len(p.text)
	return from, lines, list, false
}

// drawLong draws a note and the tail after the head.
func (p *prose) drawLong(style styler) (from int, lines []string, list marks.List, more bool) {
	start := plain.Start(p.text, len(p.text)-keptPart)
	list = append(list, marks.New(0, 0, marks.Line, "AcpDone"))
	lines = append(lines, fmt.Sprintf("… %s not shown; <CR> opens the whole …", Size(start-keptPart)))
	lines, list = drawAll(p.text[start:], style, lines, list)
	p.lines, p.seen = p.head, len(p.text)
	return p.head, lines, list, false
}

// drawAll adds every line of text to lines.
func drawAll(text []byte, style styler, lines []string, list marks.List) ([]string, marks.List) {
	var state reader
	for at := 0; at < len(text); {
		line, next, _ := nextLine(text, at)
		shown := printable(line)
		list = style(&state, shown, len(lines), list)
		lines = append(lines, shown)
		at = next
	}
	return lines, list
}

// printable makes a line valid in a buffer: no final carriage return, no NUL bytes, which would read as line ends.
func printable(line []byte) string {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	for _, c := range line {
		if c == 0 {
			out := make([]byte, 0, len(line)+2)
			for _, c := range line {
				if c == 0 {
					out = append(out, "␀"...)
				} else {
					out = append(out, c)
				}
			}
			return string(out)
		}
	}

	return string(line)
}

const (
	longPrompt = 30      // lines of a prompt that are shown whole
	promptHead = 10      // lines that are shown of a longer one …
	headBytes  = 4 << 10 // … which are not longer than this
)

// long reports whether a prompt has more lines than are shown at once.
func (p *prose) long() bool {
	return bytes.Count(bytes.TrimRight(p.text, "\n"), []byte("\n")) >= longPrompt
}
