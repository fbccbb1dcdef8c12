package buffers

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A folder is swapped with a link all the time: no write goes where that leads (behaviour 692).
func TestWriteRealRaces(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"d", "hooks"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("hooks", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() { // until stop
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = unix.Renameat2(unix.AT_FDCWD, filepath.Join(dir, "d"), unix.AT_FDCWD, filepath.Join(dir, "link"), unix.RENAME_EXCHANGE)
		}
	}()
	wrote := 0
	for i := range 2000 {
		if _, err := WriteReal(filepath.Join(dir, "d", "x"), fmt.Sprint(i), WriteOptions{}); err == nil {
			wrote++
		}
	}
	close(stop)
	<-done
	if list, err := os.ReadDir(filepath.Join(dir, "hooks")); err != nil || len(list) > 0 {
		t.Errorf("written behind the link: %v, %v", list, err)
	}
	if wrote == 0 || wrote == 2000 {
		t.Errorf("%d of 2000 writes went into the folder: nothing was tried", wrote)
	}
}

// A file is swapped with a link to another one in its folder all the time: no write goes where that leads (behaviour 692).
func TestWriteRealRacesFile(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path, other, next := filepath.Join(dir, "x"), filepath.Join(dir, "other"), filepath.Join(dir, "next")
	if err := os.WriteFile(other, []byte("keep"), 0o600); err != nil {
		t.Fatal(err)
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() { // until stop
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Symlink("other", next)
			_ = os.Rename(next, path)
			_ = os.WriteFile(next, []byte("mine"), 0o600)
			_ = os.Rename(next, path)
		}
	}()
	wrote := 0
	const writes = 30_000
	for i := range writes {
		if _, err := WriteReal(path, fmt.Sprint(i), WriteOptions{}); err == nil {
			wrote++
		}
	}
	close(stop)
	<-done
	if text, err := os.ReadFile(other); err != nil || string(text) != "keep" {
		t.Errorf("written behind the link: %q, %v", text, err)
	}
	if wrote == 0 || wrote == writes {
		t.Errorf("%d of %d writes went into the file: nothing was tried", wrote, writes)
	}
}
