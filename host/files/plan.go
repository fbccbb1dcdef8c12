package files

import (
	"slices"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// Write is an agent's write of a loaded file.
type Write struct {
	Buffer  Snapshot
	Base    []string    // the lines that Text started from
	Text    string      // the agent's, for the whole file
	Format  bool        // formatters run when it is saved
	Missing bool        // there is no file
	OnDisk  func() bool // reports whether the disk has Text already; asked only where that matters
}

// Plan returns the edit that brings the agent's text into the buffer (behaviour 203); nil if there is nothing to do. The disk gets
// exactly the agent's text. Where the user has unsaved changes, or both have changed the same lines, the buffer then gets what
// they make of it together, unsaved.
func (w Write) Plan() *Edit {
	ours, theirs := w.Buffer.lines(), w.Buffer.parse(w.Text)
	m := buffers.Merge(w.Base, ours, theirs.Lines)
	direct := m.Edits
	e := &Edit{
		Buf: w.Buffer.Buf, Tick: w.Buffer.Tick, Disk: []Hunk{}, Top: []Hunk{}, Direct: shifts(direct), Save: true,
		EOL: theirs.EOL, Conflicts: len(m.Conflicts), after: m.Lines,
	}
	if theirs.CRLF && !w.Buffer.CRLF {
		e.Form = "dos"
	}

	if sizeOf(m.Lines, e.EOL) == len(w.Text) && slices.Equal(m.Lines, theirs.Lines) {
		e.whole = w.Text
	}

	modified, special := w.Buffer.Modified, w.Buffer.Special
	sameEnds := e.EOL == w.Buffer.EOL && e.Form == ""
	switch {
	case !modified && len(direct) == 0 && sameEnds && !w.Missing:
		return nil

	case modified && !special && sameEnds && !w.Missing && w.OnDisk():
		if len(direct) == 0 {
			return nil
		}
		e.Save, e.Top = false, hunks(direct)

	case !modified && len(m.Conflicts) == 0:
		e.Disk, e.Format = hunks(direct), w.Format
		e.Empty = w.Text == "" && len(m.Lines) == 1 && m.Lines[0] == ""

	default:
		e.Disk, e.Top = hunks(buffers.Edits(ours, theirs.Lines)), hunks(buffers.Edits(theirs.Lines, m.Lines))
		e.Empty = w.Text == "" && slices.Equal(theirs.Lines, m.Lines)
	}
	return e
}

// sizeOf returns the size of the text that lines make, with line ends of one byte.
func sizeOf(lines []string, eol bool) int {
	n := len(lines) - btoi(!eol)
	for _, l := range lines {
		n += len(l)
	}
	return n
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
