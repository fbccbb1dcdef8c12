// Package checkpoint keeps what folders hold at a moment, so that later changes can be listed and taken back.
//
// Each folder has a private Git repository below the store's folder. Its objects are its own, those of the user's repository
// are borrowed as alternates; the user's index, refs, stash, hooks and configuration are read at most, never written. The
// callers own the goroutines: every method of [Store] may take seconds, and is safe for concurrent use.
package checkpoint

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// Limits bound what one checkpoint of one folder may cost. What is beyond them is left out, and the checkpoint says so.
type Limits struct {
	Time   time.Duration // of each folder; beyond it, the folder has no checkpoint
	File   int64         // bytes of one file; a larger one is skipped
	Bytes  int64         // of all files that are new to the store together; beyond it, the folder has no checkpoint
	Files  int           // that are new to the store; beyond it, the folder has no checkpoint
	Nested int           // repositories within one folder that get a checkpoint of their own
}

// DefaultLimits are for folders of source code.
var DefaultLimits = Limits{Time: 20 * time.Second, File: 8 << 20, Bytes: 512 << 20, Files: 200_000, Nested: 64}

// Store keeps checkpoints of any number of folders below one folder of its own. Several processes may use it at once.
type Store struct {
	dir     string
	private []string
	limits  Limits
	now     func() time.Time
	calls   sync.RWMutex // held for reading by whoever may run Git

	returning returning

	mu    sync.Mutex // guards the map; a repository has a lock of its own
	repos map[string]*repository
}

// Open returns the store below dir, which need not exist yet: the first checkpoint makes it, readable by its owner only. What is
// in it, and in the further private folders, is part of no checkpoint.
func Open(dir string, limits Limits, private ...string) *Store {
	return &Store{dir: dir, private: append(private, dir), limits: limits, now: time.Now, repos: map[string]*repository{}}
}

// Close waits for the calls that are under way, which end soon after their contexts. Later ones wait for ever: it is for a process
// that ends.
func (s *Store) Close() { s.calls.Lock() }

// Checkpoint is what some folders held at one moment. It can be kept as JSON and used by a later process, until it is pruned.
type Checkpoint struct {
	Time    time.Time `json:"time"`
	Trees   []Tree    `json:"trees,omitempty"`
	Missing []Missing `json:"missing,omitempty"`
}

// Tree is what one folder held.
type Tree struct {
	Top     string            `json:"top"`               // absolute path of the working tree
	Path    string            `json:"path,omitempty"`    // the folder below Top that the checkpoint is of; "" is all of it
	ID      string            `json:"id"`                // the Git tree of Top; only what is below Path is up to date
	Unsaved map[string]string `json:"unsaved,omitempty"` // blobs of the texts that buffers had, by absolute path
	Ignore  string            `json:"ignore,omitempty"`  // hash of the lists of ignored files outside of the tree
	Skipped []string          `json:"skipped,omitempty"` // absolute paths that are not in the tree: too large or unreadable
	Stamps  map[string]string `json:"stamps,omitempty"`  // of those, sizes and times by which a change is seen
	Git     bool              `json:"git,omitempty"`     // Top is the working tree of a repository of the user's
}

// Missing is a folder without a checkpoint, and why.
type Missing struct {
	Root   string `json:"root"`
	Reason string `json:"reason"`
}

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
				c.Missing = append(c.Missing, Missing{Root: repo, Reason: fmt.Sprintf("more than %d repositories within one folder", s.limits.Nested)})
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

// AddUnsaved returns a checkpoint with the texts of buffers that differ from their files, by absolute path. A folder whose texts cannot be kept
// is among Missing of the result; ctx ends all of it.
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

// repository returns the private repository for the working tree at top, opened at first use.
func (s *Store) repository(top string) *repository {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repos[top]
	if r == nil {
		r = &repository{top: top, dir: filepath.Join(s.dir, folderName(top)), private: s.private, limits: s.limits, now: s.now, pinned: map[string]bool{}}
		r.returning = &s.returning
		s.repos[top] = r
	}
	return r
}

// tree returns the tree of the working tree top and the folder path of it.
func (c Checkpoint) tree(top, path string) (Tree, bool) {
	i := slices.IndexFunc(c.Trees, func(t Tree) bool { return t.Top == top && t.Path == path })
	if i < 0 {
		return Tree{}, false
	}
	return c.Trees[i], true
}

// Has reports whether the checkpoint is of a folder that the path is in.
func (c Checkpoint) Has(path string) bool {
	return slices.ContainsFunc(c.Trees, func(t Tree) bool { return paths.Below(path, filepath.Join(t.Top, t.Path)) }) && !c.missing(path)
}

// missing reports whether the folder, or one that it is in, has no checkpoint.
func (c Checkpoint) missing(folder string) bool {
	return slices.ContainsFunc(c.Missing, func(m Missing) bool { return paths.Below(folder, m.Root) })
}
