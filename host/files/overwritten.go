package files

import (
	"bytes"
	"context"
	"slices"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// unmerged is a version on the disk that has settled and is not in its buffer yet. The user may save over it: a save for which no
// autocommand runs cannot wait for the merge, and Neovim takes "yes" for an answer.
type unmerged struct {
	file    buffers.File
	base    []byte // the version before, which the buffer has
	reports int    // the last report on the buffer by then
}

// takeUnmerged keeps the version of a file that has settled, before Neovim is asked for the buffer, which may wait for the user's answer.
func (c claim) takeUnmerged(stat buffers.Stat) (u unmerged) {
	f, err := c.readSteady(c.real)
	base, _, ok := c.store.Disk(c.real)
	if err != nil || !ok || !f.Stat.Equal(stat) {
		return unmerged{}
	}
	return unmerged{file: f, base: base, reports: c.versions.lastReport(c.real)}
}

// overwritten returns the edit that brings a version into its buffer which the user has saved over, unsaved; false if they have not. That
// is so if what the disk has now, d, is another text than before that version, and the buffer has all of it.
func (c claim) overwritten(ctx context.Context, snap Snapshot, d diskEdit, u unmerged) (_ diskEdit, ok bool) {
	switch {
	case u.file.Data == nil || bytes.Equal(u.file.Data, d.data) || bytes.Equal(u.base, d.data):
		return d, false
	case c.versions.lastReport(c.real) != u.reports || !slices.Equal(d.merged.Lines, snap.lines()):
		return d, false
	}

	base, err := c.diskLines(ctx, snap, u.base)
	if err != nil || base == nil {
		return d, false
	}
	theirs, err := c.diskLines(ctx, snap, u.file.Data)
	if err != nil || theirs == nil {
		return d, false
	}

	d.merged = buffers.Merge(base, snap.lines(), theirs)
	return d, true
}
