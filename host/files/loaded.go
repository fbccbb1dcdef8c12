package files

import (
	"context"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// Loaded notes that a buffer has read or written a version of its file. It returns at once, and never waits for edits of the
// file: what the user saves meanwhile is what their buffer started from, not another's text.
func (w *Workspace) Loaded(r Report) {
	w.decided.forget(r.Path)
	ticket := w.reports.Ticket(r.Path)
	caught.Go(func() { // ends when this report and those on the file before it are noted; they may wait for Neovim
		defer ticket.Done()
		ctx := context.Background()
		if ticket.Wait(ctx) != nil {
			return
		}

		stat := r.Stat.stat()
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
			w.remember(r.Path, stat, text)
		}

		w.versions.setReported(r.Path, r.Number)
	})
}

// remember notes which version of a file its buffer has, and keeps that version's bytes: the base of later merges. If the disk
// has moved on already, that is text, and an older version if text is empty.
func (w *Workspace) remember(path string, stat buffers.Stat, text string) {
	if w.rememberSame(path, stat, text) {
		return
	}

	f, err := w.readSteady(path)
	rewritten := err == nil && text != "" && f.Text != text // by an autocommand
	switch {
	case rewritten:
		_ = w.store.SetDisk(path, []byte(text), stat) // for the errors see setBase
	case err == nil && f.Stat.Equal(stat):
		_ = w.store.SetDisk(path, f.Data, stat)
	case text != "":
		_ = w.store.SetDisk(path, []byte(text), stat)
	}

	w.versions.set(path, stat, rewritten)
}

// rememberSame is remember where nothing has to be found out: that version is known already, or the disk has exactly that text. Else it
// reports false.
func (w *Workspace) rememberSame(path string, stat buffers.Stat, text string) bool {
	if !w.versions.newer(path, stat, text) {
		return true
	}

	w.versions.touch(path)
	if text == "" || !w.steadyHas(path, stat, text) {
		return false
	}
	_ = w.store.SetDisk(path, buffers.Bytes(text), stat) // for the error see setBase
	w.versions.set(path, stat, false)
	return true
}
