package transcript

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/highlight"
	"github.com/nvim-acp/nvim-acp/host/markdown"
)

// Parts of an agent's text are rendered when they are over. Diffs are looked for in their files when they are first shown, and
// highlighted when somebody may see them. That takes time, so the transcript only hands out jobs, and applies their results.

// Job is a text to render or to highlight. Do runs outside the transcript's lock.
type Job struct {
	block *Block // of an agent's text …
	part  *part  // … this part
	text  string
	how   markdown.Options
	page  markdown.Page

	item *item // of a diff
	view *diffView
	diff *acp.Diff
	near int // the line that the call names, 0 if it names none
	file func(path string) (string, bool)

	whole *acp.Diff // the diff as it was found in its file; nil: it was not looked for yet
	plain bool      // it is only looked for
	done  *diffView
}

// Job returns the next thing to do, nil if there is none.
func (t *Transcript) Job() *Job {
	for len(t.work.jobs) > 0 {
		j := t.work.jobs[0]
		t.work.jobs = t.work.jobs[1:]
		if j.part == nil && !t.sees(j.item) {
			if j.whole != nil {
				t.work.later = append(t.work.later, j)
				continue
			}
			j.plain = true
		}
		if j.part != nil {
			if t.opts.Unseen {
				t.work.unseen = append(t.work.unseen, j)
				continue
			}
			text := &j.block.text
			if len(text.text) > longBlock || j.part.width == t.opts.Width || !text.isOf(j.part) {
				continue
			}
			j.text = strings.ReplaceAll(string(text.text[j.part.from:j.part.to]), "\x00", "␀")
			j.how = text.options(t.opts, t.opts.Width)
		}

		return j
	}

	return nil
}

// Do works it out. It may take tenths of a second, and does not access the transcript.
func (j *Job) Do() {
	if j.part != nil {
		j.page = markdown.Render(j.text, j.how)
		return
	}
	if j.done = j.view; j.whole == nil {
		j.done, j.whole = j.view.find(j.diff, j.near, j.file)
	}
	if !j.plain {
		out := *j.done
		out.spans = out.highlight(j.whole)
		j.done = &out
	}
}

// Done applies the result of a job.
func (t *Transcript) Done(j *Job) {
	switch {
	case j.part != nil:
		text := &j.block.text
		if t.byID[j.block.ID] != j.block || len(text.text) > longBlock || !text.isOf(j.part) {
			return
		}
		text.render(j.part, j.page, j.how.Width)
		if len(text.ready) > 0 {
			t.show(j.block)
		}
		if len(j.how.References) < text.referred {
			j.part.width = 0
		}
		if j.part.width == 0 || j.part.wide && j.how.Width != t.opts.Width {
			t.jobParts(j.block, []*part{j.part})
		}
		t.jobParts(j.block, text.refer())
	case t.byID[j.item.block.ID] == j.item.block && j.item.call.views[j.diff] == j.view:
		if j.done != j.view {
			j.done.asked = j.view.asked // once more, if the call has ended meanwhile
			*j.view = *j.done
			j.item.stale = true
			t.show(j.item.block)
		}
		if j.plain { // Job decides again
			t.work.jobs = append(t.work.jobs, &Job{item: j.item, view: j.view, diff: j.diff, whole: j.whole})
		}
	}
}

// maxCoded is how many lines of a text are highlighted at most: code is, as far as so many bytes.
const maxCoded = 64 << 10

// What takes of a frame's budget, in bytes of text that take Neovim as long: about 20 ns each.
const (
	opCost   = 512 // an operation, besides what is in it
	markCost = 64
	virtCost = 128
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
		gone, fresh := v.run(i, "-"), 0
		fresh = v.run(i+gone, "+")
		if gone == 0 || fresh == 0 {
			i += max(gone+fresh, 1)
			continue
		}
		old, new := highlight.Changes(v.texts(i, gone), v.texts(i+gone, fresh), "AcpDeleteText", "AcpAddText")
		for n, list := range slices.Concat(old, new) {
			spans[i+n] = append(spans[i+n], list...)
		}
		i += gone + fresh
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
