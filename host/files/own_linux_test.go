package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// saving is a Neovim in which something happens right after a save, or after it is told that the disk has changed.
type saving struct {
	failing
	after func()
}

func (s *saving) Edit(ctx context.Context, e *Edit) (Edited, error) {
	got, err := s.failing.Edit(ctx, e)
	s.after()
	return got, err
}

func (s *saving) DiskChanged(context.Context, string) error {
	s.after()
	return nil
}

// A file that comes back for its owner alone is so before anybody else can look, where Neovim does not save it; and whoever puts another
// file or a link in its place gets nothing of what that leads to changed (behaviours 360, 692).
func TestComesBackForItsOwner(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		loaded, swap bool
		at           fs.FileMode // right after the write
		fails        bool
	}{
		{"on the disk", false, false, 0o600, false},
		{"on the disk, a link comes", false, true, 0o600, false},
		{"in a buffer", true, false, 0o644, false},
		{"in a buffer, a link comes", true, true, 0o644, true},
	} {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		path, outside := filepath.Join(dir, "a.txt"), filepath.Join(t.TempDir(), "outside")
		if err := errors.Join(os.WriteFile(outside, []byte("x"), 0o600), os.Chmod(outside, 0o644)); err != nil {
			t.Fatal(err)
		}
		mode := func(path string) fs.FileMode {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			return info.Mode().Perm()
		}
		ed := &saving{failing: failing{path: path, loaded: tt.loaded, lines: []string{""}, tick: 1}}
		ed.after = func() {
			if tt.loaded {
				_ = os.Chmod(path, 0o644) // as a new file of Neovim's
			}
			if got := mode(path); got != tt.at {
				t.Errorf("%s: %v after the write, want %v", tt.name, got, tt.at)
			}
			if tt.swap {
				if err := errors.Join(os.Remove(path), os.Symlink(outside, path)); err != nil {
					t.Fatal(err)
				}
			}
		}
		w := New(Options{
			Editor: ed, Settings: func() Settings { return Settings{MaxRead: 1 << 20} }, Sessions: func() []Session { return nil },
			Warn: func(string) {}, Refresh: func() {}, Changed: func(Change) {}, Gone: func(context.Context, string) bool { return false },
		})
		err = w.Rewrite(t.Context(), path, true, func(View) (Text, Text, error) { return textOf("back\n"), textOf("back\n"), nil }, func() {})
		if (err != nil) != tt.fails {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got := mode(outside); got != 0o644 {
			t.Errorf("%s: the file outside has %v", tt.name, got)
		}
		if !tt.swap && mode(path) != 0o600 {
			t.Errorf("%s: %v", tt.name, mode(path))
		}
		_ = w.Close()
	}
}
