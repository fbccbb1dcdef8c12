package elsewhere

import (
	"os"
	"sync"
	"testing"
)

// Folders that are made at the same time leave each other alone; one whose host is gone is removed.
func TestFolders(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	old, err := newFolder()
	if err != nil {
		t.Fatal(err)
	}
	_ = old.lock.Close() // as when its process ends
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				f, err := newFolder()
				if err == nil {
					err = os.Mkdir(f.join("tmp"), 0o700)
				}
				if err != nil {
					t.Error(err)
				}
				f.remove()
			}
		})
	}
	group.Wait()
	if left, _ := os.ReadDir(os.TempDir()); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
