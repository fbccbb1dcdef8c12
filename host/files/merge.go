package files

import (
	"context"
	"errors"
	"slices"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// diskEdit reads a file and merges it with the text of its buffer, which stays as it is.
func (w *Workspace) diskEdit(ctx context.Context, real string, snap Snapshot) (diskEdit, error) {
	f, err := w.readSteady(real)
	if err != nil {
		return diskEdit{}, err
	}

	text, err := w.decode(ctx, snap, f)
	if err != nil {
		return diskEdit{}, err
	}

	base, err := w.diskBase(ctx, real, snap)
	if err != nil {
		return diskEdit{}, err
	}

	d := diskEdit{stat: f.Stat, data: f.Data, text: text, parsed: snap.parse(text)}
	if snap.hasLegacyEncoding() && buffers.IsUTF8(f.Data) {
		d.encoding = "utf-8"
	}

	d.merged = buffers.Merge(base, snap.lines(), d.parsed.Lines)
	return d, nil
}

// content returns the text of the new version as the agent gets it.
func (d diskEdit) content(snap Snapshot) string {
	if snap.isMac(d.text) {
		return d.parsed.String()
	}
	return d.text
}

// settledDiskEdit is diskEdit of a version that has settled.
func (w *Workspace) settledDiskEdit(ctx context.Context, real string, snap Snapshot) (diskEdit, error) {
	for {
		stat, err := w.settle(ctx, real)
		if err != nil {
			return diskEdit{}, err
		}
		d, err := w.diskEdit(ctx, real, snap)
		if err == nil && !d.stat.Equal(stat) || errors.Is(err, errUnsteady) {
			continue
		}
		return d, err
	}
}

// diskBase returns the lines that the text of a buffer started from. It returns none if they are not known, so that a merge
// keeps both sides.
func (w *Workspace) diskBase(ctx context.Context, real string, snap Snapshot) ([]string, error) {
	text := snap.lines()
	if !snap.Modified && (isBlank(text) || !w.versions.isAbsent(real)) { // a file that is gone may come again
		return text, nil
	}
	data, _, ok := w.store.Disk(real)
	if !ok || snap.Special {
		return nil, nil
	}
	return w.diskLines(ctx, snap, data)
}

// isBlank reports whether the lines of a buffer have no text.
func isBlank(lines []string) bool { return len(lines) == 1 && lines[0] == "" }

// diskLines returns the lines that a file with these bytes has in a buffer; none if they are no text.
func (w *Workspace) diskLines(ctx context.Context, snap Snapshot, data []byte) ([]string, error) {
	text, err := buffers.Decode(data)
	if err != nil {
		return nil, nil
	}
	text, err = w.decode(ctx, snap, buffers.File{Text: text, Data: data})
	return snap.parse(text).Lines, err
}

// edit returns the edit that brings the new version into the buffer.
func (d diskEdit) edit(snap Snapshot) *Edit {
	direct := d.merged.Edits
	e := &Edit{
		Buf: snap.Buf, Tick: snap.Tick, Disk: []Hunk{}, Top: hunks(direct), Direct: shifts(direct), EOL: d.parsed.EOL,
		Conflicts: len(d.merged.Conflicts), FromDisk: true, Stat: statOf(d.stat),
		Modified: !slices.Equal(d.merged.Lines, d.parsed.Lines), Encoding: d.encoding, after: d.merged.Lines,
	}
	if !snap.isMac(d.text) && (d.parsed.EOL || len(d.parsed.Lines) > 1) { // else no line end tells, or it stays
		e.Form = "unix"
		if d.parsed.CRLF {
			e.Form = "dos"
		}
	}

	return e
}

// MergeNow merges what is on the disk into the loaded files below roots that have another version, and waits for that until ctx
// ends.
func (w *Workspace) MergeNow(ctx context.Context, roots []string) {
	merged, n := make(chan struct{}), 0
	for _, path := range w.versions.below(roots) {
		if !w.versions.differsNow(path) {
			continue
		}
		n++
		caught.Go(func() { // ends when the text is in the buffer, or with ctx
			defer func() { merged <- struct{}{} }()
			c, err := w.claim(ctx, path)
			if err != nil {
				return
			}
			defer c.release()
			_ = c.mergeDisk(ctx) // the regular look at the disk tries again
		})
	}
	for range n {
		<-merged
	}
}

// mergeDisk merges the disk's version of a loaded file into its buffer, as an undo step of its own, and waits for that. It saves
// nothing and asks nobody. An error is Neovim's or the context's.
func (c claim) mergeDisk(ctx context.Context) error {
	var seen []unmerged
	for c.versions.knows(c.real) {
		if _, err := buffers.StatFile(c.real); err != nil && c.versions.isAbsent(c.real) {
			return nil
		}

		stat, err := c.settle(ctx, c.real)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && c.options.Gone(ctx, c.real):
			return nil
		case err != nil: // the file is gone
			if c.versions.delete(c.real) {
				c.noteDeleted(ctx)
				return c.editor.Deleted(ctx, c.real, "")
			}
			return nil
		case !c.versions.differsNow(c.real):
			return nil
		}

		seen = c.takeUnmerged(seen, stat)
		snap, err := c.snapshot(ctx, c.real, false)
		switch {
		case err != nil:
			return err
		case snap.Buf == 0:
			c.versions.forget(c.real)
			return nil
		case snap.Special:
			c.versions.skip(c.real, stat)
			return nil
		case c.heedFailedSave(snap):
			return nil
		}

		d, err := c.diskEdit(ctx, c.real, snap)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, buffers.ErrNotExist), errors.Is(err, errUnsteady):
			continue
		case errors.Is(err, buffers.ErrMoved): // a link has come in its way, and may go again
			c.versions.skip(c.real, stat)
			return nil
		case err != nil && !c.versions.differsNow(c.real): // Neovim has loaded it meanwhile
			return nil
		case err != nil:
			c.versions.skip(c.real, stat)
			c.versions.setBinary(c.real, errors.Is(err, buffers.ErrNotText))
			c.options.Warn("the change on disk is not merged: " + err.Error())
			return nil
		case !d.stat.Equal(stat): // it was written again, and that version has not settled
			continue
		}

		d, seen = c.overwritten(ctx, snap, d, seen)
		e := d.edit(snap)
		e.created = !snap.Modified && isBlank(snap.lines()) && c.versions.isAbsent(c.real)
		e.earlier = func() bool { return c.versions.isEarlier(c.real, d.stat, nil) }
		got, err := c.apply(ctx, e)
		if err != nil {
			return err
		}
		if got.Result == "ok" {
			now := snap.shownAs(d.parsed.Lines, d.parsed.EOL)
			c.noteEdit(c.by, snap, e, c.savedBelow(ctx, snap, e), &now)
			c.merged(d, snap, got.Reported, e.earlier)
			return nil
		}
	}

	return nil
}

// merged notes that a buffer has a version from the disk, and tells the sessions whose doing that counts as, none if it is an earlier one.
func (c claim) merged(d diskEdit, snap Snapshot, report int, earlier func() bool) {
	if !c.versions.merged(c.real, d, report) {
		return // only its time was new
	}

	conflicts := len(d.merged.Conflicts) - len(buffers.Conflicts(snap.lines()))
	for _, s := range c.options.Sessions() {
		if !s.Writing() || !buffers.Inside(s.Roots(), c.real) || earlier() {
			continue
		}
		if conflicts > 0 {
			s.NoteConflicts(c.real) // before whoever hears of the change sends a prompt
		}
		s.FileChanged(c.real)
	}
}
