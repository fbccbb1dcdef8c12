package moves

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
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
