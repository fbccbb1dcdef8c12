package transcript

import (
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/highlight"
)

// DiffView is a diff that is shown by itself. It is not safe for concurrent use, except for Highlight.
type DiffView struct {
	Asked bool // its highlighting is pending or done

	diff *acp.Diff
	view *diffView
}

// ViewDiff computes a diff with some lines of context.
func ViewDiff(d *acp.Diff, context int) *DiffView {
	return &DiffView{diff: d, view: newView(d, context)}
}

// Count returns how many lines the diff adds and deletes.
func (v *DiffView) Count() (added, deleted int) { return v.view.added, v.view.deleted }

// Len returns the number of its lines.
func (v *DiffView) Len() int { return len(v.view.lines) }

// Highlight computes the highlights of the syntax and the changed words. It may take tenths of a second, and is safe for
// concurrent use.
func (v *DiffView) Highlight() [][]highlight.Span { return v.view.highlight(v.diff) }

// Colour applies the result of Highlight.
func (v *DiffView) Colour(spans [][]highlight.Span) { v.view.spans = spans }

// Rows returns the first lines, each with its sign, their marks (row, column, end or -1 for the whole line, group), and the
// number of each line, 0 where it has none.
func (v *DiffView) Rows(most int) (lines []string, marks []any, numbers []int) {
	for i, l := range v.view.lines[:min(most, len(v.view.lines))] {
		r := l.row("")
		if i < len(v.view.spans) {
			r.refine(2, v.view.spans[i])
		}
		for m := 0; m < len(r.marks); m += 3 {
			marks = append(marks, i, r.marks[m], r.marks[m+1], r.marks[m+2])
		}
		lines = append(lines, strings.ReplaceAll(r.text, "\n", " "))
		numbers = append(numbers, l.number)
	}
	return lines, marks, numbers
}
