package buffers

import (
	"os"
	"path/filepath"
	"testing"
)

// A file counts as being written while somebody has it open for writing, not for reading.
func TestBeingWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	w, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if !BeingWritten(path) {
		t.Error("a file that is open for writing is not being written")
	}
	_ = w.Close()
	r, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if BeingWritten(path) || BeingWritten(path+".none") {
		t.Error("a file that nobody writes is being written")
	}
}
