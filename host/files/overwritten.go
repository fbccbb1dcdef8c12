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

// takeUnmerged adds the version of a file that has settled to those before it, before Neovim is asked for the buffer, which may wait for
// the user's answer. It keeps two.
func (c claim) takeUnmerged(seen []unmerged, stat buffers.Stat) []unmerged {
	f, err := c.readSteady(c.real)
	base, _, ok := c.store.Disk(c.real)
	if err != nil || !ok || !f.Stat.Equal(stat) || len(seen) > 0 && bytes.Equal(seen[len(seen)-1].file.Data, f.Data) {
		return seen
	}
	seen = append(seen, unmerged{file: f, base: base, reports: c.versions.lastReport(c.real)})
	return seen[max(0, len(seen)-2):]
}

// overwritten returns the edit that brings into its buffer, unsaved, a version that the user has saved over, and what may be saved over
// again. They have if what the disk has now, d, is another text than before that version, and the buffer has all of it. Else it returns
// what it is given.
func (c claim) overwritten(ctx context.Context, snap Snapshot, d diskEdit, seen []unmerged) (diskEdit, []unmerged) {
	last := seen
	for len(last) > 0 && bytes.Equal(last[len(last)-1].file.Data, d.data) {
		last = last[:len(last)-1]
	}
	if len(last) == 0 {
		return d, seen
	}
	u := last[len(last)-1]
	if bytes.Equal(u.base, d.data) || c.versions.lastReport(c.real) != u.reports || !slices.Equal(d.merged.Lines, snap.lines()) {
		return d, seen
	}

	base, err := c.diskLines(ctx, snap, u.base)
	if err != nil || base == nil {
		return d, seen
	}
	theirs, err := c.diskLines(ctx, snap, u.file.Data)
	if err != nil || theirs == nil {
		return d, seen
	}

	d.merged = buffers.Merge(base, snap.lines(), theirs)
	return d, last
}
