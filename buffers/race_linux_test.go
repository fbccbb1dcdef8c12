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
