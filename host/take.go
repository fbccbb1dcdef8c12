package host

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/session"
)

const (
	settleStep = 20 * time.Millisecond  // a version that lasts this long is whole
	settleMost = 300 * time.Millisecond // and after this it is taken as it is …
	settleCut  = time.Second            // … but one that looks cut is to last this long …
	settleSave = 400 * time.Millisecond // … or if a save waits, which holds Neovim, this long …
	settleLong = 5 * time.Second        // … for which it is waited so long
)

// incoming is a version of a file on the disk, and what it makes of the buffer that has another.
type incoming struct {
	stat     buffers.Stat
	data     []byte
	text     string // in UTF-8
	encoding string // 'fileencoding' that the file has now, "" if it is the buffer's
	form     buffers.Text
	merged   buffers.Merged
}

// incoming reads the disk and merges it into the text of a buffer, which stays as it is.
func (h *Host) incoming(ctx context.Context, real string, snap snapshot) (incoming, error) {
	f, err := h.readSteady(real)
	if err != nil {
		return incoming{}, err
	}
	text, err := h.decode(ctx, snap, f)
	if err != nil {
		return incoming{}, err
	}
	encoding := ""
	if snap.narrow() && buffers.IsUTF8(f.Data) {
		encoding = "utf-8"
	}
	base, err := h.diskBase(ctx, real, snap)
	if err != nil {
		return incoming{}, err
	}
	theirs := snap.parse(text)
	m := buffers.Merge(base, snap.lines(), theirs.Lines)
	return incoming{stat: f.Stat, data: f.Data, text: text, encoding: encoding, form: theirs, merged: m}, nil
}

// errUnsteady is a file that is being written.
var errUnsteady = errors.New("the file is being written")

// readSteady reads a file, and makes sure that it was not written meanwhile: half a version would be taken for deletions.
func (h *Host) readSteady(path string) (buffers.File, error) {
	f, err := buffers.ReadFile(path, nil, nil, h.maxRead())
	if err != nil {
		return f, err
	}
	after, err := buffers.StatFile(path)
	if err == nil && (!after.Equal(f.Stat) || int64(len(f.Data)) != after.Size) {
		err = errUnsteady
	}
	return f, err
}

// diskBase is what the text of a buffer started from. If that is not known it is nothing, so that a merge keeps both sides.
func (h *Host) diskBase(ctx context.Context, real string, snap snapshot) ([]string, error) {
	if !snap.Modified {
		return snap.lines(), nil
	}
	data, _, ok := h.store.Disk(real)
	if !ok || snap.Special {
		return nil, nil
	}
	text, err := buffers.Decode(data)
	if err != nil {
		return nil, nil // it was not text: no base
	}
	text, err = h.decode(ctx, snap, buffers.File{Text: text, Data: data})
	return snap.parse(text).Lines, err
}

// takeIn brings the disk's version of a loaded file into its buffer, as an undo step of its own, and waits for it. Nothing
// is saved, nothing asks. The file's ticket is held. An error is Neovim's or the context's.
func (h *Host) takeIn(ctx context.Context, real string) error {
	for h.disk.watches(real) {
		stat, err := settled(ctx, real, h.disk)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return h.loseFile(ctx, real)
		case !h.disk.differs(real):
			return nil
		}
		snap, err := h.snapshot(ctx, real, false)
		switch {
		case err != nil:
			return err
		case snap.Buf == 0:
			h.disk.forget(real)
			return nil
		case snap.Special:
			h.disk.skip(real, stat)
			return nil
		}
		in, err := h.incoming(ctx, real, snap)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, buffers.ErrNotExist), errors.Is(err, errUnsteady):
			continue
		case err != nil:
			h.disk.skip(real, stat)
			h.say("warn", "the change on disk is not taken in: "+err.Error())
			return nil
		case !in.stat.Equal(stat): // it was written again, and that version has not settled
			continue
		}
		got, err := h.apply(ctx, real, in.edit(snap))
		if err != nil || got.Result == "ok" {
			if err == nil {
				h.changed(real, in, snap, got.Told)
			}
			return err
		}
	}
	return nil
}

// settledText is incoming once the file is not being written.
func (h *Host) settledText(ctx context.Context, real string, snap snapshot) (incoming, error) {
	for {
		stat, err := settled(ctx, real, h.disk)
		if err != nil {
			return incoming{}, err
		}
		in, err := h.incoming(ctx, real, snap)
		if err == nil && !in.stat.Equal(stat) || errors.Is(err, errUnsteady) {
			continue
		}
		return in, err
	}
}

// edit is what brings the new version into the buffer.
func (in incoming) edit(snap snapshot) *edit {
	ours := snap.lines()
	direct := buffers.Edits(ours, in.merged.Lines)
	e := &edit{
		Buf: snap.Buf, Tick: snap.Tick, Disk: []hunk{}, Top: hunks(direct), Direct: shifts(direct), EOL: in.form.EOL,
		Conflicts: len(in.merged.Conflicts), Taken: true, Stat: luaStat(in.stat),
		Modified: !slices.Equal(in.merged.Lines, in.form.Lines), Encoding: in.encoding,
	}
	if in.form.EOL || len(in.form.Lines) > 1 { // it has line ends that tell
		e.Form = "unix"
		if in.form.CRLF {
			e.Form = "dos"
		}
	}
	return e
}

// settled waits until the file is not being written, as far as can be seen: its version lasts for a moment, for a longer one
// if it looks like the first part of a version, and it is not missing.
func settled(ctx context.Context, real string, w *watcher) (buffers.Stat, error) {
	stat, err := buffers.StatFile(real)
	if err == nil && !w.differs(real) {
		return stat, nil
	}
	began := time.Now()
	since := began // the version is there
	for {
		select {
		case <-time.After(settleStep):
		case <-ctx.Done():
			return stat, ctx.Err()
		}
		last, was := stat, err
		stat, err = buffers.StatFile(real)
		lasts := err == nil && was == nil && stat.Equal(last)
		if !lasts {
			since = time.Now()
		}
		most := settleCut
		if w.hurried(began) {
			most = settleSave
		}
		switch over := time.Since(began) >= settleMost; {
		case !lasts && !over:
			continue
		case err != nil || time.Since(since) >= most || time.Since(began) >= settleLong:
			return stat, err
		case !buffers.BeingWritten(real) && !w.looksCut(real, stat):
			return stat, nil
		}
	}
}

// looksCut reports that a version of a file may be only half of one: it has lost the line end at its end, or it is the
// beginning of what was there.
func (w *watcher) looksCut(path string, stat buffers.Stat) bool {
	w.mu.Lock()
	f := w.files[path]
	known := f != nil && f.looked.Equal(stat)
	cut := known && f.cut
	w.mu.Unlock()
	if known {
		return cut
	}
	old, _, ok := w.host.store.Disk(path)
	if ok && bytes.HasSuffix(old, []byte("\n")) {
		now, err := w.host.readSteady(path)
		if errors.Is(err, errUnsteady) {
			return true
		}
		cut = err == nil && (!bytes.HasSuffix(now.Data, []byte("\n")) || len(now.Data) < len(old) && bytes.HasPrefix(old, now.Data))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if f := w.files[path]; f != nil {
		f.looked, f.cut = stat, cut
	}
	return cut
}

// loseFile leaves a buffer as it is whose file was deleted, and marks it.
func (h *Host) loseFile(ctx context.Context, real string) error {
	if !h.disk.lost(real) {
		return nil
	}
	_, err := call[any](ctx, h.ed, luaDeleted, real)
	return err
}

// changed notes what was taken in, for the sessions whose doing it counts as.
func (h *Host) changed(real string, in incoming, snap snapshot, told int) {
	if !h.disk.took(real, in, told) {
		return // only its time was new
	}
	conflicts := len(in.merged.Conflicts) - len(buffers.Conflicts(snap.lines()))
	for _, s := range h.all() {
		if !s.merging() || !buffers.Inside(s.roots, real) {
			continue
		}
		if conflicts > 0 {
			s.note(real) // before whoever hears of the change sends a prompt
		}
		s.do(func(st *session.State) { st.Emit("AcpFileChanged", map[string]any{"path": real}) })
	}
}
