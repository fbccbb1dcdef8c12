package checkpoint

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Complete returns a checkpoint with the folders that it misses and an earlier one has, as far as they can be compared: what destroys a
// folder, or the repository of the user's in it, must not keep what it has destroyed from being known. So it has the files that are ignored
// only since then. It waits for the disk.
func (s *Store) Complete(ctx context.Context, before, after Checkpoint) Checkpoint {
	s.calls.RLock()
	defer s.calls.RUnlock()
	out := Checkpoint{Time: after.Time, Trees: slices.Clone(after.Trees), Missing: slices.Clone(after.Missing)}
	for i, tree := range out.Trees {
		old, ok := before.tree(tree.Top, tree.Path)
		if !ok {
			continue
		}
		if with, err := s.unhide(ctx, old, tree); err == nil {
			out.Trees[i] = with // else it is not known which of its files are new, which Diff says
		}
	}

	if len(out.Missing) == 0 {
		return out
	}
	for _, tree := range before.Trees {
		folder := filepath.Join(tree.Top, tree.Path)
		if _, ok := after.tree(tree.Top, tree.Path); ok || !after.missing(folder) {
			continue
		}
		now, err := s.takeLost(ctx, tree)
		if err != nil {
			continue // why it is missing is known
		}
		out.Trees = append(out.Trees, now)
		out.Missing = slices.DeleteFunc(out.Missing, func(m Missing) bool { return m.Root == folder })
	}

	return out
}

// takeLost makes a checkpoint of a folder that one before it has, without asking anything of the user's repository: nothing is in a folder
// that is gone, or that is something else now.
func (s *Store) takeLost(ctx context.Context, before Tree) (Tree, error) {
	if info, err := os.Lstat(filepath.Join(before.Top, before.Path)); err != nil || !info.IsDir() {
		return Tree{Top: before.Top, Path: before.Path, Ignore: before.Ignore}, nil
	}

	ctx, cancel := context.WithTimeoutCause(ctx, s.limits.Time, errTooSlow)
	defer cancel()
	r := s.repository(before.Top)
	lock, release, err := r.acquire(ctx, syscall.LOCK_EX)
	if err != nil {
		return Tree{}, err
	}

	defer release()
	if err := r.unlock(); err != nil {
		return Tree{}, err
	}

	from, orphaned := r.from, r.orphaned
	r.from, r.orphaned = source{}, true
	defer func() { r.from, r.orphaned = from, orphaned }()
	for _, step := range []func() error{r.ignore, func() error { return r.readHead(ctx, lock) }} {
		if err := step(); err != nil {
			return Tree{}, err
		}
	}

	tree, _, err := r.snapshot(ctx, lock, before.Path)
	if errors.Is(err, errTooLarge) { // the turn has flooded it: what was there before is known all the same
		r.onlyKnown = true
		defer func() { r.onlyKnown = false }()
		tree, _, err = r.snapshot(ctx, lock, before.Path)
	}

	return tree, err
}
