package files

import (
	"context"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// maxShown is the most bytes of a file on the disk that is shown in part.
const maxShown = 4 << 20

// Shown returns the text of a file for display, as its buffer has it, else as the disk does. No agent is taken to have read it.
// It waits for Neovim and the disk.
func (w *Workspace) Shown(ctx context.Context, path string) (text string, ok bool) {
	real, err := resolve(path)
	if err != nil {
		return "", false
	}
	if snap, err := w.unreported(ctx, real, false); err == nil && snap.Buf != 0 {
		return snap.whole(), true
	}

	f, err := buffers.ReadReal(real, nil, nil, maxShown)
	return f.Text, err == nil
}
