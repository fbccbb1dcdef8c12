package elsewhere

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// A socket that a program listens on under a path from its own folder is found in the folders that are looked at, and above them.
func TestListeningBelow(t *testing.T) {
	dir, err := buffers.Real(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "sub", "project"), 0o700); err != nil {
		t.Fatal(err)
	}

	t.Chdir(dir)
	l, err := net.Listen("unix", "sub/own socket") // that has a blank
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()

	has := func(folder string) bool {
		for _, l := range listening([]string{folder}) {
			if l.path == filepath.Join(dir, "sub", "own socket") {
				return true
			}
		}
		return false
	}
	if !has(filepath.Join(dir, "sub", "project")) || !has(dir) {
		t.Error("it is not found")
	}
	if has(t.TempDir()) {
		t.Error("it is found in another folder")
	}
}
