package rewind

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// Read returns what a real path has on the disk; a folder is no file, a pipe, a socket or a device neither, and nothing is
// there where a link has come in place of a folder above it. It waits for the disk.
func Read(path string) (Content, error) {
	if Check(path) != nil {
		return Content{Missing: true}, nil // what is behind a link is another file
	}

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
		return Content{Missing: true}, nil // a pipe, a socket or a device has nothing that could be lost
	}

	data, err := regular.ReadFile(path)
	return Content{Data: data, Exec: info.Mode()&0o100 != 0}, err
}

// errLink says that a link was put in place of a folder above a file.
var errLink = errors.New("there is a link in place of a folder above it")

// Check returns an error if a link has come in place of a folder above a real path. It waits for the disk.
func Check(path string) error {
	dir := filepath.Dir(path)
	real, err := buffers.Real(dir)
	if errors.Is(err, syscall.ENOTDIR) {
		return nil // a file is there, which is no link
	}
	if err != nil || real != dir {
		return errors.Join(errLink, err)
	}
	return nil
}

// Write gives a real path on the disk a content, all of it or nothing. Folders above a new file are made, those that a removed one
// leaves empty stay, unless a file takes their place. Nothing is changed behind a link, whenever it has come. It waits for the disk.
func Write(path string, c Content) error {
	if err := Check(path); err != nil {
		return err
	}

	open := buffers.OpenFolder
	if c.Missing {
		open = buffers.FindFolder
	}

	root, err := open(path)
	if !c.Missing && errors.Is(err, syscall.ENOTDIR) && clearWay(path) {
		root, err = open(path)
	}
	if c.Missing && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) {
		return nil
	}
	if err != nil {
		return err
	}

	defer root.Close()
	return buffers.Named(write(root, filepath.Base(path), c), path)
}

// clearWay removes a pipe, a socket or a device that is in place of a folder above a path, and reports whether there was one.
func clearWay(path string) bool {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		info, err := os.Lstat(dir)
		if err != nil {
			continue
		}
		kind := info.Mode().Type()
		return kind != 0 && kind != fs.ModeDir && kind != fs.ModeSymlink && buffers.RemoveReal(dir) == nil
	}
	return false
}

// write is Write, of a name in a folder.
func write(root *os.Root, path string, c Content) error {
	info, err := root.Lstat(path)
	folder := err == nil && info.IsDir()
	switch {
	case c.Missing && (folder || err == nil && info.Mode().Type()&^fs.ModeSymlink != 0 || errors.Is(err, fs.ErrNotExist) ||
		errors.Is(err, syscall.ENOTDIR)):
		return nil
	case c.Missing:
		return root.Remove(path)
	}

	if folder {
		if err := buffers.RemoveEmpty(root, path); err != nil {
			return err
		}
	}
	if c.Link {
		return replaceBy(root, path, func(temp string) error { return root.Symlink(string(c.Data), temp) })
	}

	if err := buffers.ReplaceIn(root, path, c.Data, c.Exec); err == nil || !isOther(err) {
		return err
	}

	mode := fs.FileMode(0o666)
	if c.Own {
		mode = 0o600
	}
	info, err = root.Lstat(path)
	readOnly := err == nil && info.Mode().IsRegular() // an agent has changed it all the same, by a rename say
	if readOnly {
		mode = info.Mode()
	}

	mode = buffers.Runs(mode, c.Exec)
	return replaceBy(root, path, func(temp string) error {
		if err := root.WriteFile(temp, c.Data, mode.Perm()); err != nil || !readOnly {
			return err
		}
		if err := root.Chmod(temp, mode); err != nil {
			return err
		}
		return keepAttributes(root, temp, path)
	})
}

// isOther reports whether a text cannot be given to a file since there is none, something else, or one that the user may not write.
func isOther(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, buffers.ErrNotRegular) || errors.Is(err, buffers.ErrMoved) ||
		errors.Is(err, fs.ErrPermission)
}

// keepAttributes gives a new file the extended attributes of the one that is there, if there is one that can be opened. Where that cannot
// be it comes without them: nothing else brings it back.
func keepAttributes(root *os.Root, temp, path string) error {
	old, err := regular.OpenIn(root, path, os.O_RDONLY, 0)
	if err != nil {
		return nil
	}

	defer old.Close()
	if is, err := root.Lstat(path); err != nil || !sameFile(is, old) {
		return nil // a link has led to another file
	}

	f, err := regular.OpenIn(root, temp, os.O_RDWR, 0)
	if err != nil {
		return err
	}

	_ = buffers.KeepAttributes(f, old)
	return f.Close()
}

// sameFile reports whether a file is the one that is open.
func sameFile(is fs.FileInfo, open *os.File) bool {
	info, err := open.Stat()
	return err == nil && os.SameFile(is, info)
}

// replaceBy makes a new file beside path, and renames it to that.
func replaceBy(root *os.Root, path string, make func(temp string) error) error {
	dir := filepath.Join(filepath.Dir(path), ".nvim-acp-"+rand.Text())
	if err := root.Mkdir(dir, 0o700); err != nil {
		return err
	}
	defer func() { _ = root.RemoveAll(dir) }()
	temp := filepath.Join(dir, filepath.Base(path))
	if err := make(temp); err != nil {
		return err
	}
	return root.Rename(temp, path)
}
