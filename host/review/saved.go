package review

import "unicode/utf8"

// savedLine is a line as it is saved.
type savedLine struct {
	ID   int    `json:"i"`
	Text string `json:"t,omitempty"`
	Raw  []byte `json:"x,omitempty"` // the text, if it is not valid UTF-8
	By   Turn   `json:"b,omitempty"`
	Gone gone   `json:"g,omitempty"`
	Was  Turn   `json:"w,omitempty"`
	Lent bool   `json:"l,omitempty"`
	Own  string `json:"o,omitempty"`
	Ours bool   `json:"u,omitempty"`

	Below Turn `json:"d,omitempty"`
}

func (l line) saved() savedLine {
	to := savedLine{ID: l.id, Text: l.text, By: l.by, Gone: l.gone, Was: l.was, Lent: l.lent, Own: l.own, Ours: l.ours, Below: l.below}
	if !utf8.ValidString(l.text) {
		to.Text, to.Raw = "", []byte(l.text)
	}
	return to
}

func (l savedLine) line() line {
	if l.Raw != nil {
		l.Text = string(l.Raw)
	}
	return line{id: l.ID, text: l.Text, by: l.By, gone: l.Gone, was: l.Was, lent: l.Lent, own: l.Own, ours: l.Ours, below: l.Below}
}

// savedText is an earlier text as it is saved.
type savedText struct {
	Sum    uint64     `json:"sum"`
	Base   form       `json:"base"`
	Made   Turn       `json:"made,omitempty"`
	First  int        `json:"first,omitempty"`
	Lines  []savedRun `json:"lines,omitempty"`
	Last   int        `json:"last,omitempty"`
	Turns  []Turn     `json:"turns,omitempty"`
	Latest Turn       `json:"latest,omitempty"`
}

// savedRun is a [run] as it is saved.
type savedRun struct {
	Plain int        `json:"p,omitempty"`
	Line  *savedLine `json:"l,omitempty"`
}

// savedTexts returns the last of the earlier texts, as they are saved: an undo file leads back to them after a restart.
func (f *File) savedTexts() []savedText {
	size, first := 0, len(f.earlier)
	for first > 0 {
		if size += len(f.earlier[first-1].lines); size > maxSavedLines {
			break
		}
		first--
	}

	var out []savedText
	for _, e := range f.earlier[first:] {
		to := savedText{Sum: e.sum, Base: e.base, Made: e.made, First: e.first, Last: e.last, Turns: e.turns, Latest: e.latest}
		for _, r := range e.lines {
			run := savedRun{Plain: r.plain}
			if r.line != (line{}) {
				l := r.line.saved()
				run.Line = &l
			}
			to.Lines = append(to.Lines, run)
		}
		out = append(out, to)
	}
	return out
}

// restoreTexts sets the earlier texts from those that are saved, as far as they fit each other, and the text of the file itself.
func (f *File) restoreTexts(list []savedText) {
	after := 0 // how many runs the text after has
	for i := len(list) - 1; i >= 0; i-- {
		from := list[i]
		if from.First < 0 || from.Last < 0 || from.First+from.Last > after {
			list = list[i+1:]
			break
		}
		after = from.First + len(from.Lines) + from.Last
	}

	for _, from := range list {
		e := earlier{
			sum: from.Sum, base: from.Base, made: from.Made, first: from.First, last: from.Last, turns: from.Turns, latest: from.Latest,
			lines: make([]run, 0, len(from.Lines)),
		}
		for _, r := range from.Lines {
			to := run{plain: r.Plain}
			if r.Line != nil {
				to.line = r.Line.line()
			}
			e.lines = append(e.lines, to)
		}
		f.earlier = append(f.earlier, e)
	}
	f.remember()
}
