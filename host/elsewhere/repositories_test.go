package elsewhere

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

func shell(t *testing.T, dir, script string) {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// A repository that Git would use is noticed when it is made or led elsewhere, in every form (behaviour 487).
func TestRepositoriesAreNoticed(t *testing.T) {
	dir := t.TempDir()
	shell(t, dir, `
		repository() { mkdir -p $1/objects $1/refs $1/hooks; echo 'ref: refs/heads/main' >$1/HEAD; }
		repository .git
		for r in .git .git/modules/sub bare; do
			repository $r
			mkdir -p $r/worktrees/wt
			echo x >$r/worktrees/wt/HEAD
			echo ../.. >$r/worktrees/wt/commondir
		done
		mkdir -p away/worktrees/wt`)
	var r repositories
	first, _, cut, err := r.learn(t.Context(), []string{dir})
	if want := 6; len(first) != want || cut || err != nil {
		t.Fatalf("first: %q, %v, %v; want %d", first, cut, err, want)
	}

	tests := []struct{ name, script, want string }{
		{"nothing", "", ""},
		{"a working tree is led elsewhere", "echo ../../../away/x >.git/worktrees/wt/commondir", ".git/worktrees/wt"},
		{"one of a submodule", "echo ../../away/x >.git/modules/sub/worktrees/wt/commondir", ".git/modules/sub/worktrees/wt"},
		{"one of a repository without a working tree", "echo ../away/x >bare/worktrees/wt/commondir", "bare/worktrees/wt"},
		{"a new one", "mkdir .git/worktrees/x; cd .git/worktrees/x; echo x >HEAD; echo ../.. >commondir", ".git/worktrees/x"},
		{"objects is a link", "mkdir a; cd a; echo x >HEAD; ln -s ../bare/objects ../bare/refs .", "a"},
		{"all are links", "mkdir b; cd b; ln -s ../bare/HEAD ../bare/objects ../bare/refs .", "b"},
		{"commondir without objects", "mkdir c; cd c; echo x >HEAD; echo ../bare >commondir", "c"},
		{"below objects", "mkdir -p bare/objects/.git", "bare/objects/.git"},
		{"worktrees is a link", "mv .git/worktrees y; rm -r y/x; mkdir z; mv y z; ln -s ../z/y .git/worktrees", "z/y/wt"},
	}
	for _, tt := range tests {
		shell(t, dir, tt.script)
		fresh, _, _, err := r.learn(t.Context(), []string{dir})
		var want []string
		if tt.want != "" {
			want = []string{filepath.Join(dir, tt.want)}
		}
		if !slices.Equal(fresh, want) || err != nil {
			t.Errorf("%s: %q, %v; want %q", tt.name, fresh, err, want)
		}
	}
}

// A search that is ended learns nothing, and one of too many folders says so (behaviour 487).
func TestSearchIsBounded(t *testing.T) {
	dir := t.TempDir()
	shell(t, dir, "mkdir a b .git")
	shell(t, dir, "mkdir '!' '!/a'; echo >'!/a/.envrc'") // before all, but for the folder's own
	if found := search(t.Context(), []string{dir}, 1); found.repositories[filepath.Join(dir, ".git")] == "" || len(found.runs) > 0 || found.whole {
		t.Errorf("1 folder: %q, %q, %v", found.repositories, found.runs, found.whole)
	}
	shell(t, dir, "rm -r '!'")
	if found := search(t.Context(), []string{dir}, 4); len(found.repositories) != 1 || !found.whole {
		t.Errorf("4 folders: %q, %v", found.repositories, found.whole)
	}
	if search(t.Context(), []string{dir}, 3).whole {
		t.Error("3 of 4 folders are all")
	}

	var r repositories
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if fresh, _, _, err := r.learn(ctx, []string{dir}); len(fresh) != 0 || err == nil {
		t.Errorf("ended: %q, %v", fresh, err)
	}
	if fresh, _, _, err := r.learn(t.Context(), []string{dir}); len(fresh) != 1 || err != nil {
		t.Errorf("afterwards: %q, %v", fresh, err)
	}
}

// What a sandbox protects of a repository and its working trees, and what is said of repositories beyond the limit (behaviours 487, 515, 855).
func TestRepositoriesAreProtected(t *testing.T) {
	dir := t.TempDir()
	for i := range maxRepositories { // what only looks like one, with names that come first
		looks := filepath.Join(dir, fmt.Sprintf("!%03d", i))
		shell(t, dir, fmt.Sprintf("mkdir -p '%s/objects'; echo x >'%[1]s/HEAD'; echo x >'%[1]s/config'", looks))
	}
	git := filepath.Join(dir, "deep", "er", ".git")
	tree := filepath.Join(git, "worktrees", "wt")
	mkdir(t, tree)
	for _, name := range []string{"HEAD", "commondir"} {
		if err := os.WriteFile(filepath.Join(tree, name), []byte("../..\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	module := filepath.Join(git, "modules", "a", "b")
	mkdir(t, filepath.Join(module, "objects"))
	if err := os.WriteFile(filepath.Join(module, "HEAD"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := &Place{spec: Spec{Sandbox: true}, needs: Needs{Cwd: dir}, paths: &Map{shares: []Share{{Here: "/", Access: Writable}}}}
	list, err := p.binds(t.Context(), "/nonexistent", nil)
	if err != nil {
		t.Fatal(err)
	}
	access := map[string]Access{}
	for _, b := range list {
		access[b.path] = b.access
	}
	for path, want := range map[string]Access{
		git: Writable, filepath.Join(git, "hooks"): ReadOnly, tree: Writable, filepath.Join(tree, "commondir"): ReadOnly,
		module: Writable, filepath.Dir(module): Writable, filepath.Join(git, "modules"): Writable, filepath.Join(git, "worktrees"): Writable,
		filepath.Join(dir, "deep"): Writable, filepath.Join(dir, "deep", "er"): Writable,
		filepath.Join(dir, "!296", "config"): ReadOnly, filepath.Join(dir, "!297", "config"): Hidden,
	} {
		if got := access[path]; got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	if regular.Exists(filepath.Join(tree, "hooks")) {
		t.Error("hooks are made where none are looked for")
	}
	if note := p.Note(); !strings.Contains(note, "300 Git repositories are protected from the agent, and 3 are not, from "+dir+"/!297 on") {
		t.Errorf("note: %q", note)
	}
	if regular.Exists(filepath.Join(dir, "!000", "hooks")) {
		t.Error("hooks are made in what only looks like a repository")
	}

	for i := range maxRepositories {
		mkdir(t, filepath.Join(dir, fmt.Sprintf("r%03d", i), ".git"))
	}
	p = &Place{spec: Spec{Sandbox: true}, needs: Needs{Cwd: dir}}
	if _, err := p.binds(t.Context(), "/nonexistent", nil); err == nil || !strings.Contains(err.Error(), "more than 300 Git repositories") {
		t.Errorf("too many of them: %v", err)
	}
}

// A repository of the session's folder is the first, then come others by depth, and then what only looks like one (behaviour 855).
func TestOrderOfRepositories(t *testing.T) {
	dir := t.TempDir()
	shell(t, dir, `for r in '!1' a/b/.git a/.git/modules/x z/.git .git led linked; do mkdir -p "$r/objects"; echo x >"$r/HEAD"; done
		mkdir c d; echo 'gitdir: ../led' >c/.git; ln -s ../linked d/.git`)
	found := slices.Sorted(maps.Keys(search(t.Context(), []string{dir}, maxFolders).repositories))
	got, _, err := (&Place{}).chosen(found, []string{dir})
	for i := range got {
		got[i], _ = filepath.Rel(dir, got[i])
	}
	if want := ".git led linked a/.git c/.git d/.git z/.git a/b/.git a/.git/modules/x !1"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

// Folders of $PATH in a session's folders are read-only, also relative ones and behind links; those that are not there are watched, and one
// that cannot be read-only is said (behaviour 853).
func TestPathIsProtected(t *testing.T) {
	dir := t.TempDir()
	shell(t, dir, "mkdir -p bin tools/real node_modules/.bin /tmp; ln -s tools/real link")
	t.Setenv("PATH", strings.Join([]string{dir + "/bin", dir + "/link/", "node_modules/.bin", dir + "/later/bin", "", dir, "/usr/bin"}, ":"))
	p := &Place{needs: Needs{Cwd: dir}, paths: &Map{shares: []Share{{Here: "/", Access: Writable}}}}
	access := map[string]Access{}
	p.protectPath([]string{dir}, access)
	for _, name := range []string{"bin", "tools/real", "node_modules/.bin"} {
		if access[filepath.Join(dir, name)] != ReadOnly {
			t.Errorf("%s is not read-only: %v", name, access)
		}
	}
	for _, name := range []string{"link", "later/bin"} {
		if by, _ := p.repositories.by(filepath.Join(dir, name)); !strings.Contains(by, "$PATH") {
			t.Errorf("%s is not watched: %q", name, by)
		}
	}
	if note := p.Note(); len(access) != 3 || len(p.limits) != 2 || !strings.HasPrefix(note, "$PATH has ., which") || !strings.Contains(note, ". $PATH has "+dir) {
		t.Errorf("%v; said: %q", access, note)
	}
}

func mkdir(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}
