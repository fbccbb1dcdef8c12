package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// refs are named by the day on which a tree or a text was last part of a checkpoint, so that old ones can be told.
const refs, day = "refs/checkpoints/", "2006-01-02"

// keep holds on to what a checkpoint consists of, until it is pruned.
func (r *repository) keep(tree Tree) error {
	today := r.now().UTC().Format(day)
	ids := []string{tree.ID}
	for _, blob := range tree.Unsaved {
		if !slices.Contains(ids, blob) {
			ids = append(ids, blob)
		}
	}

	for _, id := range ids {
		name := today + "/" + id
		if r.pinned[name] {
			continue
		}
		if err := r.put(refs+name, id+"\n"); err != nil {
			return err
		}
		r.pinned[name] = true
	}

	return r.put("used", r.now().Format(time.RFC3339Nano)+"\n")
}

// Prune deletes what was part of no checkpoint for the time of age, and goes on with younger days until the objects that are
// stored take at most size bytes; what was kept today stays. Repositories in use by another process, and those whose folder
// is gone for as long, are passed over or deleted. It may take seconds.
func (s *Store) Prune(ctx context.Context, age time.Duration, size int64) error {
	s.calls.RLock()
	defer s.calls.RUnlock()
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}

	var errs []error
	for _, entry := range entries {
		top, err := regular.ReadFile(filepath.Join(s.dir, entry.Name(), "complete"))
		if err != nil {
			errs = append(errs, s.sweep(entry, age))
			continue
		}
		r := s.repository(strings.TrimSuffix(string(top), "\n"))
		errs = append(errs, r.prune(ctx, age, size))
	}

	return errors.Join(errs...)
}

// sweep deletes a repository that is not whole, or was set aside, once it is old.
func (s *Store) sweep(entry os.DirEntry, age time.Duration) error {
	info, err := entry.Info()
	if err != nil || !entry.IsDir() || s.now().Sub(info.ModTime()) < age {
		return nil
	}
	return os.RemoveAll(filepath.Join(s.dir, entry.Name()))
}

func (r *repository) prune(ctx context.Context, age time.Duration, size int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()

	soon, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	lock, err := r.lock(soon, syscall.LOCK_EX)
	if err != nil {
		return nil // in use
	}

	defer func() { _ = lock.Close() }()

	if !regular.Exists(r.top) {
		return r.abandon(age)
	}

	out, err := r.git(ctx, lock, nil, "for-each-ref", "--format=%(refname)", refs)
	if err != nil {
		return fmt.Errorf("prune checkpoints of %s: %w", r.top, err)
	}

	days := map[string][]string{}
	for ref := range strings.FieldsSeq(string(out)) {
		date, _, _ := strings.Cut(strings.TrimPrefix(ref, refs), "/")
		days[date] = append(days[date], ref)
	}

	oldest := r.now().Add(-age).UTC().Format(day)
	today := r.now().UTC().Format(day)
	dates := slices.Sorted(maps.Keys(days))
	pruned := false
	for _, date := range dates {
		if date >= today || date >= oldest && r.size() <= size {
			break
		}
		if err := r.drop(ctx, lock, days[date]); err != nil {
			return fmt.Errorf("prune checkpoints of %s: %w", r.top, err)
		}
		pruned = true
	}

	if !pruned && r.loose() < 2000 && !regular.Exists(filepath.Join(r.dir, takenOut)) {
		return nil
	}

	return r.pack(ctx, lock)
}

// drop deletes refs, and the objects that only they kept.
func (r *repository) drop(ctx context.Context, lock *os.File, names []string) error {
	var input strings.Builder
	for _, name := range names {
		input.WriteString("delete " + name + "\n")
	}
	if _, err := r.git(ctx, lock, strings.NewReader(input.String()), "update-ref", "--stdin"); err != nil {
		return err
	}
	clear(r.pinned)
	return r.pack(ctx, lock)
}

// pack writes what is kept into one file and deletes the rest. Objects of the user's repository stay there.
func (r *repository) pack(ctx context.Context, lock *os.File) error {
	if err := r.pruneTrees(ctx, lock); err != nil {
		return err
	}
	if _, err := r.git(ctx, lock, nil, "repack", "-a", "-d", "-l", "-q"); err != nil {
		return err
	}
	if _, err := r.git(ctx, lock, nil, "prune", "--expire=now"); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(r.dir, takenOut)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}

	return nil
}

// pruneTrees deletes the trees and commits that no checkpoint needs. Git's own prune would also delete those that are in a pack of the
// user's.
func (r *repository) pruneTrees(ctx context.Context, lock *os.File) error {
	out, err := r.git(ctx, lock, nil, "for-each-ref", "--format=%(objectname)", refs)
	if err != nil {
		return err
	}

	roots := "HEAD\n"
	for id := range strings.FieldsSeq(string(out)) {
		if regular.Exists(filepath.Join(r.dir, treesDir, id[:2], id[2:])) {
			roots += id + "\n"
		}
	}

	out, err = r.treesOnly(ctx, lock, strings.NewReader(roots), "rev-list", "--objects", "--no-object-names", "--filter=blob:none",
		"--stdin")
	if err != nil {
		return err
	}

	needed := map[string]bool{}
	for id := range strings.FieldsSeq(string(out)) {
		needed[id] = true
	}

	top := filepath.Join(r.dir, treesDir)
	return filepath.WalkDir(top, func(path string, entry os.DirEntry, err error) error {
		id := filepath.Base(filepath.Dir(path)) + entry.Name()
		if err != nil || !entry.Type().IsRegular() || needed[id] || !isLoose(entry.Name()) {
			return err
		}
		return os.Remove(path)
	})
}

// abandon deletes the checkpoints of a folder that is gone, once they are old.
func (r *repository) abandon(age time.Duration) error {
	text, _ := regular.ReadFile(filepath.Join(r.dir, "used"))
	used, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(string(text)))
	if err == nil && r.now().Sub(used) < age {
		return nil
	}
	r.opened = false
	return os.RemoveAll(r.dir)
}

// size is how many bytes the stored objects take on the disk.
func (r *repository) size() int64 {
	var bytes int64
	for _, dir := range []string{"objects", treesDir} {
		_ = filepath.WalkDir(filepath.Join(r.dir, dir), func(_ string, entry os.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				if info, err := entry.Info(); err == nil {
					bytes += info.Size()
				}
			}
			return nil
		})
	}
	return bytes
}

// loose is about how many objects have a file of their own, told from one of the 256 folders as Git does.
func (r *repository) loose() int {
	entries, _ := os.ReadDir(filepath.Join(r.dir, "objects", "17"))
	return len(entries) * 256
}
