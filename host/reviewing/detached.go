package reviewing

import (
	"context"
	"time"

	"github.com/nvim-acp/nvim-acp/host/files"
)

// DetachEditor notes which files are loaded in a Neovim that leaves now: what is not saved there will be gone. It does not wait.
func (r *Review) DetachEditor(loaded []string) { r.left.set(loaded) }

// AttachEditor has all marks, and the list, drawn by a Neovim that knows nothing of them. It does not wait.
func (r *Review) AttachEditor() { r.Poke(r.ledger.Paths()...) }

// maxCatchUp is how long CatchUp waits for the disk.
const maxCatchUp = 200 * time.Millisecond

// CatchUp takes in what has become of files since a Neovim has left: as soon as another has them loaded, what differs is the user's
// doing. It waits for the disk, maxCatchUp at most.
func (r *Review) CatchUp() {
	ctx, stop := context.WithTimeout(context.Background(), maxCatchUp)
	defer stop()

	for _, path := range r.ledger.Paths() {
		_ = r.files.Look(ctx, path, func(v files.View) error { // one that cannot be read stays as it is
			r.observe(path, v)
			return nil
		})
	}
}
