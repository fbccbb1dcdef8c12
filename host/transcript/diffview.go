package transcript

import (
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/highlight"
)

// DiffView is a diff to be read by itself. It is not safe for concurrent use, but for Highlight.
type DiffView struct {
	Asked bool // its highlighting is on its way, or there

	diff *acp.Diff
	view *diffView
}

// ViewDiff works out a diff with some lines of context.
func ViewDiff(d *acp.Diff, context int) *DiffView {
	return &DiffView{diff: d, view: newView(d, context)}
}

// Count returns how many lines the diff adds and deletes.
func (v *DiffView) Count() (added, deleted int) { return v.view.added, v.view.deleted }

// Len is how many lines it shows.
func (v *DiffView) Len() int { return len(v.view.lines) }

// Highlight finds the syntax and the words that have changed. It may take tenths of a second, and any goroutine may call it.
func (v *DiffView) Highlight() [][]highlight.Span { return v.view.highlight(v.diff) }

// Colour takes in what Highlight has found.
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
