package checkpoint

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// Take makes a checkpoint of the folders at roots, absolute paths, and of each Git repository within them. A folder that fails
// is among Missing of the result, and the others are not affected; ctx ends all of it.
func (s *Store) Take(ctx context.Context, roots []string) Checkpoint {
	return s.TakeAfter(ctx, roots, nil)
}

// TakeAfter is Take that looks at no file before ready is closed; nil: at once. Git prepares the folders meanwhile.
func (s *Store) TakeAfter(ctx context.Context, roots []string, ready <-chan struct{}) Checkpoint {
	s.calls.RLock()
	defer s.calls.RUnlock()
	c := Checkpoint{Time: s.now()}

	pending := slices.Clone(roots)
	done := map[string]bool{}
	nested := 0
	for len(pending) > 0 {
		root := pending[0]
		pending = pending[1:]
		if done[root] {
			continue
		}

		done[root] = true

		tree, inner, err := s.take(ctx, root, ready)
		if err != nil && filepath.IsAbs(root) && !regular.Exists(root) {
			err = errGone // the system says only that Git could not be started there
		}
		if err != nil {
			c.Missing = append(c.Missing, Missing{Root: root, Reason: err.Error()})
			continue
		}

		c.Trees = append(c.Trees, tree)
		for _, repo := range inner {
			if nested++; nested > s.limits.Nested {
				c.Missing = append(c.Missing,
					Missing{Root: repo, Reason: fmt.Sprintf("more than %d repositories within one folder", s.limits.Nested)})
				continue
			}
			pending = append(pending, repo)
		}
	}

	return c
}

// take makes the checkpoint of one folder and returns the repositories found within it.
func (s *Store) take(ctx context.Context, root string, ready <-chan struct{}) (Tree, []string, error) {
	if err := suitable(root); err != nil {
		return Tree{}, nil, err
	}

	soon, cancel := context.WithTimeoutCause(ctx, s.limits.Time, errTooSlow)
	defer cancel()

	top, path := worktree(soon, root)
	r := s.repository(top)
	tree, inner, err := r.take(soon, path, ready)
	if err == nil {
		s.beginHold(ctx, r)
	}

	return tree, inner, err
}

// AddUnsaved returns a checkpoint with the texts of buffers that differ from their files, by absolute path. A folder whose texts cannot be
// kept is among Missing of the result; ctx ends all of it.
func (s *Store) AddUnsaved(ctx context.Context, c Checkpoint, texts map[string]string) Checkpoint {
	s.calls.RLock()
	defer s.calls.RUnlock()
	added := Checkpoint{Time: c.Time, Missing: slices.Clone(c.Missing)}
	for _, tree := range c.Trees {
		if mine := own(tree.Top, tree.Path, texts); len(mine) > 0 {
			var err error
			if tree.Unsaved, err = s.store(ctx, tree.Top, mine); err != nil {
				added.Missing = append(added.Missing, Missing{Root: filepath.Join(tree.Top, tree.Path), Reason: err.Error()})
				continue
			}
		}
		added.Trees = append(added.Trees, tree)
	}

	return added
}

func (s *Store) store(ctx context.Context, top string, texts map[string]string) (map[string]string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.limits.Time, errTooSlow)
	defer cancel()
	return s.repository(top).store(ctx, texts)
}

// suitable refuses folders of which no user means all.
func suitable(root string) error {
	if !filepath.IsAbs(root) {
		return fmt.Errorf("%s is not an absolute path", root)
	}

	info, err := os.Stat(root)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", root)
	}
	if link, err := os.Lstat(root); err != nil || !link.IsDir() {
		return fmt.Errorf("%s is a link now", root)
	}
	if home, err := os.UserHomeDir(); err == nil && paths.Below(home, root) && !regular.Exists(filepath.Join(root, ".git")) {
		return fmt.Errorf("%s is too large a folder: open the chat in a project", root)
	}

	return nil
}

// own returns the texts whose files are below the folder path of top.
func own(top, path string, unsaved map[string]string) map[string]string {
	folder := filepath.Join(top, path)
	mine := map[string]string{}
	for file, text := range unsaved {
		if paths.Below(file, folder) {
			mine[file] = text
		}
	}
	return mine
}
