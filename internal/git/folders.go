package git

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// maxEntries bounds how many files and folders of a repository are searched for links.
const maxEntries = 1_000_000

// Folders returns the real paths of all that a comparison reads: the working tree, the repository with what it shares
// with others, its index, and where objects and refs are, also where links in those lead. It is an error if one of
// them cannot be found out. It waits for Git and the disk.
func (v *View) Folders(ctx context.Context) ([]string, error) {
	stores, err := v.stores(ctx)
	if err != nil {
		return nil, err
	}

	t := tree{ctx: ctx, left: maxEntries}
	paths := []string{v.Top, v.reads.dir, v.reads.common}
	indexes, _ := filepath.Glob(filepath.Join(filepath.Dir(v.reads.index), "sharedindex.*"))
	for _, path := range append(indexes, v.reads.index) {
		if _, err := os.Lstat(path); err == nil { // else there is none yet
			paths = append(paths, path)
		}
	}

	for _, path := range paths {
		if _, err := t.add(path); err != nil {
			return nil, err
		}
	}

	for _, path := range append(stores, v.reads.refs) {
		if err := t.search(path); err != nil {
			return nil, err
		}
	}

	return t.found, nil
}

// stores returns the folders that objects are read from.
func (v *View) stores(ctx context.Context) ([]string, error) {
	list := []string{v.reads.objects}
	out, err := readWith(ctx, v.path, v.env, "count-objects", "-v")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(out) {
		path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "alternate: ")
		if !ok {
			continue
		}
		if strings.HasPrefix(path, `"`) {
			if path, err = strconv.Unquote(path); err != nil {
				return nil, fmt.Errorf("alternate %s: %w", path, err)
			}
		}
		list = append(list, path)
	}

	return list, nil
}

// tree notes real paths.
type tree struct {
	ctx   context.Context
	found []string
	left  int // how many entries may still be searched
}

// add notes where a path leads, and returns that.
func (t *tree) add(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil && !slices.Contains(t.found, real) {
		t.found = append(t.found, real)
	}
	return real, err
}

// search notes where a folder and all links below lead. What a link below leads to must not be a folder, which could
// have links of its own.
func (t *tree) search(root string) error {
	real, err := t.add(root)
	if err != nil {
		return err
	}

	return filepath.WalkDir(real, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if t.left--; t.left < 0 {
			return fmt.Errorf("%s has more than %d files", root, maxEntries)
		}
		if e.Type()&fs.ModeSymlink == 0 {
			return t.ctx.Err()
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return fmt.Errorf("%s is a link to a folder", path)
		}
		if _, err := os.Stat(path); err != nil {
			return nil // nothing is read through it
		}

		_, err = t.add(path)
		return err
	})
}
