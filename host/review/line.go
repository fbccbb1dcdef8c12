package review

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// line is a line of a file, there or gone.
type line struct {
	id   int
	text string
	by   Turn   // the turn that has added it; user: it is not the agent's
	gone gone   // why it is not in the text
	was  Turn   // the turn that had removed it before the user, or a revert, has restored it …
	lent bool   // … or another session has
	own  string // the agent's text of a line by it that the user has edited …
	ours bool   // … which is what this says

	below Turn // the turn that has removed it on the disk only: what the user has not saved hides that here
}

// gone says why a line is not in the text: a positive one is the turn that has removed it.
type gone int

const (
	here       gone = 0
	byUser     gone = -1
	byReverted gone = -2
	byOther    gone = -3 // another session has removed it, and a turn, or a decision on that, may bring it back
)

// changed reports whether the line is a part of what the agent has changed: added by a turn, or removed by one.
func (l line) changed() bool {
	return l.gone == here && l.by != user || l.gone > 0 && l.by == user
}

// plain reports whether the line is in the text and not the agent's.
func (l line) plain() bool { return l.gone == here && l.by == user }

// line returns a new line.
func (f *File) line(text string, by Turn) line {
	f.last++
	return line{id: f.last, text: text, by: by}
}

// apply makes edits of the text, which a source or a turn has made.
func (f *File) apply(edits []buffers.Edit, by Turn, from source) {
	out := make([]line, 0, len(f.lines)+len(edits))
	i, row := 0, 0
	moved, stays := map[int]bool{}, map[int]bool{}
	leaves := f.leaving(edits)
	var index map[string][]int
	for _, e := range edits {
		for row < e.Start {
			if f.lines[i].gone == here {
				row++
			}
			out = append(out, f.lines[i])
			i++
		}

		j := i
		for j < len(f.lines) && (row < e.End || f.lines[j].gone != here) {
			if f.lines[j].gone == here {
				row++
			}
			j++
		}

		w := weaver{file: f, by: by, from: from, region: f.lines[i:j], moved: moved, stays: stays, leaves: leaves, index: &index}
		out = append(out, w.weave(e.Lines)...)
		i = j
	}

	f.lines = append(out, f.lines[i:]...)
	if len(moved) > 0 {
		f.lines = slices.DeleteFunc(f.lines, func(l line) bool { return moved[l.id] })
	}
}

// maxGone is how many lines that are gone, and not a part of a change that waits for a decision, a file remembers of each kind:
// removed by the user, reverted, and both added and removed by turns.
const maxGone = 1000

// prune forgets the oldest lines that are not likely to come back.
func (f *File) prune() {
	kinds := map[int][]int{}
	for _, l := range f.lines {
		if kind := l.kind(); kind != 0 {
			kinds[kind] = append(kinds[kind], l.id)
		}
	}

	for kind, ids := range kinds {
		if len(ids) <= maxGone {
			continue
		}
		slices.Sort(ids)
		oldest := ids[len(ids)-maxGone/2]
		f.lines = slices.DeleteFunc(f.lines, func(l line) bool { return l.kind() == kind && l.id < oldest })
	}
}

// kind sorts lines that are not likely to come back; 0 for all others.
func (l line) kind() int {
	switch {
	case l.gone == byUser, l.gone == byOther:
		return 1
	case l.gone == byReverted:
		return 2
	case l.gone > here && l.by != user:
		return 3
	}
	return 0
}

// showHidden finds the lines that a turn has removed on the disk where nothing of the user's is in their place any more, nor a conflict
// that is not decided: the turn has removed them here, too.
func (f *File) showHidden() {
	for i := range f.lines {
		if l := &f.lines[i]; l.below != 0 && l.gone == byUser && f.showsBelow(i) {
			l.gone, l.below = gone(l.below), 0
			if l.ours {
				l.text, l.own, l.ours = l.own, "", false // as the disk had it
			}
		}
	}
}

// showsBelow reports whether the text has, in the place of a line that a turn has removed on the disk, what the agent has made of it.
func (f *File) showsBelow(i int) bool {
	for _, l := range slices.Backward(f.lines[:i]) {
		if l.plain() {
			if l.below == f.lines[i].below { // it is on the user's side of the conflict
				return false
			}
			break
		}
	}

	there, wrote, marked := false, false, false
	for _, l := range f.lines[i:] {
		switch {
		case l.plain():
			return there || marked && !wrote
		case l.by == user, l.gone == byReverted:
		case buffers.IsMarker(l.text):
			if l.gone == here {
				return false
			}
			marked = marked || strings.HasPrefix(l.text, ">")
		default:
			wrote, there = true, there || l.gone == here
		}
	}
	return there || marked && !wrote
}
