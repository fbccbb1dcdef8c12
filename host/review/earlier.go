package review

import (
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// The bounds of what is remembered of a file's earlier texts.
const (
	maxEarlier      = 100
	maxEarlierLines = 20_000
	maxSavedLines   = 2_000 // of those that are known again after a restart
)

// earlier is whose the lines of an earlier text were: undo and redo lead back to it. Of each text but the last only what differs from
// the one after it is there: an edit changes a few of thousands of lines.
type earlier struct {
	sum   uint64
	base  form
	made  Turn
	first int   // how many runs are those that the text after it begins with
	lines []run // those between
	last  int   // how many are those that it ends with

	turns  []Turn // whose changes waited for a decision
	latest Turn   // that had changed the file then
}

// run is a line that is not simply the user's, after some that are.
type run struct {
	plain int
	line  line // unless it is the last run, which ends the text
}

// textSum returns a number that tells texts apart, the same in every process.
func textSum(lines []string, f form) uint64 {
	h := xxhash.New()
	for _, text := range lines {
		_, _ = h.WriteString(text)
		_, _ = h.WriteString("\n")
	}
	_, _ = h.WriteString(strconv.FormatBool(f.Exists) + strconv.FormatBool(f.EOL))
	return h.Sum64()
}

// remember notes whose the lines of the text are.
func (f *File) remember() {
	users := func(l line) bool { return l.plain() && l.was == 0 }
	count := 1
	for _, l := range f.lines {
		if !users(l) {
			count++
		}
	}
	if count > maxEarlierLines {
		f.earlier = nil
		return
	}

	e := earlier{sum: textSum(f.text(), f.now), base: f.base, made: f.made, lines: make([]run, 0, count)}
	e.turns, e.latest = f.turns(), f.latest
	plain := 0
	for _, l := range f.lines {
		if users(l) {
			plain++
			continue
		}
		e.lines = append(e.lines, run{plain, l})
		plain = 0
	}

	e.lines = append(e.lines, run{plain: plain})
	f.forgetText(e)
	if n := len(f.earlier); n > 0 {
		f.earlier[n-1] = f.earlier[n-1].before(f.earlier[n-1].lines, e.lines)
	}

	f.earlier = append(f.earlier, e)
	size := 0
	for i := len(f.earlier) - 1; i >= 0; i-- {
		size += len(f.earlier[i].lines)
		if len(f.earlier)-i > maxEarlier || size > maxEarlierLines {
			f.earlier = slices.Delete(f.earlier, 0, i+1)
			break
		}
	}
}

// before returns an earlier text by its runs and those of the text after it.
func (e earlier) before(own, after []run) earlier {
	e.first, e.last = 0, 0
	most := min(len(own), len(after))
	for e.first < most && own[e.first] == after[e.first] {
		e.first++
	}
	for e.last < most-e.first && own[len(own)-1-e.last] == after[len(after)-1-e.last] {
		e.last++
	}
	e.lines = slices.Clone(own[e.first : len(own)-e.last])
	return e
}

// runsOf returns all runs of an earlier text.
func (f *File) runsOf(i int) []run {
	n := len(f.earlier) - 1
	list := f.earlier[n].lines
	for ; n > i; n-- {
		e := f.earlier[n-1]
		list = slices.Concat(list[:e.first], e.lines, list[len(list)-e.last:])
	}
	return list
}

// forgetText forgets an earlier text that the same turn had left and of which the same turns' changes waited, if it is known.
func (f *File) forgetText(of earlier) {
	i := slices.IndexFunc(f.earlier, func(e earlier) bool {
		return e.sum == of.sum && e.latest == of.latest && slices.Equal(e.turns, of.turns)
	})
	switch {
	case i < 0:
		return
	case i > 0 && i == len(f.earlier)-1:
		f.earlier[i-1].first, f.earlier[i-1].lines, f.earlier[i-1].last = 0, f.runsOf(i-1), 0
	case i > 0:
		f.earlier[i-1] = f.earlier[i-1].before(f.runsOf(i-1), f.runsOf(i+1))
	}
	f.earlier = slices.Delete(f.earlier, i, i+1)
}

// recall gives the lines back to whom they belonged when the file last had this text, if comparing texts has lost that: short lines, and
// lines that only went, do not tell that they are the agent's again. What turns have changed that are undone is not theirs again.
func (f *File) recall(undone []Turn) {
	text := f.text()
	at := f.lastWith(textSum(text, f.now), undone)
	if at < 0 {
		return
	}

	then := &File{Path: f.Path, From: f.From, last: f.last, made: f.earlier[at].made, base: f.earlier[at].base, now: f.now}
	if !then.expand(f.runsOf(at), text) || then.same(f) {
		return
	}
	f.lines, f.last, f.base, f.made = then.withLost(f.lines), then.last, then.base, then.made
}

// recallForm gives the file back to the turn that had made it when it last had this text.
func (f *File) recallForm() {
	if at := f.lastWith(textSum(f.text(), f.now), nil); at >= 0 {
		f.base, f.made = f.earlier[at].base, f.earlier[at].made
	}
}

// withLost returns the lines of a file, which has the same text as others, and among them those of the agent that only the others have
// and that are gone: they may come back after a restart, which forgets earlier texts.
func (f *File) withLost(others []line) []line {
	known := f.places()
	var out []line
	i := 0
	row := func() { // adds the lines up to the next one that is there
		for ; i < len(f.lines); i++ {
			out = append(out, f.lines[i])
			if f.lines[i].gone == here {
				i++
				return
			}
		}
	}
	for _, l := range others {
		_, ok := known[l.id]
		switch {
		case l.gone == here:
			row()
		case l.by != user && !ok:
			out = append(out, l)
		}
	}
	row()
	return out
}

// lastWith returns which earlier text with a sum is the last one where nothing waited of turns that are undone, -1 if there is none. One
// that was there before these turns goes before what they have made of the same text.
func (f *File) lastWith(sum uint64, undone []Turn) int {
	gone := func(t Turn) bool { return slices.Contains(undone, t) }
	at := -1
	for i, e := range slices.Backward(f.earlier) {
		switch {
		case e.sum != sum || slices.ContainsFunc(e.turns, gone):
		case !gone(e.latest):
			return i
		default:
			at = max(at, i)
		}
	}
	return at
}

// expand sets the lines of a text from runs, and reports whether they fit it.
func (f *File) expand(runs []run, text []string) bool {
	row := 0
	for i, r := range runs {
		if row+r.plain > len(text) {
			return false
		}
		for range r.plain {
			f.lines = append(f.lines, f.line(text[row], user))
			row++
		}

		if i == len(runs)-1 {
			break
		}

		f.lines = append(f.lines, r.line)
		if r.line.gone != here {
			continue
		}
		if row == len(text) || text[row] != r.line.text {
			return false
		}

		row++
	}

	return row == len(text)
}

// turns returns the turns whose changes wait for a decision, sorted.
func (f *File) turns() (turns []Turn) {
	if f.Kind() != Modified {
		turns = append(turns, f.made)
	}
	for _, l := range f.lines {
		if l.changed() {
			turns = append(turns, max(l.by, Turn(l.gone)))
		}
	}
	slices.Sort(turns)
	return slices.Compact(turns)
}

// same reports whether two files have the same changes that wait for a decision.
func (f *File) same(o *File) bool {
	return f.Kind() == o.Kind() && slices.Equal(f.turns(), o.turns()) && slices.EqualFunc(f.Hunks(), o.Hunks(), func(a, b Hunk) bool {
		return a.Row == b.Row && a.Sum == b.Sum && slices.Equal(a.Turns, b.Turns)
	})
}
