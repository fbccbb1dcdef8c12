// Package regular opens files that others have named, or could have replaced: regular files only, without waiting. A FIFO, a
// device or a file of the kernel, of which a read may never end, is an error. It also writes files as a whole.
package regular

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// ErrKind is the error for what is no regular file.
var ErrKind = errors.New("not a regular file")

// ErrLarge is the error for a file that is larger than it may be.
var ErrLarge = errors.New("too large")

// Exists reports whether there is something at a path: a file, a folder, a link, whatever that leads to.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Open opens a file for reading. Links are followed.
func Open(path string) (*os.File, error) { return OpenFile(path, os.O_RDONLY, 0) }

// OpenFile is [os.OpenFile] for regular files. It never waits for who is at the other end of a pipe.
func OpenFile(path string, flag int, mode os.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag|syscall.O_NONBLOCK|syscall.O_NOCTTY, mode)
	if err != nil {
		return nil, err
	}
	return check(f, path)
}

// OpenIn is [OpenFile] for a file below a root, which no link leaves.
func OpenIn(root *os.Root, path string, flag int, mode os.FileMode) (*os.File, error) {
	f, err := root.OpenFile(path, flag|syscall.O_NONBLOCK|syscall.O_NOCTTY, mode)
	if err != nil {
		return nil, err
	}
	return check(f, path)
}

// maxWait is how long a read may wait: files of the kernel may say that they are regular, and have nothing to read for ever, as
// /proc/kmsg has. Only tests change it.
var maxWait = 2 * time.Second

// check closes what is no regular file.
func check(f *os.File, path string) (*os.File, error) {
	info, err := f.Stat()
	_ = f.SetDeadline(time.Now().Add(maxWait)) // an error says that it never waits, as all on disks
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrKind}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// most is how large a file that is read as a whole may be.
const most = 512 << 20

// ReadFile reads a whole file.
func ReadFile(path string) ([]byte, error) { return Read(path, most) }

// Read reads a whole file of at most some bytes. Of a larger one it reads nothing.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	tooLarge := &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%w: over %d MiB", ErrLarge, most>>20)}
	if info.Size() > most {
		return nil, tooLarge
	}

	var text bytes.Buffer
	text.Grow(int(info.Size()) + bytes.MinRead) // enough to see the end; a file of the kernel has no size
	n, err := text.ReadFrom(io.LimitReader(f, most+1))
	if n > most { // it has grown meanwhile
		return nil, tooLarge
	}
	return text.Bytes(), err
}

// WriteText opens a file as [OpenFile] does, with mode 0600 if it is new, and writes a text to it.
func WriteText(path string, flags int, text string) error {
	f, err := OpenFile(path, flags, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// Replace writes a file, all of it or nothing, by way of a new one in a folder of the same file system. Its mode is 0600. Whoever else
// does that at the same time writes all of it, too.
func Replace(path, folder string, data []byte) error {
	temp, err := os.CreateTemp(folder, ".new-*")
	if err != nil {
		return err
	}

	_, err = temp.Write(data)
	err = errors.Join(err, temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}

	return err
}

// ReplaceJSON is [Replace] of a file with a value as indented JSON. A missing folder is made, for nobody else to read.
func ReplaceJSON(path string, value any) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return Replace(path, filepath.Dir(path), data)
}
