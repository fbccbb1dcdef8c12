package regular

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Only regular files are opened, at once, and no read waits for ever (behaviour 758).
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	err := errors.Join(os.WriteFile(path("file"), []byte("text"), 0o600), os.Symlink("file", path("link")), syscall.Mkfifo(path("fifo"), 0o600),
		os.Symlink("fifo", path("to fifo")))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{
		path("file"): nil, path("link"): nil, path("fifo"): ErrKind, path("to fifo"): ErrKind, dir: ErrKind, os.DevNull: ErrKind, path("none"): os.ErrNotExist,
	} {
		if text, err := ReadFile(name); !errors.Is(err, want) || want == nil && string(text) != "text" {
			t.Errorf("%s: %q, %v; want %v", name, text, err, want)
		}
	}
	if _, err := Read(path("file"), 3); !errors.Is(err, ErrLarge) {
		t.Errorf("over the limit: %v", err)
	}
	for _, flags := range []int{os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_CREATE | os.O_APPEND} {
		if f, err := OpenFile(path("fifo"), flags, 0o600); err == nil {
			_ = f.Close()
			t.Errorf("a FIFO is opened with flags %x", flags)
		}
	}
}

// A file of the kernel that says it is regular, and in which there is nothing to read, ends a read with an error (behaviour 758).
func TestKernelFile(t *testing.T) {
	before := maxWait
	maxWait = 20 * time.Millisecond
	defer func() { maxWait = before }()
	const log = "/proc/kmsg"
	f, err := Open(log)
	if err != nil {
		if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("it is not refused by the kernel: %v", err)
		}
		return
	}
	defer f.Close()
	read := make(chan error, 1)
	go func() { // ends with maxWait, or with the file
		var err error
		for buf := make([]byte, 1<<16); err == nil; {
			_, err = f.Read(buf)
		}
		read <- err
	}()
	select {
	case err := <-read:
		t.Logf("it ends: %v", err)
	case <-time.After(10 * time.Second):
		t.Error("a read is not over after 10 s")
	}
}

// Of a file that is too large nothing is read; a file of the kernel says that it is empty, and is bounded by what comes.
func TestReadLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(path, []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := Read(path, 4); err != nil || string(text) != "one\n" {
		t.Fatalf("got %q, %v of a file as large as it may be", text, err)
	}
	if _, err := Read(path, 3); !errors.Is(err, ErrLarge) {
		t.Fatalf("got %v, want one byte to be too many", err)
	}
	if err := os.Truncate(path, 4<<30); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := ReadFile(path)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, ErrLarge) || got > 1<<20 {
		t.Errorf("got %v and %d bytes of memory, want nothing to be read", err, got)
	}

	const kernel = "/proc/self/status"
	if text, err := ReadFile(kernel); err != nil || !strings.Contains(string(text), "Pid:") {
		t.Errorf("got %q, %v of %s", text, err, kernel)
	}
	if _, err := Read(kernel, 10); !errors.Is(err, ErrLarge) {
		t.Errorf("got %v, want more than 10 bytes of %s to be too many", err, kernel)
	}
}

// Whoever writes a file at the same time as others writes all of it, and leaves nothing else.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	var wait sync.WaitGroup
	for i := range 50 {
		name, text := filepath.Join(dir, fmt.Sprint("file", i%5)), strings.Repeat(string(rune('a'+i%26)), 10_000)
		wait.Go(func() {
			if err := Replace(name, dir, []byte(text)); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 5 {
		t.Fatalf("got %v, %v, want five files", entries, err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if info, _ := e.Info(); err != nil || len(data) != 10_000 || strings.Trim(string(data), string(data[0])) != "" || info.Mode() != 0o600 {
			t.Errorf("%s: got %d bytes, %v, mode %v", e.Name(), len(data), err, info.Mode())
		}
	}
}
