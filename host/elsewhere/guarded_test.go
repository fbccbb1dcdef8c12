package elsewhere

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is no longer read-only in a sandbox, since a program outside has put another file in its place, is said, and each change after
// that (behaviour 487).
func TestGuarded(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "config"), filepath.Join(dir, "other")
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(path, "1")
	g := newGuarded(dir, path)
	for _, step := range []struct {
		name string
		do   func() error
		want string // part of what is said
	}{
		{"nothing", func() error { return nil }, ""},
		{"changed in place", func() error { put(path, "12"); return nil }, ""},
		{"replaced", func() error { put(other, "123"); return os.Rename(other, path) }, "config is no longer protected"},
		{"nothing", func() error { return nil }, ""},
		{"changed in place", func() error { put(path, "1234"); return nil }, "was changed, maybe by the agent"},
		{"removed", func() error { return os.Remove(path) }, "was changed, maybe by the agent"},
		{"nothing", func() error { return nil }, ""},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if got := g.look(); !strings.Contains(got, step.want) || (got == "") != (step.want == "") {
			t.Errorf("%s: said %q, want %q", step.name, got, step.want)
		}
	}
}
