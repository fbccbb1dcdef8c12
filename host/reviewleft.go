package host

import (
	"context"
	"time"

	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/review"
)

// leaves notes which files are loaded in a Neovim that leaves now: what is not saved there will be gone. It does not wait.
func (r *reviewer) leaves(paths []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left = map[string]bool{}
	for _, path := range paths {
		r.left[path] = true
	}
}

// drop takes in that what was not saved of a file in a Neovim that has left is gone: it is not an agent who has removed it. What the
// file has by now is an agent's doing only if one is at work, or was.
func (r *reviewer) drop(path string, agents bool) {
	r.mu.Lock()
	left := r.left[path]
	delete(r.left, path)
	r.mu.Unlock()
	if !left || !agents {
		return
	}
	if saved, ok := r.host.files.LastDisk(path); ok {
		r.desk.Observe(path, review.Content(saved))
	}
}

// catchUp takes in what has become of files since a Neovim has left: as soon as another has them loaded, what differs is the user's
// doing. It waits for the disk, maxCatchUp at most.
func (r *reviewer) catchUp() {
	ctx, stop := context.WithTimeout(context.Background(), maxCatchUp)
	defer stop()
	for _, path := range r.desk.Paths() {
		_ = r.host.files.Look(ctx, path, func(v files.View) error { // one that cannot be read stays as it is
			r.observe(path, v)
			return nil
		})
	}
}

const maxCatchUp = 200 * time.Millisecond
