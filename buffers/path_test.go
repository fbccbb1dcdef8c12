package buffers

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestReal(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "real/sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"link": "real", "lost": "real/no/file", "far": "lost", "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"real/sub": "real/sub", "link/sub": "real/sub", "link/sub/..": "real", "link/new/file": "real/new/file",
		"lost": "real/no/file", "far": "real/no/file", "lost/x": "real/no/file/x",
	} {
		got, err := Real(dir + "/" + path)
		if err != nil || got != filepath.Join(dir, want) {
			t.Errorf("Real(%s) = %s, %v, want %s", path, got, err, want)
		}
	}
	if _, err := Real(filepath.Join(dir, "loop")); err == nil {
		t.Error("a loop of links was followed")
	}
	if _, err := Real("real"); !errors.Is(err, ErrRelative) {
		t.Errorf("relative: got %v", err)
	}
}

func TestInside(t *testing.T) {
	for _, tt := range []struct {
		root, path string
		want       bool
	}{
		{"/a/b", "/a/b", true}, {"/a/b", "/a/b/c/d", true}, {"/a/b", "/a/bc", false}, {"/a/b", "/a", false},
		{"/", "/x", true}, {"/a/b/", "/a/b/c", true}, {"/a/b", "/a/b/..c", true},
	} {
		if got := Inside([]string{"/other", tt.root}, tt.path); got != tt.want {
			t.Errorf("Inside(%s, %s) = %v", tt.root, tt.path, got)
		}
	}
}
