package files

import (
	"context"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// Loaded notes that a buffer has read or written a version of its file, or that there is none yet. It returns at once, and never waits for
// edits of the file: what the user saves meanwhile is what their buffer started from, not another's text.
func (w *Workspace) Loaded(r Report) {
	if r.Missing {
		w.versions.absent(r.Path)
		w.Poke()
		return
	}

	w.decided.forget(r.Path)
	w.versions.arrives(r.Number)
	ticket := w.reports.Ticket(r.Path)
	caught.Go(func() { // ends when this report and those on the file before it are noted; they may wait for Neovim
		defer ticket.Done()
		ctx := context.Background()
		if ticket.Wait(ctx) != nil {
			return
		}
		defer w.versions.setReported(r.Path, r.Number)

		stat := r.Stat.stat()
		foundByReading(ctx, w, r)
		w.versions.touch(r.Path)
		if r.Overtaken {
			_ = w.store.SetDisk(r.Path, []byte(r.Text), stat) // for the error see setBase
			w.versions.set(r.Path, stat, true)
			w.Poke()
		} else {
			text := r.Text
			if now, err := buffers.StatFile(r.Path); text == "" && (err != nil || !now.Equal(stat)) {
				text = w.unmodifiedText(ctx, r.Path)
			}
			w.remember(r.Path, stat, text, nil)
			w.versions.setBinary(r.Path, false) // the buffer has it
		}
	})
}

// foundByReading says that a file has changed on the disk where its buffer has read that, as for `:edit!`, before it was merged.
func foundByReading(ctx context.Context, w *Workspace, r Report) {
	data, _, known := w.store.Disk(r.Path)
	if r.Wrote || !known || !w.versions.hadOther(r.Path, r.Stat.stat()) {
		return
	}
	now := []byte(r.Text)
	if r.Text == "" {
		f, err := buffers.ReadReal(r.Path, nil, nil, maxNoted)
		if err != nil || !f.Stat.Equal(r.Stat.stat()) {
			return // it has changed again
		}
		now = f.Data
	}

	snap, err := w.unreported(ctx, r.Path, false)
	if err != nil || snap.Buf == 0 || snap.Special {
		return
	}
	before, err := textFrom(ctx, w, snap, data)
	after, err2 := textFrom(ctx, w, snap, now)
	if err != nil || err2 != nil || before.sum() == after.sum() {
		return
	}
	earlier := func() bool { return w.versions.isEarlier(r.Path, r.Stat.stat(), nil) }
	w.options.Changed(Change{Path: r.Path, Before: before, After: after, earlier: earlier})
}

// remember notes which version of a file its buffer has, and keeps that version's bytes: the base of later merges. If the disk
// has moved on already, that is text, and an older version if text is empty; that does not replace what Neovim reports meanwhile. It calls
// wait, unless that is nil, before it takes the disk for another's.
func (w *Workspace) remember(path string, stat buffers.Stat, text string, wait func()) {
	if !w.versions.newer(path, stat, text) {
		return
	}

	w.versions.touch(path)
	if text != "" && w.steadyHas(path, stat, text) {
		_ = w.store.SetDisk(path, buffers.Bytes(text), stat) // for the errors see setBase
		w.versions.set(path, stat, false)
		return
	}
	if wait != nil {
		wait()
		w.remember(path, stat, text, nil)
		return
	}

	f, err := w.readSteady(path)
	if text == "" && w.versions.isStale(path) {
		return // Neovim has reported meanwhile that the buffer has another
	}
	rewritten := err == nil && text != "" && f.Text != text // by an autocommand
	switch {
	case rewritten:
		_ = w.store.SetDisk(path, []byte(text), stat)
	case err == nil && f.Stat.Equal(stat):
		_ = w.store.SetDisk(path, f.Data, stat)
	case text != "":
		_ = w.store.SetDisk(path, []byte(text), stat)
	}

	w.versions.set(path, stat, rewritten)
}

// rememberSaved is remember after an edit that has saved a text. If autocommands have rewritten the file meanwhile, their report says what
// the buffer has.
func (c claim) rememberSaved(ctx context.Context, got Edited, text string) {
	c.remember(c.real, got.Stat.stat(), text, func() { c.awaitReport(ctx, got.Reported) })
}
