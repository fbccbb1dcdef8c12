package transcript

import (
	"slices"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/highlight"
)

// diffView is a diff as it is shown.
type diffView struct {
	comparison
	first int                // number of the first line in its file; 0: not known
	asked bool               // its highlighting is pending or done
	spans [][]highlight.Span // of the lines, once computed
}

// view returns the view of a diff of the call, which is computed once.
func (c *Call) view(d *acp.Diff) *diffView {
	v := c.views[d]
	if v == nil {
		v = viewOf(d)
		c.keepView(d, v)
	}
	return v
}

func (c *Call) keepView(d *acp.Diff, v *diffView) {
	if c.views == nil {
		c.views = map[*acp.Diff]*diffView{}
	}
	c.views[d] = v
}

// count returns how many lines a diff of the call adds and deletes; it is not known of one that is too large to be compared.
func (c *Call) count(d *acp.Diff) (added, deleted int, known bool) {
	v := c.view(d)
	return v.added, v.deleted, v.uncompared == 0
}

// counts returns how many lines the diffs of the call add and delete, as far as that is known of all.
func (c *Call) counts() (added, deleted int, known bool) {
	known = true
	for _, d := range c.Diffs() {
		a, x, ok := c.count(d)
		added, deleted, known = added+a, deleted+x, known && ok
	}
	return added, deleted, known
}

// viewOf compares the texts of a diff. That takes some milliseconds for a long one.
func viewOf(d *acp.Diff) *diffView { return newView(d, 2) }

// newView is viewOf with so many lines around each change.
func newView(d *acp.Diff, context int) *diffView {
	v := &diffView{comparison: compare(d, context, maxViewed)}
	if oldText(d) == "" {
		v.first = 1 // a new file
	}
	return v
}

// find looks for a diff in its file, and returns it with the lines around it; as it is, if it is not there. It may wait for the
// file.
func (v *diffView) find(d *acp.Diff, near int, file func(path string) (string, bool)) (*diffView, *acp.Diff) {
	if file == nil || oldText(d) == "" {
		return v, d
	}

	text, ok := file(d.Path)
	if !ok {
		return v, d
	}

	whole, first, ok := located(d, text, near)
	if !ok {
		return v, d
	}

	out := *newView(whole, around)
	out.first, out.asked = first, v.asked
	return &out, whole
}

// numberOf returns the number of a line in its file, 0 if it has none or it is not known.
func (v *diffView) numberOf(l diffLine) int {
	if v.first == 0 || l.number == 0 {
		return 0
	}
	return l.number + v.first - 1
}

// dim before a group is that group, dimmer: for code that is gone.
const dim = "Dim"

// highlight computes the syntax of all lines, that of deleted ones dimmer, and the changed words.
func (v *diffView) highlight(d *acp.Diff) [][]highlight.Span {
	spans := make([][]highlight.Span, len(v.lines))
	code := highlight.Code(d.Path, textLines(firstLines(d.NewText, maxCoded)))
	var gone [][]highlight.Span
	if v.deleted > 0 {
		gone = highlight.Code(d.Path, textLines(firstLines(oldText(d), maxCoded)))
	}
	for i, l := range v.lines {
		n := l.number - 1
		switch {
		case (l.sign == "+" || l.sign == " ") && n < len(code):
			spans[i] = slices.Clone(code[n])
		case l.sign == "-" && n < len(gone):
			spans[i] = slices.Clone(gone[n])
			for at := range spans[i] {
				spans[i][at].Group = dim + spans[i][at].Group
			}
		}
	}

	for i := 0; i < len(v.lines); {
		gone := v.run(i, "-")
		fresh := v.run(i+gone, "+")
		old, new := highlight.Changes(v.texts(i, gone), v.texts(i+gone, fresh), "AcpDeleteText", "AcpAddText")
		for n, list := range slices.Concat(old, new) {
			spans[i+n] = append(spans[i+n], list...)
		}
		i += max(gone+fresh, 1)
	}

	return spans
}

// run returns the number of lines from one on that have a sign.
func (v *diffView) run(from int, sign string) int {
	n := 0
	for from+n < len(v.lines) && v.lines[from+n].sign == sign {
		n++
	}
	return n
}

func (v *diffView) texts(from, n int) []string {
	var texts []string
	for _, l := range v.lines[from : from+n] {
		texts = append(texts, l.text)
	}
	return texts
}
