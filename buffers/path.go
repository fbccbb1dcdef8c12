package buffers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// maxLinks is how many symbolic links to nowhere are followed, one to the next.
const maxLinks = 40

// maxPath is the longest path of the system, in bytes. Links of longer ones would be looked for up to the root, at each step anew.
const maxPath = 4096

// Real returns the path of a file with all symbolic links followed: its identity. Of a file that does not exist it follows
// what does, also a link that leads to nowhere, so that creating the file creates the result.
func Real(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("%s: %w", path, ErrRelative)
	}
	if len(path) > maxPath {
		return "", fmt.Errorf("%s…: %w", path[:100], syscall.ENAMETOOLONG)
	}
	return realPath(path, maxLinks)
}

func realPath(path string, links int) (string, error) {
	found, err := filepath.EvalSymlinks(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return found, err
	}
	if links == 0 {
		return "", &fs.PathError{Op: "follow", Path: path, Err: syscall.ELOOP}
	}
	if target, err := os.Readlink(path); err == nil {
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		return realPath(target, links-1)
	}

	parent, err := realPath(filepath.Dir(path), links)
	return filepath.Join(parent, filepath.Base(path)), err
}

// Inside reports whether a real path is one of roots or below one. The roots must be real paths too.
func Inside(roots []string, real string) bool {
	for _, root := range roots {
		rel, err := filepath.Rel(root, real)
		if err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}
