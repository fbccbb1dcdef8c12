package checkpoint

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

var errTooLarge = errors.New("too large for checkpoints")

// found is what Git says of the working tree against the last tree.
type found struct {
	changed []string // relative paths of files that are new or changed
	gone    []string // relative paths of files that were there
	nested  []string // relative paths of repositories within this one
	stale   bool     // the index is not the last tree: a process was killed in between
	others  []string // relative paths of folders that are ignored
	rules   []string // relative paths of lists of ignored files that are ignored themselves
}

// snapshot brings the index up to date with the folder path of the working tree and keeps the tree of it. The repository is
// open and locked. A tree in which nothing has changed costs what `git status` costs.
func (r *repository) snapshot(ctx context.Context, lock *os.File, path string) (Tree, []string, error) {
	without := func([]string) walked { return walked{} }
	if !r.onlyKnown {
		without = beginWalk(r.top, path, r.others, newMode(r.dir))
	}
	state, err := r.status(ctx, lock, path)
	if err != nil {
		return Tree{}, nil, err
	}

	state.changed = slices.DeleteFunc(state.changed, func(name string) bool {
		other := isOther(filepath.Join(r.top, name))
		if other {
			state.gone = append(state.gone, name)
		}
		return other
	})
	readable, stamps, err := r.readable(state.changed)
	if err != nil {
		return Tree{}, nil, err
	}

	r.others = append(state.others, state.nested...)
	seen := without(r.others)
	if err := r.noteOwned(slices.Concat(readable, seen.owned)); err != nil {
		return Tree{}, nil, err
	}
	if err := r.update(ctx, lock, state.gone, "--force-remove"); err != nil { // first: a folder may be a file now
		return Tree{}, nil, err
	}
	if err := r.update(ctx, lock, readable, "--add", "--remove", "--replace"); err != nil {
		return Tree{}, nil, err
	}
	if len(state.gone)+len(readable) > 0 || state.stale {
		if _, err := r.writeTree(ctx, lock); err != nil {
			return Tree{}, nil, err
		}
	}

	tree := Tree{Top: r.top, Path: path, ID: r.head, Ignore: r.ignored, Git: r.from != source{}}
	tree.Folders = seen.folders
	if len(stamps) > 0 {
		tree.Skipped, tree.Stamps = slices.Sorted(maps.Keys(stamps)), stamps
	}
	for _, name := range state.rules {
		if tree.Rules == nil {
			tree.Rules = map[string]string{}
		}
		tree.Rules[name] = r.sumOf(name)
	}
	if err := r.keep(tree); err != nil {
		return Tree{}, nil, err
	}
	for i, name := range state.nested {
		state.nested[i] = filepath.Join(r.top, name)
	}

	return tree, state.nested, nil
}

// writeTree makes what the index has the tree that later changes are compared with, and returns its id.
func (r *repository) writeTree(ctx context.Context, lock *os.File) (string, error) {
	out, err := r.trees(ctx, lock, nil, "write-tree", "--missing-ok")
	if err != nil {
		return "", err
	}
	if tree := strings.TrimSpace(string(out)); tree != r.head {
		return tree, r.commit(tree)
	}
	return r.head, nil
}

// isOther reports whether neither a file, a link nor a folder is at a path, but a pipe, a socket or a device: Git has nothing of these.
func isOther(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir() && info.Mode().Type() != fs.ModeSymlink
}

// update tells the index of files by their relative paths.
func (r *repository) update(ctx context.Context, lock *os.File, names []string, how ...string) error {
	if len(names) == 0 {
		return nil
	}
	list := strings.NewReader(strings.Join(names, "\x00") + "\x00")
	_, err := r.git(ctx, lock, list, append(append([]string{"update-index", "-z"}, how...), "--stdin")...)
	return err
}

// status asks what differs from the last tree.
func (r *repository) status(ctx context.Context, lock *os.File, path string) (found, error) {
	others := []string{"--untracked-files=all", "--ignored=matching"}
	if r.onlyKnown {
		others = []string{"--untracked-files=no"}
	}

	words := append([]string{"status", "--porcelain=v1", "-z", "--no-renames", "--ignore-submodules=all"}, others...)
	out, err := r.trees(ctx, lock, nil, append(words, "--", cmp.Or(path, "."))...)
	if err != nil {
		return found{}, err
	}

	var state found
	looks := maxIgnoredLooks
	for entry := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		if len(entry) < 4 {
			continue
		}

		staged, unstaged, name := entry[0], entry[1], string(entry[3:])
		switch {
		case staged == '!':
			if isIgnoreFile(name) {
				state.rules = append(state.rules, name)
			}
			if folder, ok := strings.CutSuffix(name, "/"); ok {
				state.others = append(state.others, folder)
				state.nested = append(state.nested, repositoriesIn(r.top, folder, &looks)...)
			}
			continue
		case strings.HasSuffix(name, "/"):
			state.nested = append(state.nested, strings.TrimSuffix(name, "/"))
		case unstaged == 'D':
			state.gone = append(state.gone, name)
		case unstaged != ' ':
			state.changed = append(state.changed, name)
		}

		if staged != ' ' && staged != '?' {
			state.stale = true
		}
	}

	return state, nil
}

// maxIgnoredLooks is how many folders that are ignored, or in such a one, are looked at for a repository.
const maxIgnoredLooks = 1000

// repositoriesIn returns an ignored folder if it has a repository of its own, else the folders in it that have one.
func repositoriesIn(top, folder string, looks *int) (list []string) {
	has := func(name string) bool {
		*looks--
		_, err := os.Lstat(filepath.Join(top, name, ".git"))
		return err == nil
	}
	if *looks <= 0 {
		return nil
	}
	if has(folder) {
		return []string{folder}
	}

	entries, _ := os.ReadDir(filepath.Join(top, folder)) // what cannot be read has none, as far as is known
	for _, e := range entries {
		if name := filepath.Join(folder, e.Name()); e.IsDir() && *looks > 0 && has(name) {
			list = append(list, name)
		}
	}
	return list
}

// readable returns the names of files that can be taken into a tree, and the stamps of those that cannot, by absolute path.
func (r *repository) readable(names []string) (fit []string, skipped map[string]string, err error) {
	if len(names) > r.limits.Files {
		return nil, nil, fmt.Errorf("%w: more than %d new files", errTooLarge, r.limits.Files)
	}

	skipped = map[string]string{}
	var bytes int64
	for _, name := range names {
		path := filepath.Join(r.top, name)
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			fit = append(fit, name) // gone in this moment; Git removes it
			continue
		case err != nil, info.Size() > r.limits.File, info.Mode().IsRegular() && !canRead(path), isRefused(name, info):
			skipped[path] = stamp(info)
			continue
		}

		if bytes += info.Size(); bytes > r.limits.Bytes {
			return nil, nil, fmt.Errorf("%w: more than %d MB of new files", errTooLarge, r.limits.Bytes>>20)
		}

		fit = append(fit, name)
	}

	return fit, skipped, nil
}

// isRefused reports whether Git takes no file of a name into its index, and does not say so.
func isRefused(name string, info fs.FileInfo) bool {
	return !inTree(name) || info.Mode().Type() == fs.ModeSymlink && strings.EqualFold(filepath.Base(name), ".gitmodules")
}

// stamp tells versions of a file that is not read apart. There is no info of one that cannot be looked at.
func stamp(info fs.FileInfo) string {
	if info == nil {
		return ""
	}
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
}

func canRead(path string) bool {
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	_ = f.Close()
	return true
}

// Put stores texts in the private repository of root, and returns their versions in the same order. They are kept as
// checkpoints are.
func (s *Store) Put(ctx context.Context, root string, texts [][]byte) ([]Version, error) {
	s.calls.RLock()
	defer s.calls.RUnlock()
	top, _ := worktree(ctx, root)
	named := make(map[string]string, len(texts))
	for i, text := range texts {
		named[strconv.Itoa(i)] = string(text)
	}

	blobs, err := s.repository(top).store(ctx, named)
	if err != nil {
		return nil, err
	}

	versions := make([]Version, len(texts))
	for i := range texts {
		versions[i] = Version{Top: top, Blob: blobs[strconv.Itoa(i)], Mode: "100644"}
	}

	return versions, nil
}

// store stores texts, and keeps them until they are pruned. It returns their blobs by name.
func (r *repository) store(ctx context.Context, texts map[string]string) (map[string]string, error) {
	lock, release, err := r.acquire(ctx, syscall.LOCK_EX)
	if err != nil {
		return nil, err
	}

	defer release()
	if err := errors.Join(r.unlock(), r.open(ctx, lock)); err != nil {
		return nil, err
	}

	blobs, err := r.texts(ctx, lock, texts)
	if broken(err) && !r.renewed { // the next checkpoint makes it anew
		r.renewed = true
		err = errors.Join(err, r.setAside())
	}
	if err != nil {
		return nil, err
	}

	return blobs, r.keep(Tree{ID: r.head, Unsaved: blobs})
}

// texts stores the texts of buffers and returns their blobs by path.
func (r *repository) texts(ctx context.Context, lock *os.File, unsaved map[string]string) (map[string]string, error) {
	if len(unsaved) == 0 {
		return nil, nil
	}

	dir, err := os.MkdirTemp(r.dir, "texts")
	if err != nil {
		return nil, err
	}

	defer func() { _ = os.RemoveAll(dir) }()

	var paths []string
	var list strings.Builder
	for path, text := range unsaved {
		file := filepath.Join(dir, fmt.Sprint(len(paths)))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return nil, err
		}
		paths = append(paths, path)
		list.WriteString(file + "\n")
	}

	out, err := r.git(ctx, lock, strings.NewReader(list.String()), "hash-object", "-w", "--no-filters", "--stdin-paths")
	if err != nil {
		return nil, err
	}

	ids := strings.Fields(string(out))
	if len(ids) != len(paths) {
		return nil, fmt.Errorf("git hash-object: %d of %d texts", len(ids), len(paths))
	}

	blobs := make(map[string]string, len(paths))
	for i, path := range paths {
		blobs[path] = ids[i]
	}

	return blobs, nil
}
