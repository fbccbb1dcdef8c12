package buffers

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A path that leads elsewhere than it did when it was resolved is not read.
func TestReadReal(t *testing.T) {
	dir := t.TempDir()
	dir, err := filepath.EvalSymlinks(dir)
	check(t, err)
	for _, name := range []string{"inside", "outside"} {
		check(t, os.Mkdir(filepath.Join(dir, name), 0o755))
		check(t, os.WriteFile(filepath.Join(dir, name, "f"), []byte(name), 0o644))
	}
	path := filepath.Join(dir, "inside", "f")
	if f, err := ReadReal(path, nil, nil, 100); err != nil || f.Text != "inside" {
		t.Errorf("got %q, %v", f.Text, err)
	}
	check(t, os.Rename(filepath.Join(dir, "inside"), filepath.Join(dir, "moved")))
	check(t, os.Symlink(filepath.Join(dir, "outside"), filepath.Join(dir, "inside")))
	if f, err := ReadReal(path, nil, nil, 100); err == nil && runtime.GOOS == "linux" {
		t.Errorf("a folder that has become a link is followed: %q", f.Text)
	}
	check(t, os.Symlink(filepath.Join(dir, "outside", "f"), filepath.Join(dir, "link")))
	if f, err := ReadReal(filepath.Join(dir, "link"), nil, nil, 100); err == nil {
		t.Errorf("a link is followed: %q", f.Text)
	}
}

// What cannot be written or removed is named by its path.
func TestNamed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	if err := os.MkdirAll(filepath.Join(path, "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, wrote := WriteReal(path, "text", WriteOptions{})
	for _, err := range []error{wrote, RemoveReal(path)} {
		if err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "/proc/") {
			t.Errorf("got %v", err)
		}
	}
}
