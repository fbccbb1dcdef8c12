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
	Done  bool // it is done …
	Real  bool // … and the file has the old text: what is not drawn of that is in it

	diff *acp.Diff
	view *diffView
}

// ViewDiff computes a diff with some lines of context.
func ViewDiff(d *acp.Diff, context int) *DiffView {
	return &DiffView{diff: d, view: newView(d, context)}
}

// Count returns how many lines the diff adds and deletes; it is not known of one that is too large.
func (v *DiffView) Count() (added, deleted int, known bool) {
	return v.view.added, v.view.deleted, v.view.uncompared == 0
}

// Len returns the number of its lines.
func (v *DiffView) Len() int { return len(v.view.lines) + v.view.more }

// Left says that the diff is too large for all of it to be compared, "" if it is not.
func (v *DiffView) Left() string {
	if v.view.uncompared == 0 {
		return ""
	}
	return v.view.left()
}

// Work finds the diff in its file, whose text it is given, and computes the highlights. It may take tenths of a second, and is
// safe for concurrent use.
func (v *DiffView) Work(file func(path string) (string, bool)) *DiffView {
	real := false
	found, whole := v.view.find(v.diff, 0, func(path string) (string, bool) {
		text, ok := file(path)
		old := oldText(v.diff)
		real = ok && (strings.Contains(text, old) || strings.Contains(text, tabbed(old)))
		return text, ok
	})
	out := *found
	out.spans = out.highlight(whole)
	return &DiffView{Asked: true, Done: true, Real: real, diff: v.diff, view: &out}
}

// Unworked returns the diff as it is, of which no more will be known.
func (v *DiffView) Unworked() *DiffView {
	return &DiffView{Asked: true, Done: true, diff: v.diff, view: v.view}
}

// Draws reports whether the first lines have a text in one piece, as lines of the old or of the new text.
func (v *DiffView) Draws(text string, old bool, most int) bool {
	var drawn strings.Builder
	for _, l := range v.view.lines[:min(most, len(v.view.lines))] {
		switch {
		case l.sign == "…":
			drawn.WriteByte(0) // what is between is not drawn
		case l.sign == " ", old == (l.sign == "-"):
			drawn.WriteString(l.text + "\n")
		}
	}
	text = strings.TrimSuffix(text, "\n")
	return strings.Contains(drawn.String(), text) || strings.Contains(drawn.String(), tabbed(text))
}

// Is reports whether a text is all of the old or of the new text of the diff; whole says that none of it is folded, since the file is new.
func (v *DiffView) Is(text string, old bool) (is, whole bool) {
	if old {
		return text == oldText(v.diff), false
	}
	return text == v.diff.NewText, oldText(v.diff) == ""
}

// Rows returns the first lines, as many as have room for their bytes, each with its sign, their marks, and the number of each line, 0
// where it has none. Where lines have numbers there is room for them before the signs.
func (v *DiffView) Rows(most, bytes int) (lines []string, list marks.List, numbers []int) {
	room := ""
	if slices.ContainsFunc(v.view.lines, func(l diffLine) bool { return v.view.numberOf(l) > 0 }) {
		room = gutter
	}
	for i, l := range v.view.lines[:min(most, len(v.view.lines))] {
		if bytes -= len(l.text); bytes < 0 {
			break
		}
		r := l.cut(room, len(l.text))
		if i < len(v.view.spans) {
			r.refine(len(room)+2, v.view.spans[i])
		}
		list.Add(i, r.spans)
		lines = append(lines, strings.ReplaceAll(r.text, "\n", " "))
		numbers = append(numbers, v.view.numberOf(l))
	}

	return lines, list, numbers
}
