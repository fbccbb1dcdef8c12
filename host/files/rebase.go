package files

import (
	"context"
	"errors"
	"os"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
)

// ErrOverlap says that what was to be changed has been changed by others meanwhile.
var ErrOverlap = errors.New("the same lines have been changed meanwhile")

// Rebase returns the text that a file is to get, which was made from an older version of it, with what others have changed in the
// file since then, and the version that it is based on, for [Workspace.WriteFrom]. It waits for Neovim. Where both have changed the same
// lines it returns [ErrOverlap], unless a buffer has the file: there a write marks the conflict.
func (w *Workspace) Rebase(ctx context.Context, real, old, text string) (rebased, base string, err error) {
	r, err := w.rebase(ctx, real, old, text)
	return r.text, r.base, err
}

// WriteFrom is [Workspace.Write] of a text that is based on a version of the file. Only when it has succeeded counts the agent as having
// seen the file.
func (w *Workspace) WriteFrom(s Session, r *acp.WriteTextFileRequest, base string) acp.Answer[*acp.WriteTextFileResponse] {
	return w.Write(based{s, base}, r)
}

// seen returns the version of a file that a session's agent has seen; false if it has seen none.
func (w *Workspace) seen(s Session, real string) (string, bool) {
	if b, ok := s.(based); ok {
		return b.base, true
	}
	return w.store.Agent(s.LocalID(), real)
}

// since returns the versions that the disk has had since a session's agent has seen a file.
func (w *Workspace) since(s Session, real string) [][]byte {
	if _, ok := s.(based); ok {
		return nil
	}
	return w.store.Since(s.LocalID(), real)
}

// ErrCreated says that a file that was to be created has been created by others meanwhile.
var ErrCreated = errors.New("it has been created meanwhile; read it, then edit it")

// CheckMissing returns [ErrCreated] if there is a file, or a buffer for it that has text. It waits for Neovim.
func (w *Workspace) CheckMissing(ctx context.Context, real string) error {
	snap, now, err := w.current(ctx, real)
	if err != nil {
		return err
	}
	if _, err := os.Stat(real); err == nil || snap.Buf != 0 && now != "" {
		return ErrCreated
	}
	return nil
}

// CheckChange returns the error that [Workspace.Rebase] and a write of its text would return now, as far as it is known without
// writing; with whole also [ErrOverlap] where the write would mark a conflict. It waits for Neovim.
func (w *Workspace) CheckChange(ctx context.Context, real, old, text string, whole bool) error {
	r, err := w.rebase(ctx, real, old, text)
	switch {
	case err != nil:
		return err
	case whole && r.overlaps:
		return ErrOverlap
	case !r.loaded:
		return buffers.CheckFile(real, r.text)
	}

	snap, err := w.unreported(ctx, real, true)
	if err == nil && snap.Refused != "" {
		err = errors.New(snap.Refused)
	}

	return err
}

// rebased is a text for a file that others may have changed.
type rebased struct {
	base, text string
	loaded     bool
	overlaps   bool // a write would mark a conflict
}

func (w *Workspace) rebase(ctx context.Context, real, old, text string) (rebased, error) {
	snap, now, err := w.current(ctx, real)
	if err != nil {
		return rebased{}, err
	}
	if snap.Buf == 0 {
		f, err := buffers.ReadReal(real, nil, nil, w.options.Settings().MaxRead)
		if errors.Is(err, os.ErrNotExist) {
			return rebased{}, ErrOverlap
		}
		if err != nil {
			return rebased{}, fileError(real, err)
		}
		now = f.Text
	}
	if now == old {
		return rebased{base: now, text: text, loaded: snap.Buf != 0}, nil
	}

	theirs := buffers.Parse(text)
	ours := buffers.Parse(now)
	merged := buffers.Merge(buffers.Parse(old).Lines, ours.Lines, theirs.Lines)
	overlaps := len(merged.Conflicts) > len(buffers.Conflicts(ours.Lines))
	switch {
	case snap.Buf != 0:
		return rebased{base: old, text: text, loaded: true, overlaps: overlaps}, nil // the write merges it
	case overlaps:
		return rebased{}, ErrOverlap
	}

	theirs.Lines = merged.Lines
	return rebased{base: now, text: theirs.String()}, nil
}
