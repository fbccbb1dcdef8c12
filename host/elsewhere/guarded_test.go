package elsewhere

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What is no longer read-only in a sandbox, since a program outside has put another file in its place, is said, and each change of its
// bytes, whatever its size and times are (behaviours 487, 852).
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
	then := time.Unix(1e9, 0)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
	g := newGuarded(dir, path, "Git")
	for _, step := range []struct {
		name string
		do   func() error
		want string // part of what is said
	}{
		{"nothing", func() error { return nil }, ""},
		{"changed in place", func() error { put(path, "2"); return os.Chtimes(path, then, then) }, "config was changed, maybe by the agent"},
		{"nothing", func() error { return nil }, ""},
		{"another time", func() error { return os.Chtimes(path, time.Time{}, then.Add(time.Hour)) }, ""},
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

// A folder of hooks is compared with all in it, and with who may run that (behaviour 852).
func TestGuardedFolder(t *testing.T) {
	dir := t.TempDir()
	shell(t, dir, "mkdir -p hooks/deep; echo 1 >hooks/a; echo 1 >hooks/deep/b")
	g := newGuarded(dir, filepath.Join(dir, "hooks"), "Git")
	for _, step := range []struct{ name, script, want string }{
		{"nothing", "", ""},
		{"a file", "echo 2 >hooks/a", "changed"},
		{"a deeper one", "echo 2 >hooks/deep/b", "changed"},
		{"who may run it", "chmod +x hooks/a", "changed"},
		{"a new one", "echo 1 >hooks/c", "changed"},
		{"a time", "touch -d @1 hooks/c", ""},
		{"the folder", "mv hooks old; cp -r old hooks", "no longer protected"},
		{"nothing", "", ""},
	} {
		shell(t, dir, step.script)
		if got := g.look(); !strings.Contains(got, step.want) || (got == "") != (step.want == "") {
			t.Errorf("%s: said %q, want %q", step.name, got, step.want)
		}
	}
}
