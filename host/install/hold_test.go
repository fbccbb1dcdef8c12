package install

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A version that a process runs from is not removed, whichever Neovim it belongs to (behaviour 387).
func TestHold(t *testing.T) {
	root := t.TempDir()
	body := []byte("program")
	p := planned(t, root, agentOf(Target{Archive: served(t, "a", body), SHA256: sumOf(body), Cmd: "a"}))
	if _, err := p.Do(t.Context(), root, quiet); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(p.Folder, "a")
	release := Hold(program)
	if err := Remove(root, p.ID, p.Version); !errors.Is(err, ErrRunning) {
		t.Errorf("while it is held: %v", err)
	}
	if _, err := os.Stat(program); err != nil {
		t.Error(err)
	}
	release()
	Hold("/usr/bin/env")()
	if err := Remove(root, p.ID, p.Version); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(program); err == nil {
		t.Error("it is still there")
	}
}

// What is no agent with a version is not removed, wherever it leads.
func TestRemoveElsewhere(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a/1", "b/2"} {
		if err := os.MkdirAll(filepath.Join(root, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, bad := range [][2]string{{"b", "../a/1"}, {"b/../a", "1"}, {"..", "1"}, {"a", "."}, {"a", ".."}, {"a", ""}, {"", "a"}} {
		if err := Remove(root, bad[0], bad[1]); err == nil {
			t.Errorf("%q is removed", bad)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "a", "1")); err != nil {
		t.Error(err)
	}
}
