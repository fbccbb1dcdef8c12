package rewind

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A file that comes back in the place of a link gets none of the attributes of what the link leads to; in the place of a file it gets
// that file's (behaviour 692).
func TestAttributesOfNoOther(t *testing.T) {
	dir := t.TempDir()
	other, link := filepath.Join(dir, "other"), filepath.Join(dir, "link")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := unix.Setxattr(other, "user.nvim-acp", []byte("x"), 0)
	some := !errors.Is(err, unix.ENOTSUP) // the file system has attributes
	if some && err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("other", link); err != nil {
		t.Fatal(err)
	}

	for path, want := range map[string]bool{link: false, other: some} {
		if err := Write(path, file("1")); err != nil {
			t.Fatal(err)
		}
		_, err := unix.Lgetxattr(path, "user.nvim-acp", make([]byte, 8))
		if (err == nil) != want {
			t.Errorf("%s: %v", filepath.Base(path), err)
		}
	}
}
