package buffers

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// maxCompare is how much of an existing file is read before it is overwritten, to keep its encoding.
const maxCompare = 64 << 20

// WriteOptions configure [WriteFile]; the zero value is right for an agent's writes.
type WriteOptions struct {
	// Perm is the mode of a new file, before the umask; 0 means 0666.
	Perm fs.FileMode
}

// WriteFile is [WriteReal] of the file that a path leads to: a symbolic link is written through.
func WriteFile(path, content string, opts WriteOptions) (Stat, error) {
	real, err := Real(path)
	if err != nil {
		return Stat{}, fmt.Errorf("write %s: %w", path, err)
	}
	return WriteReal(real, content, opts)
}

// WriteReal makes content, which is UTF-8, the text of a file and returns its new version. An existing file keeps its
// mode, owner, group, extended attributes, access control list, byte order mark and encoding, and CRLF if all its lines have
// that and content has none; missing folders are made. If the file has that content already nothing is written.
//
// The path is real: where the file or a folder above it has become a link by the time that it is opened nothing is written. What was
// judged is what is written.
//
// The file is replaced as a whole by a rename where that loses nothing; where it has other links, or its owner cannot be
// kept, or its folder takes no new file, it is truncated and written in place (behaviour 210). Nothing is written if the
// encoding cannot hold content (ErrEncoding) or the user may not write the file.
func WriteReal(real, content string, opts WriteOptions) (Stat, error) {
	root, err := OpenFolder(real)
	if err != nil {
		return Stat{}, fmt.Errorf("write %s: %w", real, err)
	}

	defer root.Close()
	if opts.Perm == 0 {
		opts.Perm = 0o666
	}

	w := writer{root: root, path: filepath.Base(real), perm: opts.Perm}
	info, err := w.write(content)
	if err != nil {
		return Stat{}, fmt.Errorf("write %s: %w", real, Named(err, real))
	}

	return statOf(info), nil
}

// CheckFile returns the error that [WriteFile] would return for a file that exists, as far as it is known without writing.
func CheckFile(path, content string) error {
	if err := checkFile(path, content); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func checkFile(path, content string) error {
	real, err := Real(path)
	if err != nil {
		return err
	}

	root, err := FindFolder(real)
	if err != nil {
		return err
	}

	defer root.Close()
	w := writer{root: root, path: filepath.Base(real)}
	f, err := w.open()
	if err == nil {
		defer f.Close()
		_, _, err = w.encoded(f, content)
	}

	return err
}

// writer writes one file.
type writer struct {
	root *os.Root    // its folder
	path string      // its name
	perm fs.FileMode // of a new file
}

func (w *writer) write(content string) (fs.FileInfo, error) {
	old, err := w.open()
	if errors.Is(err, fs.ErrNotExist) {
		return w.create([]byte(content))
	}
	if err != nil {
		return nil, err
	}

	defer old.Close()
	info, err := statRegular(old)
	if err != nil {
		return nil, err
	}

	data, same, err := w.encoded(old, content)
	if err != nil || same {
		return info, err
	}
	return w.put(data, old, info, info.Mode())
}

// put gives the old file, which info describes, other bytes and a mode.
func (w *writer) put(data []byte, old *os.File, info fs.FileInfo, mode fs.FileMode) (fs.FileInfo, error) {
	if w.replaceable(info) {
		err := w.replace(data, old, info, mode)
		switch {
		case err == nil:
			return w.root.Lstat(w.path)
		case !errors.Is(err, fs.ErrPermission) && !errors.Is(err, errors.ErrUnsupported):
			return nil, err
		}
	}

	if mode != info.Mode() {
		if err := old.Chmod(mode); err != nil {
			return nil, err
		}
	}
	return overwrite(old, data)
}

// ReplaceIn gives a regular file in a folder, by its name, other bytes, and has it run or not. All else that it has it keeps, as with
// [WriteReal]. The error is fs.ErrNotExist where there is none, and ErrNotRegular or ErrMoved where there is something else.
func ReplaceIn(root *os.Root, name string, data []byte, exec bool) error {
	w := writer{root: root, path: name}
	old, err := w.open()
	if err != nil {
		return err
	}

	defer old.Close()
	info, err := statRegular(old)
	if err != nil {
		return err
	}

	_, err = w.put(data, old, info, Runs(info.Mode(), exec))
	return err
}

// Runs returns a mode of a file that whoever may read it may also run, or nobody.
func Runs(mode fs.FileMode, exec bool) fs.FileMode {
	switch runs := mode&0o100 != 0; {
	case runs == exec:
		return mode
	case exec:
		return mode | mode>>2&0o111
	}
	return mode &^ 0o111
}

// open opens the existing file for reading and writing, which reports whether the user may write it. One that may be
// written but not read is opened for writing only.
func (w *writer) open() (*os.File, error) {
	info, err := w.root.Lstat(w.path)
	switch {
	case err != nil:
		return nil, err
	case info.Mode().Type() == fs.ModeSymlink:
		return nil, ErrMoved
	case !info.Mode().IsRegular():
		return nil, ErrNotRegular
	}

	f, err := w.root.OpenFile(w.path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrPermission) {
		f, err = w.root.OpenFile(w.path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		return nil, err
	}
	if is, err := f.Stat(); err != nil || !os.SameFile(is, info) { // a link within the folder is followed
		_ = f.Close() // nothing was written
		return nil, ErrMoved
	}

	return f, nil
}

// encoded is content in the encoding that old has, and whether old has these bytes already. A file that is not text, or
// cannot be read, is overwritten as UTF-8: the agent has said what is to be in it. Of a very large one only the byte order
// mark counts.
func (w *writer) encoded(old *os.File, content string) (data []byte, same bool, err error) {
	was, err := io.ReadAll(io.LimitReader(old, maxCompare))
	if err != nil {
		return []byte(content), false, nil
	}

	enc, _ := marked(was)
	if len(was) < maxCompare {
		var text string
		if text, enc, err = decode(was); err != nil {
			enc = utf8Plain
		} else if !strings.Contains(content, "\r\n") && Parse(text).CRLF {
			content = strings.ReplaceAll(content, "\n", "\r\n")
		}
	}

	data, err = enc.encode(content)
	return data, err == nil && bytes.Equal(was, data), err
}

// replaceable reports whether a rename keeps everything but the owner, which shows when tried.
func (w *writer) replaceable(info fs.FileInfo) bool {
	link, err := w.root.Lstat(w.path)
	if err != nil || !link.Mode().IsRegular() || !os.SameFile(link, info) {
		return false
	}
	sys, ok := info.Sys().(*syscall.Stat_t)
	return ok && sys.Nlink == 1
}

// replace writes data beside the old file, which info describes, and renames it over that, with a mode. On an error the file is as before.
func (w *writer) replace(data []byte, old *os.File, info fs.FileInfo, mode fs.FileMode) error {
	temp, f, err := w.temp(0o600)
	if err != nil {
		return err
	}

	defer w.root.Remove(temp) // gone by then if all went well
	err = keepOwner(f, info)
	if err == nil {
		_, err = f.Write(data)
	}
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = KeepAttributes(f, old)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = w.root.Rename(temp, w.path)
	}

	return err
}

// keepOwner gives f the owner and group of the file that info describes.
func keepOwner(f *os.File, info fs.FileInfo) error {
	now, err := f.Stat()
	if err != nil {
		return err
	}

	was, ok := info.Sys().(*syscall.Stat_t)
	is, ok2 := now.Sys().(*syscall.Stat_t)
	if !ok || !ok2 {
		return errors.ErrUnsupported
	}
	if was.Uid == is.Uid && was.Gid == is.Gid {
		return nil
	}

	return f.Chown(int(was.Uid), int(was.Gid))
}

// create writes a file that is not there, so that nobody ever sees half of it.
func (w *writer) create(data []byte) (fs.FileInfo, error) {
	temp, f, err := w.temp(w.perm)
	if err != nil {
		return nil, err
	}

	defer w.root.Remove(temp)
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = w.root.Rename(temp, w.path)
	}
	if err != nil {
		return nil, err
	}

	return w.root.Lstat(w.path)
}

// temp makes a new file in the folder of the one to be written.
func (w *writer) temp(perm fs.FileMode) (string, *os.File, error) {
	for {
		name := filepath.Join(filepath.Dir(w.path), ".nvim-acp-"+strconv.FormatUint(rand.Uint64(), 36))
		f, err := w.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if !errors.Is(err, fs.ErrExist) {
			return name, f, err
		}
	}
}

// overwrite writes data into the file itself. It truncates last, so that an error leaves the rest of the old text.
func overwrite(f *os.File, data []byte) (fs.FileInfo, error) {
	if _, err := f.WriteAt(data, 0); err != nil {
		return nil, err
	}
	if err := f.Truncate(int64(len(data))); err != nil {
		return nil, err
	}
	return f.Stat()
}
