package unsaved

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/buffers"
)

const (
	around  = 3 // lines of context
	noEOL   = "\\ No newline at end of file"
	eolMark = "\x00" // ends a last line without line end while lines are compared: no line of text has it there
)

// unified returns the change from the disk to the screen as a unified diff, with the numbers of lines that it adds and deletes.
func unified(f File) (diff string, added, deleted int) {
	disk, screen := buffers.Parse(f.Disk), buffers.Parse(f.Text)
	var b strings.Builder
	head := f.Path
	if f.Missing {
		head = "/dev/null"
	}
	fmt.Fprintf(&b, "--- %s\n+++ %s (unsaved)\n", head, f.Path)
	if disk.CRLF != screen.CRLF && !f.Missing && f.Disk != "" {
		fmt.Fprintf(&b, "# line ends: %s on disk, %s unsaved\n", lineEnd(disk), lineEnd(screen))
	}

	a, c := marked(disk), marked(screen)
	edits := buffers.Edits(a, c)
	shift := 0
	for len(edits) > 0 {
		n := 1 // edits of this hunk
		for n < len(edits) && edits[n].Start-edits[n-1].End <= 2*around {
			n++
		}
		shift = hunk(&b, a, edits[:n], shift)
		for _, e := range edits[:n] {
			added, deleted = added+len(e.Lines), deleted+e.End-e.Start
		}
		edits = edits[n:]
	}
	return b.String(), added, deleted
}

func lineEnd(t buffers.Text) string {
	if t.CRLF {
		return "CRLF"
	}
	return "LF"
}

// marked returns the lines of a text, the last with a mark if it lacks its line end.
func marked(t buffers.Text) []string {
	if len(t.Lines) == 0 || t.EOL {
		return t.Lines
	}
	lines := slices.Clone(t.Lines)
	lines[len(lines)-1] += eolMark
	return lines
}

// hunk writes neighbouring edits of a as one hunk. shift is by how many lines the earlier ones have lengthened the text; it
// returns the same with these.
func hunk(b *strings.Builder, a []string, edits []buffers.Edit, shift int) int {
	from := max(edits[0].Start-around, 0)
	to := min(edits[len(edits)-1].End+around, len(a))
	grown := 0
	for _, e := range edits {
		grown += len(e.Lines) - (e.End - e.Start)
	}
	fmt.Fprintf(b, "@@ -%s +%s @@\n", span(from, to-from), span(from+shift, to-from+grown))

	at := from
	for _, e := range edits {
		write(b, " ", a[at:e.Start])
		write(b, "-", a[e.Start:e.End])
		write(b, "+", e.Lines)
		at = e.End
	}
	write(b, " ", a[at:to])
	return shift + grown
}

// span is a range of lines as a hunk's head has it: the first line, from 1, and how many. An empty range names the line before.
func span(first, count int) string {
	if count > 0 {
		first++
	}
	if count == 1 {
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d,%d", first, count)
}

func write(b *strings.Builder, sign string, lines []string) {
	for _, line := range lines {
		line, cut := strings.CutSuffix(line, eolMark)
		b.WriteString(sign + line + "\n")
		if cut {
			b.WriteString(noEOL + "\n")
		}
	}
}
