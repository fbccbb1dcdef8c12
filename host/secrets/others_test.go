package secrets

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A secret is found by each name that it has below the folders of a session: hard links, links, and those to a folder above it, also
// through one another and to folders elsewhere (behaviour 1045).
func TestOthers(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", filepath.Join(dir, "home"))
	for _, name := range []string{"p/.env", "p/config/.env", "p/config/a/id_rsa", "p/src/a.ts", "far/.env", "far/notes", "home/.env"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"link": "config", "src/up": "..", "soft.txt": ".env", "soft2": "soft.txt", "chain": "link/a", "away": "../far", "lost": "nowhere",
		"plain": "src", "config/self": ".", "own.txt": "../home/.env",
	} {
		if err := os.Symlink(target, filepath.Join(dir, "p", name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(dir, "p/.env"), filepath.Join(dir, "p/src/notes.txt")); err != nil {
		t.Fatal(err)
	}

	p := Compile([]string{"**/.env*", "**/id_rsa*"}, []string{filepath.Join(dir, "p")})
	known, _ := p.Known(t.Context())
	others, all := p.Others(t.Context(), known)
	if !all {
		t.Error("there are more")
	}
	for path, names := range map[string]string{
		"p/.env":            "p/soft.txt p/soft2 p/src/notes.txt p/src/up/.env p/src/up/soft.txt",
		"p/config/.env":     "p/link/.env p/src/up/config/.env p/src/up/link/.env p/config/self/.env p/link/self/.env",
		"p/config/a/id_rsa": "p/chain/id_rsa p/link/a/id_rsa",
		"far/.env":          "p/away/.env p/src/up/away/.env",
		"home/.env":         "p/own.txt",
		"p/src/a.ts":        "",
		"far/notes":         "",
	} {
		got := others[filepath.Join(dir, path)]
		for _, name := range strings.Fields(names) {
			if !slices.Contains(got, filepath.Join(dir, name)) {
				t.Errorf("%s is not %s: %q", name, path, got)
			}
		}
		if names == "" && len(got) > 0 {
			t.Errorf("%s: %q", path, got)
		}
	}
	for path, names := range others {
		sorted := slices.Sorted(slices.Values(names))
		if len(slices.Compact(sorted)) != len(names) || slices.Contains(names, path) {
			t.Errorf("%s: some twice, or itself: %q", path, names)
		}
	}
}

// Links that lead to one another end, and it is known that not all names are.
func TestOthersEnd(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".env"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if err := os.Symlink(".", filepath.Join(dir, "l"+strings.Repeat("x", i))); err != nil {
			t.Fatal(err)
		}
	}
	p := Compile([]string{".env"}, []string{dir})
	known, _ := p.Known(t.Context())
	if _, all := p.Others(t.Context(), known); all {
		t.Error("all are known")
	}
}
