package files_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/host/files"
)

// A file that was moved to its place keeps the time of its text, and counts as changed then; one that is gone as its folder. So does a file
// in a folder that was moved, and nothing that happens beside them, in a root or above it.
func TestTouched(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	old := time.Now().Add(-time.Hour)
	path, inner := filepath.Join(root, "a", "b", "file"), filepath.Join(root, "a", "b")
	for _, err := range []error{
		os.MkdirAll(inner, 0o700),
		os.WriteFile(path, nil, 0o600),
		os.Chtimes(path, old, old),
		os.Chtimes(inner, old, old),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []string{path, filepath.Join(inner, "none"), filepath.Join(inner, "none", "none")} {
		if at := files.Touched(p, []string{root}); time.Since(at) > time.Minute {
			t.Errorf("%s: %v", p, at)
		}
	}

	roots, top := []string{root}, filepath.Join(root, "top")
	if err := os.WriteFile(top, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	touch := func(name string) { // changes a folder after all that was before
		t.Helper()
		before := files.Touched(path, roots)
		for deadline := time.Now().Add(10 * time.Second); ; {
			if err := os.Chmod(filepath.Join(root, name), 0o700); err != nil {
				t.Fatal(err)
			}
			if files.Touched(filepath.Join(root, name), []string{filepath.Dir(filepath.Join(root, name))}).After(before) {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s is as old as %s", name, path)
			}
		}
	}
	for _, tt := range []struct {
		change string
		path   string
		counts bool
	}{
		{"a/b/file", path, true},
		{"a/b", path, true},
		{"a", path, true},
		{".", path, false},
		{"..", path, false},
		{"top", path, false},
		{"a", top, false},
		{".", top, false},
		{".", filepath.Join(root, "none"), true},
		{"..", filepath.Join(root, "none"), false},
	} {
		before := files.Touched(tt.path, roots)
		touch(tt.change)
		if counts := files.Touched(tt.path, roots).After(before); counts != tt.counts {
			t.Errorf("%s changes, and %s: got %v, want %v", tt.change, tt.path, counts, tt.counts)
		}
	}
}
