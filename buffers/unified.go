package buffers

import (
	"fmt"
	"slices"
	"strings"
)

const (
	around  = 3 // lines of context
	noEOL   = "\\ No newline at end of file"
	eolMark = "\x00" // ends a last line without line end while lines are compared: no line of text has it there
)

// Unified returns the change from a to b as the hunks of a unified diff, without a header, and how many lines it adds and deletes.
func Unified(a, b Text) (hunks string, added, deleted int) {
	var out strings.Builder
	from, to := endMarked(a), endMarked(b)
	edits := Edits(from, to)
	shift := 0
	for len(edits) > 0 {
		n := 1 // edits of this hunk
		for n < len(edits) && edits[n].Start-edits[n-1].End <= 2*around {
			n++
		}
		shift = writeHunk(&out, from, edits[:n], shift)
		for _, e := range edits[:n] {
			added, deleted = added+len(e.Lines), deleted+e.End-e.Start
		}
		edits = edits[n:]
	}

	return out.String(), added, deleted
}

// endMarked returns the lines of a text, the last with a mark if it lacks its line end.
func endMarked(t Text) []string {
	if len(t.Lines) == 0 || t.EOL {
		return t.Lines
	}
	lines := slices.Clone(t.Lines)
	lines[len(lines)-1] += eolMark
	return lines
}

// writeHunk writes neighbouring edits of a as one hunk. shift is by how many lines the earlier ones have lengthened the text; it
// returns the same with these.
func writeHunk(b *strings.Builder, a []string, edits []Edit, shift int) int {
	from := max(edits[0].Start-around, 0)
	to := min(edits[len(edits)-1].End+around, len(a))
	grown := 0
	for _, e := range edits {
		grown += len(e.Lines) - (e.End - e.Start)
	}

	fmt.Fprintf(b, "@@ -%s +%s @@\n", hunkRange(from, to-from), hunkRange(from+shift, to-from+grown))

	at := from
	for _, e := range edits {
		writeLines(b, " ", a[at:e.Start])
		writeLines(b, "-", a[e.Start:e.End])
		writeLines(b, "+", e.Lines)
		at = e.End
	}

	writeLines(b, " ", a[at:to])
	return shift + grown
}

// hunkRange is a range of lines as a hunk's head has it: the first line, from 1, and how many. An empty range names the line before.
func hunkRange(first, count int) string {
	if count > 0 {
		first++
	}
	if count == 1 {
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d,%d", first, count)
}

func writeLines(b *strings.Builder, sign string, lines []string) {
	for _, line := range lines {
		line, cut := strings.CutSuffix(line, eolMark)
		b.WriteString(sign + line + "\n")
		if cut {
			b.WriteString(noEOL + "\n")
		}
	}
}
