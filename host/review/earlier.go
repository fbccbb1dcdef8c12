package review

import (
	"hash/maphash"
	"slices"
)

// The bounds of what is remembered of a file's earlier texts.
const (
	maxEarlier      = 100
	maxEarlierLines = 20_000
)

// earlier is whose the lines of an earlier text were: undo and redo lead back to it.
type earlier struct {
	sum   uint64
	base  form
	lines []run
}

// run is a line that is not simply the user's, after some that are.
type run struct {
	plain int
	line  line // unless it is the last run, which ends the text
}

var textSeed = maphash.MakeSeed()

// textSum returns a number that tells texts apart, within this process.
func textSum(lines []string, f form) uint64 {
	var h maphash.Hash
	h.SetSeed(textSeed)
	maphash.WriteComparable(&h, f)
	for _, text := range lines {
		_, _ = h.WriteString(text)
		_ = h.WriteByte('\n')
	}
	return h.Sum64()
}

// remember notes whose the lines of the text are.
func (f *File) remember() {
	e := earlier{sum: textSum(f.text(), f.now), base: f.base}
	plain := 0
	for _, l := range f.lines {
		if l.plain() && l.was == 0 {
			plain++
			continue
		}
		e.lines = append(e.lines, run{plain, l})
		plain = 0
	}

	e.lines = append(e.lines, run{plain: plain})

	f.earlier = slices.DeleteFunc(f.earlier, func(old earlier) bool { return old.sum == e.sum })
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

// recall gives the lines back to whom they belonged when the file last had this text, if comparing texts has lost that: short lines, and
// lines that only went, do not tell that they are the agent's again.
func (f *File) recall() {
	text := f.text()
	sum := textSum(text, f.now)
	at := slices.IndexFunc(f.earlier, func(e earlier) bool { return e.sum == sum })
	if at < 0 {
		return
	}
	then := &File{Path: f.Path, From: f.From, last: f.last, made: f.made, base: f.earlier[at].base, now: f.now}
	if !then.expand(f.earlier[at].lines, text) || then.same(f) {
		return
	}
	f.lines, f.last, f.base = then.lines, then.last, then.base
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

// same reports whether two files have the same changes that wait for a decision.
func (f *File) same(o *File) bool {
	return f.Kind() == o.Kind() && slices.EqualFunc(f.Hunks(), o.Hunks(), func(a, b Hunk) bool {
		return a.Row == b.Row && a.Sum == b.Sum && slices.Equal(a.Turns, b.Turns)
	})
}
