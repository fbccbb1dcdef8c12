package rewind

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/checkpoint"
)

// A folder comes back with its mode, once what is in it has come, and not behind a link (behaviours 692, 1143).
func TestMakeFolder(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	list := []checkpoint.Folder{{Path: filepath.Join(dir, "a/b"), Mode: 0o500}, {Path: filepath.Join(dir, "a"), Mode: 0o711}, {Path: dir, Mode: 0o755}}
	missing := Missing(append(list, list...))
	if len(missing) != 2 || missing[0].Path != filepath.Join(dir, "a") {
		t.Fatalf("missing: %v", missing)
	}

	var modes []func() error
	for _, f := range missing {
		mode, err := MakeFolder(f)
		if err != nil {
			t.Fatal(err)
		}
		modes = append(modes, mode)
	}
	if err := os.WriteFile(filepath.Join(dir, "a/b/file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, mode := range modes {
		if err := mode(); err != nil {
			t.Error(err)
		}
	}
	for _, f := range missing {
		if info, err := os.Stat(f.Path); err != nil || info.Mode().Perm() != f.Mode {
			t.Errorf("%s: %v, %v, want %v", f.Path, info.Mode(), err, f.Mode)
		}
	}

	if err := os.Chmod(filepath.Join(dir, "a/b"), 0o700); err != nil {
		t.Error(err)
	}
	if err := os.Symlink("a", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{"link/c": errLink, "link": os.ErrExist, "a": os.ErrExist} {
		if _, err := MakeFolder(checkpoint.Folder{Path: filepath.Join(dir, name), Mode: 0o777}); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}
