package history

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/checkpoint"
)

// In a folder with hundreds of repositories one line says that some have no checkpoints (behaviour 515).
func TestMissingTexts(t *testing.T) {
	got := missingTexts([]checkpoint.Missing{
		{Root: "/p/a", Reason: "too many"}, {Root: "/p/b", Reason: "cannot be read"}, {Root: "/p/c", Reason: "too many"},
	}, "no checkpoints of %s (%s): :AcpUndo knows only changes made through the editor", filepath.Base)
	want := []string{
		"no checkpoints of a and 1 more (too many): :AcpUndo knows only changes made through the editor",
		"no checkpoints of b (cannot be read): :AcpUndo knows only changes made through the editor",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
