package files

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// restless is a Neovim that finds another version on the disk each time.
type restless struct {
	opened
	edits *int
}

func (r restless) Edit(_ context.Context, e *Edit) (Edited, error) {
	*r.edits++
	if e.Was != nil {
		return Edited{Result: "stale"}, nil
	}
	return Edited{Result: "ok", Exact: true}, nil
}

// A program that writes a file all the time does not keep an agent's text out of it for ever (behaviour 1518).
func TestRestlessDisk(t *testing.T) {
	real := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(real, []byte("text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	edits := 0
	w := workspace(t, restless{edits: &edits})
	shown := Text{Lines: []string{"new"}, EOL: true}
	err := w.Rewrite(t.Context(), real, false, func(View) (_, _ Text, err error) { return shown, shown, nil }, func() {})
	if err != nil || edits != maxPlans+1 {
		t.Errorf("%d edits, %v", edits, err)
	}
}
