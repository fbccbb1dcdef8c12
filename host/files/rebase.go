package files

import (
	"context"
	"errors"
	"os"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// ErrOverlap says that what was to be changed has been changed by others meanwhile.
var ErrOverlap = errors.New("the same lines have been changed meanwhile")

// Rebase returns the text that a file is to get, which was made from an older version of it, with what others have changed in the
// file since then. The agent counts as having seen the file as it is now. It waits for Neovim. Where both have changed the same
// lines it returns [ErrOverlap], unless a buffer has the file: there a write marks the conflict.
func (w *Workspace) Rebase(ctx context.Context, s Session, real, old, text string) (string, error) {
	snap, now, err := w.current(ctx, real)
	if err != nil {
		return "", err
	}
	if snap.Buf == 0 {
		f, err := buffers.ReadReal(real, nil, nil, w.options.Settings().MaxRead)
		if errors.Is(err, os.ErrNotExist) {
			return "", ErrOverlap
		}
		if err != nil {
			return "", fileError(real, err)
		}
		now = f.Text
	}
	if now == old {
		w.setBase(s, real, now)
		return text, nil
	}
	if snap.Buf != 0 {
		w.setBase(s, real, old) // the write merges it
		return text, nil
	}

	theirs := buffers.Parse(text)
	ours := buffers.Parse(now)
	merged := buffers.Merge(buffers.Parse(old).Lines, ours.Lines, theirs.Lines)
	if len(merged.Conflicts) > len(buffers.Conflicts(ours.Lines)) {
		return "", ErrOverlap
	}
	theirs.Lines = merged.Lines
	w.setBase(s, real, now)
	return theirs.String(), nil
}
