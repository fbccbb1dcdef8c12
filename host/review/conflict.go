package review

import (
	"slices"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// over returns what a file begins with that has some content: what the disk has, since what is not saved is a change of that.
func (c Content) over(saved *Disk) Content {
	if saved != nil && !saved.Before.Missing && !c.Missing {
		c.Lines = saved.Before.Lines
	}
	return c
}

// removal is what a turn has removed on the disk: by ids, the lines, and those that the disk had before and has.
type removal struct {
	lines, stay map[int]bool
	last        int // id of the newest line before
}

// removedBelow returns what a turn removes on the disk of a file that has what it had before it.
func (f *File) removedBelow(turn Turn, saved *Disk) removal {
	r := removal{map[int]bool{}, map[int]bool{}, f.last}
	if saved == nil {
		return r
	}
	g := f.clone()
	g.edit(saved.Before, user, byHand)
	had := map[int]bool{}
	for _, l := range g.lines {
		had[l.id] = l.gone == here
	}
	g.edit(saved.After, turn, byHand)
	for _, l := range g.lines {
		if had[l.id] {
			r.lines[l.id], r.stay[l.id] = l.gone == gone(turn), l.gone == here
		}
	}
	return r
}

// hide notes of the lines that a turn has removed on the disk which of them it has not removed here: they are the user's, or the user
// has removed them before, and has not saved that. Those come before what is in their place.
func (f *File) hide(turn Turn, below removal) {
	if len(below.lines) == 0 {
		return
	}
	again := map[string]bool{} // lines that it has in its side of a conflict, and that the user has removed
	for _, l := range f.lines {
		again[l.text] = again[l.text] || l.id > below.last && l.by == turn
	}
	out, at, marked := make([]line, 0, len(f.lines)), 0, false
	for _, l := range f.lines {
		if below.stay[l.id] && l.gone < here && again[l.text] {
			below.lines[l.id] = true
		}
		if below.lines[l.id] && l.gone <= here {
			l.below = turn
		}
		if below.lines[l.id] && l.gone < here {
			out = slices.Insert(out, at, l)
			at++
			continue
		}
		out = append(out, l)
		_, had := below.stay[l.id]
		marked = !had && (marked || buffers.IsMarker(l.text))
		if had || l.by == turn && l.gone == here && !marked {
			at = len(out)
		}
	}
	f.lines = out
}
