package checkpoint

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/nvim-acp/nvim-acp/host/paths"
)

// Find returns the version of the file at an absolute path on the disk. The second result is false if the checkpoint does
// not know: no folder of it has the path, or the file was skipped. A file that did not exist is the zero version and true;
// so is an ignored one, of which a checkpoint has nothing.
func (s *Store) Find(ctx context.Context, c Checkpoint, path string) (Version, bool, error) {
	tree, ok := c.holding(path)
	if !ok || slices.Contains(tree.Skipped, path) {
		return Version{}, false, nil
	}
	name, err := filepath.Rel(tree.Top, path)
	if err != nil {
		return Version{}, false, err
	}
	r := s.repository(tree.Top)
	r.mu.Lock()
	defer r.mu.Unlock()
	lock, err := r.lock(ctx, syscall.LOCK_SH)
	if err != nil {
		return Version{}, false, err
	}
	defer func() { _ = lock.Close() }()
	out, err := r.objects(ctx, lock, nil, "ls-tree", "-z", "--full-tree", tree.ID, "--", name)
	if err != nil {
		return Version{}, false, fmt.Errorf("look into a checkpoint of %s: %w", tree.Top, err)
	}
	head, _, _ := strings.Cut(string(out), "\t")
	fields := strings.Fields(head) // mode, type, blob
	if len(fields) != 3 || fields[1] != "blob" {
		return Version{}, true, nil
	}
	return Version{Top: tree.Top, Blob: fields[2], Mode: fields[0]}, true, nil
}

// holding returns the innermost tree that has the path.
func (c Checkpoint) holding(path string) (Tree, bool) {
	var best Tree
	for _, tree := range c.Trees {
		if paths.Below(path, filepath.Join(tree.Top, tree.Path)) && len(tree.Top) >= len(best.Top) {
			best = tree
		}
	}
	return best, best.Top != ""
}

// Unsaved returns the text that a buffer had for the file at an absolute path, if it differed from the file.
func (c Checkpoint) Unsaved(path string) (Version, bool) {
	for _, tree := range c.Trees {
		if blob, ok := tree.Unsaved[path]; ok {
			return Version{Top: tree.Top, Blob: blob, Mode: "100644"}, true
		}
	}
	return Version{}, false
}
