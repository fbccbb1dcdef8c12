package files

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// maxShown is the most bytes of a file on the disk that is shown in part.
const maxShown = 4 << 20

// Shown returns the text of a file for display, as its buffer has it, else as the disk does. No agent is taken to have read it.
// It waits for the disk, and for Neovim where that has the file, or may have one that was never saved.
func (w *Workspace) Shown(ctx context.Context, path string) (text string, ok bool) {
	real, err := resolve(path)
	if err != nil {
		return "", false
	}

	f, err := buffers.ReadReal(real, nil, nil, maxShown)
	if w.versions.knows(real) || errors.Is(err, fs.ErrNotExist) && regular.Exists(filepath.Dir(real)) {
		if snap, err := w.unreported(ctx, real, false); err == nil && snap.Buf != 0 {
			return snap.whole(), true
		}
	}
	return f.Text, err == nil
}
