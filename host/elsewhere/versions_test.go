package elsewhere

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What an agent puts into a folder that is watched hides nothing that it changes there: neither what cannot be read, nor so many files that
// not all are compared, which is said (behaviour 1132).
func TestNothingHidesBehindOthers(t *testing.T) {
	deep := `cd lua; mkdir .a; cd .a; n=$(printf %0200d 1); for i in $(seq 30); do mkdir $n; cd -P $n; done; echo 1 >x`
	for _, tt := range []struct{ name, first, then string }{
		{"nothing", "true", "echo 2 >lua/x.lua"},
		{"a folder that cannot be read", "mkdir lua/.a; chmod 0 lua/.a", "echo 2 >lua/x.lua"},
		{"a folder that is too deep to be read", deep, "echo 2 >lua/x.lua"},
		{"a link to nowhere", "ln -s nowhere lua/.a", "echo 2 >lua/x.lua"},
		{"a thousand files", "mkdir lua/.a; cd lua/.a; seq 1000 | xargs touch", "echo 2 >lua/x.lua"},
		{"more files than are compared", fmt.Sprintf("mkdir lua/.a; cd lua/.a; seq %d | xargs touch", maxGuarded), "echo 2 >lua/x.lua"},
		{"a new file behind that", fmt.Sprintf("mkdir lua/.a; cd lua/.a; seq %d | xargs touch", maxGuarded), "echo 2 >lua/y.lua"},
		{"a deeper one", "mkdir lua/.a lua/z; chmod 0 lua/.a", "echo 2 >lua/z/x.lua"},
	} {
		root, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		shell(t, root, "mkdir lua; echo 1 >lua/x.lua")
		dir := filepath.Join(root, "lua")
		p := &Place{needs: Needs{Cwd: root}, spec: Spec{Sandbox: true}}
		p.repositories.watch("Neovim", dir)
		shell(t, root, tt.first)
		if _, _, _, err := p.repositories.learn(t.Context(), []string{root}); err != nil {
			t.Fatal(err)
		}
		shell(t, root, tt.then)
		texts := p.changes(p.repositories.learn(t.Context(), []string{root}))
		want := "lua was changed"
		if strings.Contains(tt.first, fmt.Sprint(maxGuarded)) {
			want = fmt.Sprintf("lua has more than %d files", maxGuarded)
		}
		if len(texts) != 1 || !strings.HasPrefix(texts[0], want) {
			t.Errorf("%s: said %q", tt.name, texts)
		}
		_ = os.Chmod(filepath.Join(dir, ".a"), 0o700) // or it cannot be removed
	}
}

// A folder that does not change is the same as long as all is compared, with what cannot be read; what comes last in one counts too.
func TestVersionsOfFolders(t *testing.T) {
	dir := t.TempDir()
	shell(t, dir, "mkdir -p f/.a f/z; echo 1 >f/z/x; chmod 0 f/.a; ln -s nowhere f/b")
	path := filepath.Join(dir, "f")
	for name, of := range map[string]func(string) string{"stamps": stamps, "contents": contents, "version": version} {
		was := of(path)
		if of(path) != was || !isKnown(was) {
			t.Errorf("%s: another one of the same", name)
		}
		shell(t, dir, "echo 2 >>f/z/x")
		if of(path) == was {
			t.Errorf("%s: the same of another", name)
		}
	}
	_ = os.Chmod(filepath.Join(path, ".a"), 0o700) // or it cannot be removed
	shell(t, dir, fmt.Sprintf("cd f; seq %d | xargs touch", maxGuarded))
	if was := version(path); isKnown(was) || version(path) == was {
		t.Error("all is compared")
	}
	g := newGuarded(dir, path, "Git")
	if got := g.look(); !strings.Contains(got, "has more than") {
		t.Errorf("said %q", got)
	}
	if got := g.look(); got != "" {
		t.Errorf("said again: %q", got)
	}
}
