package buffers

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// Stat tells one version of a file from another.
type Stat struct {
	ModTime time.Time
	Size    int64
	Inode   uint64
	Device  uint64 // of a file that was opened here; not compared
}

// Equal reports whether s and o are the same version, as far as can be told without reading it.
func (s Stat) Equal(o Stat) bool {
	return s.ModTime.Equal(o.ModTime) && s.Size == o.Size && s.Inode == o.Inode
}

// File is the text of a file, or a part of it.
type File struct {
	Text string // in UTF-8, without byte order mark, with the file's own line ends
	Data []byte // the bytes of the whole file, which may not be changed; nil if only a part was read
	Stat Stat
}

// StatFile returns the version of a file. Symbolic links are followed. A folder is none: [ErrNotRegular].
func StatFile(path string) (Stat, error) {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		err = fmt.Errorf("stat %s: %w", path, ErrNotRegular)
	}
	if err != nil {
		return Stat{}, err
	}
	return statOf(info), nil
}

func statOf(info os.FileInfo) Stat {
	s := Stat{ModTime: info.ModTime(), Size: info.Size()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s.Inode, s.Device = uint64(sys.Ino), uint64(sys.Dev) // on some systems they are smaller
	}
	return s
}

// ReadFile reads limit lines of a file from line on, as [Slice] does, and at most max bytes of text; more is ErrTooLarge.
// It never blocks on other files: one that is not regular is refused before a read. With a line or a limit it reads no further
// than it must and keeps only what it returns. UTF-16 and UTF-32 are decoded by their byte order mark; other bytes that are no
// UTF-8 are taken as latin1, as Neovim does, and [WriteFile] writes them back so.
func ReadFile(path string, line, limit *uint32, max int64) (File, error) {
	f, info, err := openRegular(path, 0)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	return readFrom(f, info, path, line, limit, max)
}

// ReadReal is [ReadFile] of a path without links: it fails where a folder has become a link by the time that it is opened, which
// may lead anywhere.
func ReadReal(path string, line, limit *uint32, max int64) (File, error) {
	f, info, err := openRegular(path, syscall.O_NOFOLLOW)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	if openedAt(f, path) != path {
		return File{}, fmt.Errorf("read %s: %w", path, ErrMoved)
	}
	return readFrom(f, info, path, line, limit, max)
}

// ErrMoved says that a path, which was real, has come to lead elsewhere.
var ErrMoved = errors.New("its path was changed meanwhile")

// readFrom reads an open file, of which path is the name for errors.
func readFrom(f *os.File, info os.FileInfo, path string, line, limit *uint32, max int64) (File, error) {
	r := reader{src: bufio.NewReaderSize(f, 64<<10), max: max}
	file, err := r.file(info, line, limit)
	if err != nil {
		return File{}, fmt.Errorf("read %s: %w", path, err)
	}
	return file, nil
}

// Open opens a regular file for reading. It never blocks on others: they are refused.
func Open(path string) (*os.File, Stat, error) {
	f, info, err := openRegular(path, 0)
	if err != nil {
		return nil, Stat{}, err
	}
	return f, statOf(info), nil
}

// openRegular is Open with more flags.
func openRegular(path string, flags int) (*os.File, os.FileInfo, error) {
	f, err := regular.OpenFile(path, os.O_RDONLY|flags, 0)
	if errors.Is(err, ErrNotRegular) {
		return nil, nil, fmt.Errorf("read %s: %w", path, ErrNotRegular)
	}
	if err != nil {
		return nil, nil, notOpened(path, err)
	}

	info, err := f.Stat()
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, nil, fmt.Errorf("read %s: %w", path, err)
	}

	return f, info, nil
}

// HasBytes reports whether a file has exactly the bytes of a text, and which version of it was looked at. It keeps nothing of the file,
// and stops where that differs.
func HasBytes(path, text string) (bool, Stat, error) {
	f, stat, err := Open(path)
	if err != nil {
		return false, stat, err
	}

	defer f.Close()
	if stat.Size != int64(len(text)) {
		return false, stat, nil
	}

	part := make([]byte, min(len(text)+1, 256<<10)) // with room to find more than the text
	for {
		n, err := f.Read(part)
		if n > len(text) || string(part[:n]) != text[:n] {
			return false, stat, nil
		}
		text = text[n:]
		switch {
		case err == io.EOF:
			return text == "", stat, nil
		case err != nil:
			return false, stat, err
		}
	}
}

// notOpened explains why path could not be opened: a socket and a device without driver give ENXIO.
func notOpened(path string, err error) error {
	if errors.Is(err, syscall.ENXIO) {
		return fmt.Errorf("read %s: %w", path, ErrNotRegular)
	}
	return err
}

// statRegular returns the status of f if it is a regular file.
func statRegular(f *os.File) (os.FileInfo, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	return info, nil
}

// reader reads text with a bound on what it keeps.
type reader struct {
	src *bufio.Reader
	max int64
}

func (r *reader) file(info os.FileInfo, line, limit *uint32) (File, error) {
	head, err := r.src.Peek(maxMark)
	if err != nil && err != io.EOF {
		return File{}, err
	}

	enc, n := marked(head)
	if line == nil && limit == nil || enc > latin1 {
		return r.whole(info, line, limit)
	}
	if _, err := r.src.Discard(n); err != nil {
		return File{}, err
	}

	part, err := r.lines(span(line, limit))
	if err != nil {
		return File{}, err
	}

	text, _, err := decodePart(part)
	return File{Text: text, Stat: statOf(info)}, err
}

// whole reads all of the file, as far as max allows.
func (r *reader) whole(info os.FileInfo, line, limit *uint32) (File, error) {
	if info.Size() > r.max {
		return File{}, ErrTooLarge
	}

	var b bytes.Buffer
	b.Grow(int(info.Size()) + bytes.MinRead) // its end is found without growing
	if _, err := b.ReadFrom(io.LimitReader(r.src, r.max+1)); err != nil {
		return File{}, err
	}

	data := b.Bytes()
	if len(data) < bytes.MinRead {
		data = bytes.Clone(data) // a small text may be kept for long: without the room for its end
	}
	if int64(len(data)) > r.max {
		return File{}, ErrTooLarge
	}

	text, _, err := decode(data)
	if err != nil {
		return File{}, err
	}

	text, err = Slice(text, line, limit)
	return File{Text: text, Data: data, Stat: statOf(info)}, err
}

// lines returns count lines from line first on, as bytes, and refuses NUL bytes in what it passes.
func (r *reader) lines(first, count int64) ([]byte, error) {
	for at := int64(1); at < first; at++ {
		n, err := r.line(nil)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, outOfRange(first, at-1)
		}
	}

	var part []byte
	for ; count > 0; count-- {
		n, err := r.line(&part)
		if n == 0 || err != nil {
			return part, err
		}
	}

	return part, nil
}

// line reads to the next line end, appends what it reads to keep if that is given, and returns how much it was: 0 at the
// end of the file.
func (r *reader) line(keep *[]byte) (int, error) {
	total := 0
	for {
		part, err := r.src.ReadSlice('\n')
		total += len(part)
		if bytes.IndexByte(part, 0) >= 0 {
			return total, ErrNotText
		}
		if keep != nil {
			*keep = append(*keep, part...)
			if int64(len(*keep)) > r.max {
				return total, ErrTooLarge
			}
		}
		switch err {
		case nil, io.EOF:
			return total, nil
		case bufio.ErrBufferFull:
		default:
			return total, err
		}
	}
}
