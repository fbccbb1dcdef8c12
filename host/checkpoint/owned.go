package checkpoint

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// Git knows of modes only whether a file may be executed. A file that only its owner may read must not come back for everyone, so
// their names are kept beside the trees.

// isOwned reports whether only its owner may read a file that is there.
func isOwned(e fs.DirEntry) bool {
	if !e.Type().IsRegular() {
		return false
	}
	info, err := e.Info()
	return err == nil && info.Mode().Perm()&0o077 == 0
}

// noteOwned brings up to date which of some files, and of those that it knows, only their owner may read. What is gone stays as it was.
func (r *repository) noteOwned(names []string) error {
	if err := r.readOwned(); err != nil {
		return err
	}

	changed := false
	for _, name := range slices.AppendSeq(names, maps.Keys(r.owned)) {
		path := filepath.Join(r.top, name)
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() || r.returning.has(path) {
			continue
		}
		if own := info.Mode().Perm()&0o077 == 0; own != r.owned[name] {
			r.owned[name], changed = own, true
		}
	}

	if !changed {
		return nil
	}

	maps.DeleteFunc(r.owned, func(_ string, own bool) bool { return !own })
	return r.put("owned", strings.Join(slices.Sorted(maps.Keys(r.owned)), "\x00"))
}

// readOwned reads the names again, which another process may have changed.
func (r *repository) readOwned() error {
	r.owned = map[string]bool{}
	text, err := regular.ReadFile(filepath.Join(r.dir, "owned"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for name := range strings.SplitSeq(string(text), "\x00") {
		if name != "" {
			r.owned[name] = true
		}
	}
	return nil
}

// Returns says that the file at an absolute path comes back: checkpoints do not look at its mode before done is called. It reports what
// Owned does, and waits for the disk.
func (s *Store) Returns(path string) (own bool, done func()) {
	s.returning.add(path, 1)
	return s.Owned(path), func() { s.returning.add(path, -1) }
}

// Owned reports whether only its owner could read the file at an absolute path, as far as checkpoints of this process know. It
// waits for the disk.
func (s *Store) Owned(path string) bool {
	s.mu.Lock()
	var in *repository
	for top, r := range s.repos {
		if paths.Below(path, top) && (in == nil || len(top) > len(in.top)) {
			in = r
		}
	}

	s.mu.Unlock()

	if in == nil {
		return false
	}

	name, err := filepath.Rel(in.top, path)
	if err != nil {
		return false
	}

	in.mu.Lock()
	defer in.mu.Unlock()

	return in.readOwned() == nil && in.owned[name]
}
