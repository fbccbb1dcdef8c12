package edit

import (
	"slices"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// Version is one answer to what was asked.
type Version struct {
	Lines []string
	Base  []string // what it replaces
	Cut   bool     // its end is missing, so what it does not reach of the base stays
}

// whole returns the version as a text that takes the place of the base, of which the answer is about so many lines.
func (v Version) whole(upto int) []string {
	if !v.Cut {
		return v.Lines
	}
	return slices.Concat(v.Lines, v.Base[upto:])
}

// Accepted is what becomes of lines when a version is accepted.
type Accepted struct {
	Edits     []buffers.Edit // of the lines, in their order
	Conflicts int
}

// Accept merges the version into the lines as they are by now.
func (v Version) Accept(ours []string) Accepted {
	upto := 0
	if v.Cut {
		a := newAligner(v.Base)
		upto = a.upto(v.Lines)
	}
	m := buffers.Merge(v.Base, ours, v.whole(upto))
	return Accepted{Edits: buffers.Edits(ours, m.Lines), Conflicts: len(m.Conflicts)}
}
