package files

import (
	"slices"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// Write is an agent's write of a loaded file.
type Write struct {
	Buffer  Snapshot
	Base    []string // the lines that Text started from
	Text    string   // the agent's, for the whole file
	Format  bool     // formatters run when it is saved
	Missing bool     // there is no file

	DiskThen, DiskNow []string    // what the disk had when the agent saw the file, and has; nil if that is the same
	OnDisk            func() bool // reports whether the disk has Text already; asked only where that matters
}

// Plan returns the edit that brings the agent's text into the buffer (behaviour 203); nil if there is nothing to do. The disk gets
// that text, with what the user has saved meanwhile. Where the user has unsaved changes, or both have changed the same lines, the
// buffer then gets what they make of it together, unsaved.
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

	saved := theirs.Lines
	if !slices.Equal(w.DiskThen, w.DiskNow) {
		known := buffers.MergeTheirs(w.DiskThen, w.Base, w.DiskNow) // what the agent saw unsaved counts as if the disk had it
		saved = buffers.MergeTheirs(w.Base, known, theirs.Lines)
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
		saved = m.Lines
		e.Disk, e.Format = hunks(direct), w.Format
		e.Empty = w.Text == "" && len(m.Lines) == 1 && m.Lines[0] == ""

	case slices.Equal(saved, m.Lines):
		e.Disk = hunks(direct) // the hunks that places follow, of equal lines too
		e.Empty = w.Text == "" && slices.Equal(theirs.Lines, m.Lines)

	default:
		e.Disk, e.Top = hunks(buffers.Edits(ours, saved)), hunks(buffers.Edits(saved, m.Lines))
	}

	e.saved = w.Text
	if e.Save && !slices.Equal(saved, theirs.Lines) {
		theirs.Lines = saved
		e.saved = theirs.String()
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
