package files_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/host/files"
)

// A file that was moved to its place keeps the time of its text, and counts as changed then; one that is gone as its folder.
func TestTouched(t *testing.T) {
	root := t.TempDir()
	old := time.Now().Add(-time.Hour)
	path, inner := filepath.Join(root, "a", "file"), filepath.Join(root, "a")
	for _, err := range []error{
		os.Mkdir(inner, 0o700),
		os.WriteFile(path, nil, 0o600),
		os.Chtimes(path, old, old),
		os.Chtimes(inner, old, old),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []string{path, filepath.Join(inner, "none", "none")} {
		if at := files.Touched(p, []string{root}); time.Since(at) > time.Minute {
			t.Errorf("%s: %v", p, at)
		}
	}
}
