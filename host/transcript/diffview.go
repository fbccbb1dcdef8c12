package transcript

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/marks"
)

// DiffView is a diff that is shown by itself. It is not changed.
type DiffView struct {
	Asked bool // its highlighting is pending or done

	diff *acp.Diff
	view *diffView
}

// ViewDiff computes a diff with some lines of context.
func ViewDiff(d *acp.Diff, context int) *DiffView {
	v := newView(d, context)
	if oldText(d) == "" {
		v.first = 1 // a new file
	}
	return &DiffView{diff: d, view: v}
}

// Count returns how many lines the diff adds and deletes.
func (v *DiffView) Count() (added, deleted int) { return v.view.added, v.view.deleted }

// Len returns the number of its lines.
func (v *DiffView) Len() int { return len(v.view.lines) }

// Work finds the diff in its file, whose text it is given, and computes the highlights. It may take tenths of a second, and is
// safe for concurrent use.
func (v *DiffView) Work(file func(path string) (string, bool)) *DiffView {
	found, whole := v.view.find(v.diff, 0, file)
	out := *found
	out.spans = out.highlight(whole)
	return &DiffView{Asked: true, diff: v.diff, view: &out}
}

// Rows returns the first lines, each with its sign, their marks, and the
// number of each line, 0 where it has none. Where lines have numbers there is
// room for them before the signs.
func (v *DiffView) Rows(most int) (lines []string, list marks.List, numbers []int) {
	room := ""
	if slices.ContainsFunc(v.view.lines, func(l diffLine) bool { return v.view.numberOf(l) > 0 }) {
		room = gutter
	}
	for i, l := range v.view.lines[:min(most, len(v.view.lines))] {
		r := l.row(room)
		if i < len(v.view.spans) {
			r.refine(len(room)+2, v.view.spans[i])
		}
		list.Add(i, r.spans)
		lines = append(lines, strings.ReplaceAll(r.text, "\n", " "))
		numbers = append(numbers, v.view.numberOf(l))
	}
	return lines, list, numbers
}
