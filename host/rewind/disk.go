package rewind

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Read returns what a path has on the disk; a folder is no file. An error says that it is something else, such as a pipe. It waits
// for the disk.
func Read(path string) (Content, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return Content{Missing: true}, nil
	case err != nil:
		return Content{}, err
	case info.Mode().Type() == fs.ModeSymlink:
		target, err := os.Readlink(path)
		return Content{Link: true, Data: []byte(target)}, err
	case info.IsDir():
		return Content{Missing: true}, nil
	case !info.Mode().IsRegular():
		return Content{}, fmt.Errorf("%s is not a file", path)
	}
	data, err := os.ReadFile(path)
	return Content{Data: data, Exec: info.Mode()&0o100 != 0}, err
}

// Write gives a path on the disk a content, all of it or nothing. Folders above a new file are made, those that a removed one
// leaves empty stay, unless a file takes their place. It waits for the disk.
func Write(path string, c Content) error {
	info, err := os.Lstat(path)
	folder := err == nil && info.IsDir()
	switch {
	case c.Missing && (folder || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)):
		return nil
	case c.Missing:
		return os.Remove(path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	if folder {
		if err := removeEmpty(path); err != nil {
			return err
		}
	}
	if c.Link {
		return replaceBy(path, func(temp string) error { return os.Symlink(string(c.Data), temp) })
	}
	mode := fs.FileMode(0o666)
	if c.Own {
		mode = 0o600
	}
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
		mode = info.Mode().Perm()
	}
	mode &^= 0o111
	if c.Exec {
		mode |= mode >> 2 & 0o111 // whoever may read it
	}
	return replaceBy(path, func(temp string) error { return os.WriteFile(temp, c.Data, mode) })
}

// removeEmpty removes a folder in which there are only folders.
func removeEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() {
			return fmt.Errorf("%s is a folder that has files", dir)
		}
		if err := removeEmpty(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return os.Remove(dir)
}

// replaceBy makes a new file beside path, and renames it to that.
func replaceBy(path string, make func(temp string) error) error {
	dir, err := os.MkdirTemp(filepath.Dir(path), ".nvim-acp-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	temp := filepath.Join(dir, filepath.Base(path))
	if err := make(temp); err != nil {
		return err
	}
	return os.Rename(temp, path)
}
