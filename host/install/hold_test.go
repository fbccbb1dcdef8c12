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
