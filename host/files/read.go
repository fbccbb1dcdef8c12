package files

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"syscall"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// Read answers fs/read_text_file from the loaded buffer of a file, saved or not, else from the disk. It waits for no edit: what
// the disk has and the buffer has not is merged for the answer.
func (w *Workspace) Read(s Session, r *acp.ReadTextFileRequest) acp.Answer[*acp.ReadTextFileResponse] {
	return func(ctx context.Context) (*acp.ReadTextFileResponse, error) {
		real, err := resolve(r.Path)
		if err != nil {
			return nil, err
		}
		if err := s.AllowRead(ctx, real, r); err != nil {
			return nil, err
		}

		s.NoteRead(real)
		w.store.Named(s.LocalID(), r.Path, real)

		snap, text, err := w.current(ctx, real)
		if err != nil {
			return nil, err
		}
		if snap.Buf == 0 {
			return w.readDisk(s, real, r)
		}

		part, err := buffers.Slice(text, r.Line, r.Limit)
		if err != nil {
			return nil, fileError(r.Path, err)
		}

		w.setBaseOfPart(s, real, text, r)
		return &acp.ReadTextFileResponse{Content: part}, nil
	}
}

// current returns a file's buffer, if it has one, and its text with the disk's changes since. It waits for Neovim.
func (w *Workspace) current(ctx context.Context, real string) (Snapshot, string, error) {
	for {
		before := w.versions.mark(real)
		snap, err := w.snapshot(ctx, real, false)
		if err != nil || snap.Buf == 0 {
			return snap, "", err
		}
		text, err := w.currentText(ctx, real, snap)
		if err != nil || w.versions.mark(real) == before {
			return snap, text, err
		}
		// Merged or saved since the snapshot: what counted as the buffer's version was not that snapshot's.
	}
}

// listed is current of a file that was listed. What its buffer had then is used unless the file has been merged or saved since.
func (w *Workspace) listed(ctx context.Context, m Modified) (Snapshot, string, error) {
	switch {
	case !m.read:
		return w.current(ctx, m.Real)
	case m.snap.Buf == 0:
		return m.snap, "", nil
	}

	text, err := w.currentText(ctx, m.Real, m.snap)
	if err != nil || w.versions.mark(m.Real) == m.mark {
		return m.snap, text, err
	}
	return w.current(ctx, m.Real)
}

// currentText returns the text of a buffer, with the disk's changes since (behaviours 28 and 29).
func (w *Workspace) currentText(ctx context.Context, real string, snap Snapshot) (string, error) {
	text := snap.whole()
	known := w.versions.knows(real)
	if snap.Special || known && !w.versions.differsNow(real) || !known && snap.Modified {
		return text, nil
	}

	d, err := w.settledDiskEdit(ctx, real, snap)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil: // gone, or no text any more: what is on the screen counts
		return text, nil
	case w.windows.has(real): // it will be merged into the buffer
		w.Poke()
		if !snap.Modified {
			return d.content(snap), nil
		}
		return snap.content(d.merged.Lines), nil
	case snap.Modified:
		if w.versions.warn(real, d.stat) {
			w.options.Warn(filepath.Base(real) + " has changed on disk; the agent reads your unsaved text")
		}
		return text, nil
	}

	caught.Go(func() { _ = w.editor.DiskChanged(context.Background(), real) }) // ends when Neovim answers or goes away
	return d.content(snap), nil
}

// readDisk answers a read of a file that is not loaded.
func (w *Workspace) readDisk(s Session, real string, r *acp.ReadTextFileRequest) (*acp.ReadTextFileResponse, error) {
	maxRead := w.options.Settings().MaxRead
	f, err := buffers.ReadReal(real, r.Line, r.Limit, maxRead)
	setUnread(w.store, s, real, err)
	if errors.Is(err, os.ErrNotExist) && buffers.Inside(s.Roots(), real) && s.MissingIsEmpty() { // behaviour 27
		return &acp.ReadTextFileResponse{}, nil
	}
	if err == nil {
		err = w.options.Opened(s, real, f.Stat)
	}
	if err != nil {
		return nil, fileError(r.Path, err)
	}

	if r.Line == nil && r.Limit == nil {
		_ = w.store.SetAgentOnDisk(s.LocalID(), real, f.Text) // for the error see setBase
	} else if whole, err := buffers.ReadReal(real, nil, nil, maxRead); err == nil && whole.Stat.Equal(f.Stat) { // else it is too large
		w.setBaseOfPart(s, real, whole.Text, r)
	}

	return &acp.ReadTextFileResponse{Content: f.Text}, nil
}

// setUnread remembers what an agent has seen that could not read a file: nothing where there is none, so that what it writes is merged
// with what others create meanwhile. An agent that knows that a file is binary replaces it.
func setUnread(store *buffers.Store, s Session, real string, err error) {
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		_ = store.SetAgentOnDisk(s.LocalID(), real, "") // for the error see setBase
	case errors.Is(err, buffers.ErrNotText):
		store.ForgetAgent(s.LocalID(), real)
	}
}

// setBase remembers what the agent has seen of a file: the base of its next write. An error of the store, which is full or
// broken, makes that merge less exact and nothing else.
func (w *Workspace) setBase(s Session, real, text string) {
	_ = w.store.SetAgent(s.LocalID(), real, text)
}

// setBaseOnDisk is setBase of a text that the agent has written to the disk.
func (c claim) setBaseOnDisk(s Session, text string) {
	_ = c.store.SetAgentOnDisk(s.LocalID(), c.real, text)
}

// setBaseOfPart is setBase for a read that may be of a part of a text. The other lines are as the agent has seen them before;
// if it has seen none, it counts as having seen all.
func (w *Workspace) setBaseOfPart(s Session, real, text string, r *acp.ReadTextFileRequest) {
	known, ok := w.store.Agent(s.LocalID(), real)
	if !ok || r.Line == nil && r.Limit == nil || known == text {
		w.setBase(s, real, text)
		return
	}

	first, count := 0, math.MaxInt32
	if r.Line != nil && *r.Line > 0 {
		first = int(*r.Line) - 1
	}
	if r.Limit != nil {
		count = int(*r.Limit)
	}

	before, now := buffers.Parse(known), buffers.Parse(text)
	now.Lines = buffers.Seen(before.Lines, now.Lines, first, count)
	w.setBase(s, real, now.String())
}

// resolve returns the real path of a path that an agent names.
func resolve(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", acp.Errorf(acp.CodeInvalidParams, "path %q is not absolute", path)
	}
	real, err := buffers.Real(path)
	if err != nil {
		return "", fileError(path, err)
	}
	return real, nil
}

// fileError returns an error about a file as the agent gets it.
func fileError(path string, err error) error {
	var e *acp.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return acp.Errorf(acp.CodeResourceNotFound, "no such file: %s", path)
	case errors.Is(err, buffers.ErrRange), errors.Is(err, buffers.ErrRelative), errors.Is(err, buffers.ErrNotRegular):
		return acp.Errorf(acp.CodeInvalidParams, "%s: %v", path, err)
	}
	return acp.Errorf(acp.CodeInternal, "%v", err)
}
