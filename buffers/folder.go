package buffers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// OpenFolder opens the folder of a real path, and makes it if it is not there. No link is followed, not even one that is put in place
// of a folder meanwhile: then, as where a folder was moved, the error says that the path was changed. The caller closes the folder.
func OpenFolder(real string) (*os.Root, error) { return makeReal(filepath.Dir(real)) }

// FindFolder is [OpenFolder] for a folder that exists; the error is fs.ErrNotExist otherwise.
func FindFolder(real string) (*os.Root, error) { return openReal(filepath.Dir(real)) }

// Named returns an error about a file that was reached through its folder as one about its path: those of [os.Root] have the name of a
// descriptor.
func Named(err error, real string) error {
	var at *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &at):
		return &fs.PathError{Op: at.Op, Path: real, Err: at.Err}
	case errors.As(err, &link):
		return &fs.PathError{Op: link.Op, Path: real, Err: link.Err}
	}
	return err
}

// RemoveReal removes the file of a real path, if it is there, and nothing behind a link.
func RemoveReal(real string) error {
	root, err := FindFolder(real)
	if err == nil {
		defer root.Close()
		err = root.Remove(filepath.Base(real))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return Named(err, real)
}

// MakeRoom removes the folder that is in place of a file, if there is one without files.
func MakeRoom(real string) error {
	root, err := FindFolder(real)
	if err != nil {
		return nil // nor is that there
	}

	defer root.Close()
	name := filepath.Base(real)
	if info, err := root.Lstat(name); err != nil || !info.IsDir() {
		return nil
	}

	return RemoveEmpty(root, name)
}

// RemoveEmpty removes a folder in which there are only folders. It fails, and removes nothing but such folders, where there are files.
func RemoveEmpty(root *os.Root, dir string) error {
	f, err := root.Open(dir)
	if err != nil {
		return err
	}

	entries, err := f.ReadDir(-1)
	_ = f.Close()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() {
			return fmt.Errorf("%s is a folder that has files", filepath.Join(root.Name(), dir))
		}
		if err := RemoveEmpty(root, filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}

	return root.Remove(dir)
}

// OwnReal makes the file of a real path one that only its owner can read and write, and nothing behind a link: nor one that has other
// names, by which it may be a file from elsewhere.
func OwnReal(real string) error {
	root, err := FindFolder(real)
	if err != nil {
		return err
	}

	defer root.Close()
	w := writer{root: root, path: filepath.Base(real)}
	f, err := w.open()
	if err != nil {
		return err
	}

	defer f.Close()
	info, err := statRegular(f)
	if err != nil {
		return err
	}
	if !w.replaceable(info) {
		return fmt.Errorf("%s: %w", real, ErrMoved)
	}

	return f.Chmod(0o600)
}

func makeReal(dir string) (*os.Root, error) {
	root, err := openReal(dir)
	if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
		return root, err
	}

	above, err := makeReal(filepath.Dir(dir))
	if err != nil {
		return nil, err
	}

	defer above.Close()
	if err := above.Mkdir(filepath.Base(dir), 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}

	return openReal(dir)
}

// openReal opens a folder by its real path. It does not block on a pipe in its place.
func openReal(dir string) (*os.Root, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if at := openedAt(f, dir); at != dir {
		return nil, fmt.Errorf("open %s: %w", dir, ErrMoved)
	}
	return os.OpenRoot(again(f, dir))
}
