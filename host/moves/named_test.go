package moves

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/history"
	"github.com/nvim-acp/nvim-acp/host/review"
)

// A lost file is where Neovim has renamed it to, by however many names, if there is a file; one that was not renamed is nowhere.
func TestByName(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"b", "d"} {
		if err := os.WriteFile(at(name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names := map[string]string{}
	for from, to := range map[string]string{"a": "b", "b": "c", "c": "d", "e": "none", "f": "g", "g": "f"} {
		names[at(from)] = at(to)
	}
	got := byName([]string{at("a"), at("c"), at("e"), at("f"), at("lost")}, names)
	if want := map[string]string{at("a"): at("d"), at("c"): at("d")}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// quietHost is a host without sessions.
type quietHost struct{ feature.Host }

func (quietHost) Sessions() []feature.Session { return nil }

// What is lost is looked for once, unless there is a file meanwhile or Neovim has another name for it; one that was found is not lost, until
// it is back and goes again.
func TestLost(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	m := New(quietHost{}, nil, new(history.History), new(review.Desk), Hooks{})
	write := func(name string) error { return os.WriteFile(at(name), []byte(name), 0o600) }
	for i, step := range []struct {
		does func() error
		want string // names
	}{
		{nil, "a b"},
		{func() error { m.gone[at("a")] = true; return nil }, "b"},
		{func() error { m.gone[at("b")] = false; return nil }, ""},
		{func() error { return write("a") }, ""},
		{func() error { return os.Remove(at("a")) }, "a"},
		{func() error { m.places[at("a")] = at("c"); return nil }, ""},
		{func() error { return write("a") }, ""},
		{func() error { return os.Remove(at("a")) }, "a"},
		{func() error { m.gone[at("a")], m.renamed[at("a")] = true, at("none"); return nil }, ""},
		{func() error { m.renamed[at("none")] = at("c"); return write("c") }, "a"},
	} {
		if step.does != nil {
			if err := step.does(); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		lost, _, _ := m.lost([]string{at("b"), at("a"), at("b"), dir})
		for _, path := range lost {
			got = append(got, filepath.Base(path))
		}
		if strings.Join(got, " ") != step.want {
			t.Errorf("step %d: got %q, want %q", i, got, step.want)
		}
		if _, known := m.seen[at("a")]; known != (i >= 3) || m.seen[dir] != (fileID{}) {
			t.Errorf("step %d: the file that was there is known: %v", i, known)
		}
	}
}
