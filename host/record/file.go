package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// ErrInUse means that another process writes the record.
var ErrInUse = errors.New("the session is open in another Neovim")

// plain matches the ids that can name a file.
var plain = lazy.Regexp(`^[A-Za-z0-9_-]{1,64}$`)

// glance is how long a reader may hold a lock.
const glance = 20 * time.Millisecond

const suffix = ".jsonl"

// Path returns the path of a session's record.
func Path(dir, id string) (string, error) {
	if !plain().MatchString(id) {
		return "", fmt.Errorf("no record can be named %q", id)
	}
	return filepath.Join(dir, id+suffix), nil
}

// File is a record that this process writes. It is safe for concurrent use.
type File struct {
	Hide func(text string) string // replaces what is not to be stored, nil if nothing is; set before the first Append

	mu   sync.Mutex // guards the fields below
	file *os.File   // nil after Close
	torn bool       // the last line has no end
}

// Open opens a record for appending, creates it if needed, and locks it. It blocks only on the disk. If another process has the
// lock the error is ErrInUse.
func Open(dir, id string) (*File, error) {
	path, err := Path(dir, id)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	for {
		f, err := regular.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}

		same, err := lock(f, path)
		if err == nil && same {
			torn, err := endsTorn(f)
			if err == nil {
				return &File{file: f, torn: torn}, nil
			}
		}

		f.Close()
		if err != nil {
			return nil, err
		}
	}
}

// lock takes the lock of an open file. It reports whether the file is still the one at the path.
func lock(f *os.File, path string) (same bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	for end := time.Now().Add(glance); errors.Is(err, syscall.EWOULDBLOCK) && time.Now().Before(end); {
		time.Sleep(glance / 10)
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}

	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, ErrInUse
	} else if err != nil {
		return false, fmt.Errorf("lock %s: %w", path, err)
	}

	mine, err := f.Stat()
	if err != nil {
		return false, err
	}

	now, err := os.Stat(path)
	return err == nil && os.SameFile(mine, now), nil
}

// endsTorn reports whether the last line is incomplete, because its writer was killed.
func endsTorn(f *os.File) (bool, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false, err
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], info.Size()-1)
	return last[0] != '\n', err
}

// piece is about how many bytes of a record are in memory during a write.
const piece = 1 << 20

// Append writes entries, each as a whole.
func (f *File) Append(entries ...Entry) error {
	f.mu.Lock()
	defer f.mu.Unlock()

	var text []byte
	for i, e := range entries {
		text = Append(text, e)
		if len(text) < piece && i < len(entries)-1 {
			continue
		}
		if err := f.write(text); err != nil {
			return err
		}
		text = text[:0]
	}

	return nil
}

// write appends lines; f.mu is held.
func (f *File) write(text []byte) error {
	if f.file == nil || len(text) == 0 {
		return nil
	}
	if f.Hide != nil {
		text = []byte(f.Hide(string(text)))
	}
	if f.torn {
		text = append([]byte{'\n'}, text...)
	}

	n, err := f.file.Write(text)
	if n > 0 {
		f.torn = text[n-1] != '\n'
	}

	return err
}

// Read reads the whole record.
func (f *File) Read() (Record, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return Record{}, os.ErrClosed
	}
	info, err := f.file.Stat()
	if err != nil {
		return Record{}, err
	}
	return Read(io.NewSectionReader(f.file, 0, info.Size()))
}

// Remove deletes the record, and closes it.
func (f *File) Remove() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return nil
	}
	err := os.Remove(f.file.Name())
	f.file.Close()
	f.file = nil
	return err
}

// Close releases the lock. Later entries are dropped.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return nil
	}
	// A process that is being started has the file until its program runs, and would have the lock as long.
	_ = syscall.Flock(int(f.file.Fd()), syscall.LOCK_UN)
	err := f.file.Close()
	f.file = nil
	return err
}
