package checkpoint

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha1" // the ids of Git
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// Version is what one file held. The zero value is no file.
type Version struct {
	Top  string `json:"top,omitempty"`  // the working tree whose repository has the blob
	Blob string `json:"blob,omitempty"` // id of the bytes; of a link, its target
	Mode string `json:"mode,omitempty"` // 100644, 100755 or 120000, as Git writes them
	Own  bool   `json:"own,omitempty"`  // only its owner could read it; not set by [Store]
}

// IsLink reports whether the file is a symbolic link.
func (v Version) IsLink() bool { return v.Mode == "120000" }

// Change is a file that differs between two checkpoints.
type Change struct {
	Path string // absolute
	Old  Version
	New  Version
}

// Diff lists by path which files differ on the disk between two checkpoints, old before new. Texts of buffers are not
// compared. Folders that either checkpoint misses are left out.
//
// Unclear are files that only the new one has, while what is ignored has changed as well: they may have been there, ignored.
func (s *Store) Diff(ctx context.Context, old, new Checkpoint) (changes []Change, unclear []string, err error) {
	s.calls.RLock()
	defer s.calls.RUnlock()
	ignores := false
	doubtful := map[string]bool{} // what may have been there, if other files are ignored now
	for _, tree := range new.Trees {
		before, ok := old.tree(tree.Top, tree.Path)
		if !ok && old.missing(filepath.Join(tree.Top, tree.Path)) {
			continue
		}
		more, err := s.compare(ctx, tree.Top, tree.Path, before.ID, tree.ID)
		if err != nil {
			return nil, nil, err
		}
		unknown := append(slices.Clone(before.Skipped), tree.Skipped...)
		more = slices.DeleteFunc(more, func(c Change) bool { return slices.Contains(unknown, c.Path) })
		changes = append(changes, more...)
		for _, c := range more {
			doubtful[c.Path] = !tree.Checked || slices.Contains(tree.Doubtful, c.Path)
		}
		ignores = ignores || ok && before.Ignore != tree.Ignore
	}

	for _, tree := range old.Trees {
		if _, ok := new.tree(tree.Top, tree.Path); ok || new.missing(filepath.Join(tree.Top, tree.Path)) {
			continue
		}
		more, err := s.compare(ctx, tree.Top, tree.Path, tree.ID, "")
		if err != nil {
			return nil, nil, err
		}
		changes = append(changes, more...)
	}

	changes = united(changes)

	ignores = ignores || slices.ContainsFunc(changes, func(c Change) bool { return filepath.Base(c.Path) == ignoreFile })
	if ignores {
		changes = slices.DeleteFunc(changes, func(c Change) bool {
			hidden := c.Old == Version{} && filepath.Base(c.Path) != ignoreFile && doubtful[c.Path]
			if hidden {
				unclear = append(unclear, c.Path)
			}
			return hidden
		})
	}

	return changes, unclear, nil
}

// united returns one change for each path, sorted: a file may have moved from one repository to another, since a folder has become
// a repository, or is none any more.
func united(changes []Change) []Change {
	byPath := map[string]Change{}
	for _, c := range changes {
		u := byPath[c.Path]
		u.Path = c.Path
		if (c.Old != Version{}) {
			u.Old = c.Old
		}
		if (c.New != Version{}) {
			u.New = c.New
		}
		byPath[c.Path] = u
	}

	var out []Change
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		if c := byPath[path]; c.Old.Blob != c.New.Blob || c.Old.Mode != c.New.Mode {
			out = append(out, c)
		}
	}

	return out
}

// compare lists what differs below path between two trees of one repository; "" is the empty tree.
func (s *Store) compare(ctx context.Context, top, path, old, new string) ([]Change, error) {
	if old == new {
		return nil, nil
	}

	r := s.repository(top)
	lock, release, err := r.acquire(ctx, syscall.LOCK_SH)
	if err != nil {
		return nil, err
	}

	defer release()

	empty, err := r.treesOnly(ctx, lock, strings.NewReader(""), "hash-object", "-t", "tree", "-w", "--stdin")
	if err != nil {
		return nil, fmt.Errorf("compare checkpoints of %s: %w", top, err)
	}

	none := strings.TrimSpace(string(empty))
	out, err := r.treesOnly(ctx, lock, nil, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames",
		cmp.Or(old, none), cmp.Or(new, none), "--", cmp.Or(path, "."))
	if err != nil {
		return nil, fmt.Errorf("compare checkpoints of %s: %w", top, err)
	}

	return parseRaw(top, out)
}

// parseRaw reads the output of `git diff-tree --raw -z`.
func parseRaw(top string, out []byte) ([]Change, error) {
	var changes []Change
	fields := strings.Split(string(bytes.TrimSuffix(out, []byte{0})), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		head := strings.Fields(strings.TrimPrefix(fields[i], ":")) // modes, blobs, status
		if len(head) != 5 {
			return nil, fmt.Errorf("compare checkpoints of %s: %q is not understood", top, fields[i])
		}
		if !inTree(fields[i+1]) {
			return nil, fmt.Errorf("compare checkpoints of %s: %q cannot be in it", top, fields[i+1])
		}
		changes = append(changes, Change{
			Path: filepath.Join(top, fields[i+1]), Old: version(top, head[2], head[0]), New: version(top, head[3], head[1]),
		})
	}

	return changes, nil
}

// inTree reports whether a path can be one in a tree that Git has made: it is below the top, and in no repository's own folder.
func inTree(path string) bool {
	return filepath.IsLocal(path) && path != "." && filepath.Clean(path) == path &&
		!slices.ContainsFunc(strings.Split(path, "/"), func(name string) bool { return strings.EqualFold(name, ".git") })
}

// version is what a line of a raw diff says of one side.
func version(top, blob, mode string) Version {
	if mode == "000000" {
		return Version{}
	}
	return Version{Top: top, Blob: blob, Mode: mode}
}

// Version returns what a checkpoint has of one file, the zero value if there was none. It reports false if that is not known, as of a
// file that is ignored now, or is still not there.
func (s *Store) Version(ctx context.Context, c Checkpoint, path string) (v Version, known bool, err error) {
	s.calls.RLock()
	defer s.calls.RUnlock()

	var of Tree // of the innermost repository that the file is in
	for _, tree := range c.Trees {
		if paths.Below(path, filepath.Join(tree.Top, tree.Path)) && len(tree.Top) > len(of.Top) {
			of = tree
		}
	}
	if of.ID == "" || c.missing(path) || slices.Contains(of.Skipped, path) {
		return Version{}, false, nil
	}

	r := s.repository(of.Top)
	lock, release, err := r.acquire(ctx, syscall.LOCK_SH)
	if err != nil {
		return Version{}, false, err
	}

	defer release()
	name, err := filepath.Rel(of.Top, path)
	if err != nil {
		return Version{}, false, err
	}

	const format = "--format=%(objectmode) %(objecttype) %(objectname)"
	out, err := r.treesOnly(ctx, lock, nil, "--literal-pathspecs", "ls-tree", "-z", format, of.ID, "--", name)
	if err != nil {
		return Version{}, false, fmt.Errorf("look into a checkpoint of %s: %w", of.Top, err)
	}

	entry := strings.Fields(strings.TrimSuffix(string(out), "\x00"))
	switch {
	case len(entry) == 0 && !regular.Exists(path):
		return Version{}, false, nil
	case len(entry) == 0:
		const literal, standard = "--literal-pathspecs", "--exclude-standard"
		out, err := r.trees(ctx, lock, nil, literal, "ls-files", "-z", "--cached", "--others", standard, "--", name)
		return Version{}, len(out) > 0, err
	case len(entry) != 3 || entry[1] != "blob": // a folder
		return Version{}, false, nil
	}
	return Version{Top: of.Top, Blob: entry[2], Mode: entry[0]}, true, nil
}

// Read returns the bytes of versions, in order; of a link, its target; of the zero version, nil.
func (s *Store) Read(ctx context.Context, versions ...Version) ([][]byte, error) {
	s.calls.RLock()
	defer s.calls.RUnlock()
	byTop := map[string][]int{}
	for i, v := range versions {
		if v.Blob != "" {
			byTop[v.Top] = append(byTop[v.Top], i)
		}
	}

	out := make([][]byte, len(versions))
	for top, list := range byTop {
		if err := s.repository(top).read(ctx, versions, list, out); err != nil {
			return nil, fmt.Errorf("read from a checkpoint of %s: %w", top, err)
		}
	}

	return out, nil
}

// read fills in the bytes of the versions with some indexes.
func (r *repository) read(ctx context.Context, versions []Version, list []int, out [][]byte) error {
	lock, release, err := r.acquire(ctx, syscall.LOCK_SH)
	if err != nil {
		return err
	}

	defer release()
	if !regular.Exists(r.dir) {
		return ErrGone
	}

	var ids strings.Builder
	for _, i := range list {
		ids.WriteString(versions[i].Blob + "\n")
	}

	var got batch
	if err := r.objectsTo(ctx, lock, strings.NewReader(ids.String()), &got, "cat-file", "--batch"); err != nil && got.err == nil {
		return err
	}
	if got.err == nil && (len(got.blobs) != len(list) || got.left > 0) {
		got.err = fmt.Errorf("git cat-file: %d of %d objects", len(got.blobs), len(list))
	}
	if got.err != nil {
		return got.err
	}
	for n, i := range list {
		if !isBlob(versions[i].Blob, got.blobs[n]) {
			return ErrChanged
		}
		out[i] = got.blobs[n]
	}

	return nil
}

// isBlob reports whether bytes are those of a blob. Git does not look: an object file may have been changed.
func isBlob(id string, data []byte) bool {
	h := sha1.New()
	if len(id) == 2*sha256.Size {
		h = sha256.New()
	}
	_, _ = fmt.Fprintf(h, "blob %d\x00", len(data)) // it never fails
	_, _ = h.Write(data)
	return hex.EncodeToString(h.Sum(nil)) == id
}

// batch takes what git cat-file --batch writes: "<id> blob <size>\n<bytes>\n" or "<id> missing\n" for each object. Each gets the memory
// that it needs.
type batch struct {
	blobs [][]byte // those that are there
	err   error
	head  []byte // the beginning of a head
	left  int    // bytes of the last blob that are still to come, with the line end after it
}

// Write takes a part of the output. After an error it takes no more.
func (b *batch) Write(p []byte) (int, error) {
	size := len(p)
	for len(p) > 0 && b.err == nil {
		if b.left > 0 {
			p = b.take(p)
			continue
		}
		head, rest, whole := bytes.Cut(p, []byte{'\n'})
		b.head, p = append(b.head, head...), rest
		if whole {
			b.begin(string(b.head))
			b.head = b.head[:0]
		}
	}

	return size, b.err
}

// take adds to the last blob, and returns what does not belong to it.
func (b *batch) take(p []byte) []byte {
	n := min(b.left, len(p))
	last := &b.blobs[len(b.blobs)-1]
	*last = append(*last, p[:min(n, b.left-1)]...)
	b.left -= n
	return p[n:]
}

func (b *batch) begin(head string) {
	fields := strings.Fields(head)
	if len(fields) == 2 && fields[1] == "missing" {
		b.err = ErrGone
		return
	}

	size, err := -1, error(nil)
	if len(fields) == 3 {
		size, err = strconv.Atoi(fields[2])
	}
	if err != nil || size < 0 {
		b.err = fmt.Errorf("git cat-file: %q is not understood", head)
		return
	}

	b.blobs, b.left = append(b.blobs, make([]byte, 0, size)), size+1
}

// ErrChanged says that the object of a version was changed in its file.
var ErrChanged = errors.New("its object in the repository was changed")

// ErrGone says that a version is not stored any more.
var ErrGone = errors.New("it is not kept any more")
