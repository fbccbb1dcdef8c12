package buffers

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A file becomes its owner's only under its own name: nothing behind a link, nor a file from elsewhere that has got the name too, whatever
// comes there meanwhile (behaviours 360, 692).
func TestOwnRealFollowsNoLink(t *testing.T) {
	outside := put(t, "f", "old")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	mode := func(path string) os.FileMode {
		t.Helper()
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	own := filepath.Join(dir, "own")
	for _, path := range []string{outside, own} {
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink(outside, filepath.Join(dir, "file")), os.Symlink(filepath.Dir(outside), filepath.Join(dir, "dir")),
		os.Symlink("own", filepath.Join(dir, "near")), os.Link(outside, filepath.Join(dir, "hard"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file", "dir/f", "near", "hard", "none"} {
		if err := OwnReal(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s has become its owner's", name)
		}
	}
	if got := mode(outside); got != 0o644 {
		t.Errorf("the file outside: %v", got)
	}
	if got := mode(own); got != 0o644 {
		t.Errorf("the file that a link names: %v", got)
	}
	if err := OwnReal(own); err != nil || mode(own) != 0o600 {
		t.Errorf("its own: %v, %v", mode(own), err)
	}
}
