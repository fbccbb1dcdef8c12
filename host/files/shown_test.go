package files

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// unloaded is a Neovim that has unloaded the buffer of a file, as no report has said yet.
type unloaded struct{ Editor }

func (unloaded) Snapshot(context.Context, string, bool) (Snapshot, error) { return Snapshot{}, nil }

// What is shown of a file is what its buffer has, also of one that was never saved; else what the disk has; of one that neither has it is
// said that it is not known.
func TestShown(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, []byte("disk\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, path string
		ed         Editor
		known      bool
		want       string
		ok         bool
	}{
		{"a buffer", path, opened{}, true, "text\n", true},
		{"never saved", filepath.Join(dir, "new"), opened{}, false, "text\n", true},
		{"unloaded since", path, unloaded{}, true, "disk\n", true},
		{"not loaded", path, opened{}, false, "disk\n", true},
		{"nowhere", filepath.Join(dir, "none"), unloaded{}, false, "", false},
		{"in no folder", filepath.Join(dir, "none", "f"), opened{}, false, "", false},
	} {
		w := workspace(t, tt.ed)
		if tt.known {
			w.versions.set(tt.path, at(1), false)
		}
		if got, ok := w.Shown(t.Context(), tt.path); got != tt.want || ok != tt.ok {
			t.Errorf("%s: got %q, %t; want %q, %t", tt.name, got, ok, tt.want, tt.ok)
		}
	}
}
