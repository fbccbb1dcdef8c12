// Package checkpoint keeps what folders hold at a moment, so that later changes can be listed and taken back.
//
// Each folder has a private Git repository below the store's folder. Its objects are its own, those of the user's repository
// are borrowed as alternates; the user's index, refs, stash, hooks and configuration are read at most, never written. The
// callers own the goroutines: every method of [Store] may take seconds, and is safe for concurrent use.
package checkpoint

import (
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/host/paths"
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
	Rules   map[string]string `json:"rules,omitempty"`   // lists of ignored files that are ignored themselves, with a hash of each

	Folders []Folder `json:"folders,omitempty"` // that do not come back as they were by their files

	Checked  bool     `json:"-"` // compared with the rules for ignored files of an earlier checkpoint, which were others
	Hidden   []string `json:"-"` // absolute paths of files and folders that are ignored only since that, and not in the tree
	Doubtful []string `json:"-"` // absolute paths of files that may have been there then, ignored
}

// Missing is a folder without a checkpoint, and why.
type Missing struct {
	Root   string `json:"root"`
	Reason string `json:"reason"`
}

// repository returns the private repository for the working tree at top, opened at first use.
func (s *Store) repository(top string) *repository {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repos[top]
	if r == nil {
		r = &repository{
			top: top, dir: filepath.Join(s.dir, folderName(top)), private: s.private, limits: s.limits, now: s.now,
			pinned: map[string]bool{},
		}
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
