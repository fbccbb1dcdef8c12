package transcript

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
)

// Agents send parts of files as diffs, some of them parts of lines. A part is found in its file, so that whole lines, those around
// them and their numbers are shown.

const (
	around     = 3       // lines of context
	maxLocated = 4 << 20 // bytes of a file in which a part is looked for
)

// located finds the part of a file that a diff has. An agent's report of an edit may have two spaces for each tab of an indent.
func located(d *acp.Diff, file string, near int) (whole *acp.Diff, first int, ok bool) {
	whole, first, ok = find(d, file, near)
	if ok || d.OldText == nil || !strings.Contains(file, "\t") || len(*d.OldText) > 2*maxLocated || len(d.NewText) > 2*maxLocated {
		return whole, first, ok
	}
	old, text := tabbed(*d.OldText), tabbed(d.NewText)
	if old == *d.OldText && text == d.NewText {
		return nil, 0, false
	}
	return find(&acp.Diff{Path: d.Path, OldText: &old, NewText: text}, file, near)
}

// tabbed makes a tab of each two spaces of the indents of lines.
func tabbed(text string) string {
	if !strings.Contains(text, "  ") {
		return text
	}

	var out strings.Builder
	out.Grow(len(text))
	for line := range strings.Lines(text) {
		code := strings.TrimLeft(line, " ")
		n := len(line) - len(code)
		for range n / 2 {
			out.WriteByte('\t')
		}
		out.WriteString(line[n-n%2:])
	}

	return out.String()
}

// find returns a diff of whole lines with those around them, and the number of its first line. file is the text of the file
// as it is, with the change or without. near is a line that the agent names, 0 if it names none, which decides between several
// places. It returns false if the part is not in the file, or in several places.
func find(d *acp.Diff, file string, near int) (whole *acp.Diff, first int, ok bool) {
	if d.OldText == nil || len(file) > maxLocated {
		return nil, 0, false
	}

	parts := []string{d.NewText, *d.OldText}
	if strings.Contains(*d.OldText, d.NewText) { // then the new text is also in a file without the change
		slices.Reverse(parts)
	}
	for _, part := range parts {
		at := only(file, part, near)
		if at < 0 {
			continue
		}
		from := before(file, at, around)
		end := after(file, at+len(part), around)
		head, tail := file[from:at], file[at+len(part):end]
		old := head + *d.OldText + tail
		return &acp.Diff{Path: d.Path, OldText: &old, NewText: head + d.NewText + tail}, 1 + strings.Count(file[:from], "\n"), true
	}

	return nil, 0, false
}

// only returns the place of a part of a text, the one nearest to a line if there are several; -1 if there is none, or no line to
// decide.
func only(text, part string, near int) int {
	if strings.TrimSpace(part) == "" {
		return -1
	}

	best, distance := -1, 0
	for from := 0; ; {
		n := strings.Index(text[from:], part)
		if n < 0 {
			return best
		}

		at := from + n
		off := 0
		if near > 0 {
			off = max(near-1-strings.Count(text[:at], "\n"), strings.Count(text[:at], "\n")-near+1)
		}
		switch {
		case best < 0 || near > 0 && off < distance:
			best, distance = at, off
		case near == 0:
			return -1
		}

		from = at + len(part)
	}
}

// before returns the byte at which the line begins that is so many lines before that of a byte.
func before(text string, at, lines int) int {
	for ; ; lines-- {
		at = strings.LastIndexByte(text[:at], '\n')
		if at < 0 || lines == 0 {
			return at + 1
		}
	}
}

// after returns the end of the line that is so many lines after that of a byte. A byte at the beginning of a line counts as the
// end of the one before.
func after(text string, at, lines int) int {
	if at > 0 && at <= len(text) && text[at-1] == '\n' {
		lines--
	}
	for ; at < len(text) && lines >= 0; lines-- {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			return len(text)
		}
		at += n + 1
	}
	return at
}
