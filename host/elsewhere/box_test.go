package elsewhere

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What has gone since a sandbox opened is neither shown nor hidden to the next command, but what protects a repository that is still
// there stays, and it comes back with its path (behaviour 518).
func TestGoneSinceItOpened(t *testing.T) {
	dir := t.TempDir()
	shell(t, dir, `mkdir -p tree/.git/hooks .git/hooks; echo x >tree/.git/config; echo x >.git/config`)
	listener := listenAt(t, filepath.Join(dir, "app"))
	p := &Place{spec: Spec{Sandbox: true}, needs: Needs{Cwd: dir}}
	binds, err := p.binds(t.Context(), "/nonexistent", nil)
	if err != nil {
		t.Fatal(err)
	}
	x := box{words: []string{"bwrap"}, binds: binds, empty: []string{"/e"}}
	if err := x.hold(); err != nil {
		t.Fatal(err)
	}
	defer x.letGo()
	view := t.TempDir()
	words := func() string {
		t.Helper()
		argv, _, err := x.enter([]string{view}, nil)
		if err != nil {
			return err.Error()
		}
		return strings.ReplaceAll(strings.Join(argv, " "), p.roots()[0], "")
	}
	hide, tree, config := "--ro-bind /dev/null /app", "--bind /tree/.git /tree/.git", "--ro-bind /.git/config /.git/config"

	all := words()
	for _, want := range []string{hide, tree, config} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in %q", want, all)
		}
	}
	if !strings.Contains(all, "--ro-bind "+view+" "+view+" --remount-ro") {
		t.Errorf("there is no room for a view: %q", all)
	}

	_ = listener.Close()
	shell(t, dir, "rm -r tree")
	if got := words(); strings.Contains(got, "/app") || strings.Contains(got, "/tree") || !strings.Contains(got, config) {
		t.Errorf("afterwards: %q", got)
	}
	shell(t, dir, "echo text >app")
	if got := words(); strings.Contains(got, "/app") {
		t.Errorf("a file is hidden: %q", got)
	}
	shell(t, dir, "rm app")
	listenAt(t, filepath.Join(dir, "app"))
	if got := words(); !strings.Contains(got, hide) {
		t.Errorf("it listens again: %q", got)
	}
}

// Sockets that a search finds are hidden, as many as it says, but for that of the editor's tools (behaviour 519).
func TestSocketsAreHidden(t *testing.T) {
	dir := t.TempDir()
	mkdir(t, filepath.Join(dir, "tools"))
	t.Chdir(dir) // the path of a socket must be short
	listenAt(t, filepath.Join("tools", "s"))
	for i := range maxSockets + 1 {
		l := listenAt(t, fmt.Sprintf("%03d", i))
		l.SetUnlinkOnClose(false) // it stays, and nobody listens
		_ = l.Close()
	}
	p := &Place{spec: Spec{Sandbox: true}, needs: Needs{Cwd: dir, Socket: filepath.Join(dir, "tools")}}
	list, err := p.binds(t.Context(), "/nonexistent", nil)
	if err != nil {
		t.Fatal(err)
	}
	var hidden []string
	for _, b := range list {
		if b.access == Hidden && b.kind == os.ModeSocket {
			hidden = append(hidden, filepath.Base(b.path))
		}
	}
	if len(hidden) != maxSockets || slices.Contains(hidden, "s") || hidden[0] != "000" {
		t.Errorf("%d are hidden: %q", len(hidden), hidden)
	}
	if note := strings.Join(p.limits, " "); !strings.Contains(note, "300 sockets") || !strings.Contains(note, "and 2 only if") {
		t.Errorf("note: %q", note)
	}
}

func listenAt(t *testing.T, name string) *net.UnixListener {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}
