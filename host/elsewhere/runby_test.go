package elsewhere

import (
	"path/filepath"
	"testing"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// What Git runs, or makes a repository of, is not a file as any other: neither by another case, nor by another name, nor in what only looks
// like a repository, nor where a configuration names it (behaviours 706, 1040).
func TestRunByGit(t *testing.T) {
	dir, err := buffers.Real(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	shell(t, dir, `
		git init -q p; git init -q --bare p/evil; git init -q --bare p/made; rm p/made/HEAD; git init -q --bare trees.git
		cd p; git init -q --bare led; mkdir sub scripts tools src half; echo 'gitdir: ../led' >sub/.git; mkdir half/objects
		printf '#!/bin/sh\nexec scripts/check\n' >.git/hooks/pre-commit; printf '. scripts/more\n' >scripts/check; echo >scripts/more; echo >scripts/other
		git config core.hooksPath tools/hooks; git config filter.x.clean "tools/clean --x"; git config include.path ../inc; echo >tools/clean
		git -c user.name=x -c user.email=x commit -q --allow-empty -m x; git worktree add -q ../wt 2>/dev/null
		git -C ../trees.git fetch -q ../p HEAD; git -C ../trees.git worktree add -q --detach main FETCH_HEAD`)
	for path, want := range map[string]bool{
		"p/.git": true, "p/.GIT": true, "p/.git/config": true, "p/.GIT/hooks/pre-commit": true, "p/new/.git": true, "p/.g\u200cit/config": true, "p/GIT~1/config": true,
		"p/sub/.git": true, "p/led/config": true, "p/led/x/y": true,
		"p/evil/config": true, "p/evil/HEAD": true, "p/evil/hooks/x": true, "p/evil/CONFIG": true, "trees.git/config": true,
		"p/made/HEAD": true, "p/half/HEAD": true, "p/half/head": true, "p/x/commondir": true, "p/x/gitdir": true,
		"p/scripts/check": true, "p/tools/hooks/pre-commit": true, "p/tools/clean": true, "p/Tools/Hooks/x": true, "p/inc": true, "wt/tools/hooks/x": true, "wt/tools/clean": true, "wt/scripts/check": true,
		"p/scripts/other": false, "p/src/a.go": false, "p/head.go": false, "p/src/head": false, "p/made/config": false, "p/half/x": false, "trees.git/main/a.go": false, "wt/a.go": false, "p/.gitignore": false,
		"p/.github/x": false,
	} {
		if got := RunBy(filepath.Join(dir, path)); (got == "Git") != want {
			t.Errorf("%s: by %q, want Git: %v", path, got, want)
		}
	}
	shell(t, dir, "cd p; git config --unset core.hooksPath; mkdir objects; echo x >x")
	names = namesCache{}
	for path, want := range map[string]bool{"scripts/check": true, "scripts/more": true, "tools/hooks/pre-commit": false, "x": false} {
		if got := RunBy(filepath.Join(dir, "p", path)); (got == "Git") != want {
			t.Errorf("%s: by %q, want Git: %v", path, got, want)
		}
	}
}

// The case of letters does not count in names of what programs run (behaviour 706).
func TestRunByCase(t *testing.T) {
	for _, path := range []string{".Envrc", ".VSCODE/tasks.json", ".Husky/x", "JUSTFILE", "Lefthook.TOML", "x.Code-Workspace", ".Claude/Settings.json"} {
		if got := RunBy("/nowhere/p/" + path); got == "" {
			t.Errorf("%s is as any other", path)
		}
	}
	for _, path := range []string{"a.envrc", "xjustfile", "code-workspace", ".claude/x.md", "settings.json"} {
		if got := RunBy("/nowhere/p/" + path); got != "" {
			t.Errorf("%s: %s", path, got)
		}
	}
}
