package files

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// restless is a Neovim to whose edits something happens each time while they wait: another program writes the file, or, a few times
// before that, the user types.
type restless struct {
	opened
	typed  int // edits before that program begins
	edits  *int
	blind  *int // edits that do not look at the disk
	writes func(n int)
}

func (r restless) Edit(_ context.Context, e *Edit) (Edited, error) {
	*r.edits++
	if e.Was == nil {
		*r.blind++
		return Edited{Result: "ok", Exact: true}, nil
	}
	if *r.edits > r.typed {
		r.writes(*r.edits)
	}
	return Edited{Result: "stale"}, nil
}

// A program that writes a file all the time does not keep an agent's text out of it for ever; what the user types meanwhile does not
// count (behaviour 1518).
func TestRestlessDisk(t *testing.T) {
	for _, typed := range []int{0, 3 * maxVersions} {
		real := filepath.Join(t.TempDir(), "f")
		write := func(n int) {
			if err := os.WriteFile(real, []byte(strings.Repeat("text\n", n)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write(1)
		edits, blind := 0, 0
		w := workspace(t, restless{typed: typed, edits: &edits, blind: &blind, writes: write})
		shown := Text{Lines: []string{"new"}, EOL: true}
		err := w.Rewrite(t.Context(), real, false, func(View) (_, _ Text, err error) { return shown, shown, nil }, func() {})
		if err != nil || blind != 1 || edits != typed+maxVersions+1 {
			t.Errorf("%d of %d edits without a look at the disk, %v", blind, edits, err)
		}
	}
}
