package feature

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// What fails is said once for each place and cause, whatever the temporary files are called that were tried, and again once it has
// succeeded there (behaviour 1163).
func TestWarner(t *testing.T) {
	var w Warner
	none := filepath.Join(t.TempDir(), "none")
	fails := func() error { return regular.Replace(filepath.Join(none, "file"), none, []byte("x")) }
	for i, step := range []struct {
		place string
		err   error
		want  bool
	}{
		{"a", fails(), true},
		{"a", fails(), false},
		{"b", fails(), true},
		{"b", nil, false},
		{"a", fails(), false}, // what has succeeded elsewhere says nothing of it
		{"b", fails(), true},
		{"a", errors.New("another"), true},
		{"a", errors.New("another"), false},
	} {
		if w.fresh(step.place, step.err) != step.want {
			t.Errorf("step %d: got %v, want %v", i, !step.want, step.want)
		}
	}
}
