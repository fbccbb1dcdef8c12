package elsewhere

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What programs outside run by themselves is said when it was changed, made or replaced, whatever its times say, and nothing else
// (behaviours 757, 857).
func TestRunsAreNoticed(t *testing.T) {
	dir := t.TempDir()
	shell(t, dir, `mkdir -p .vscode .husky/_ sub other; for f in .envrc sub/.envrc .vscode/tasks.json .husky/_/h other/tasks.json; do echo 1 >$f; done
		ln -s other/tasks.json .nvim.lua; touch -d @1 .envrc`)
	var r repositories
	if _, changed, _, err := r.learn(t.Context(), []string{dir}); len(changed) > 0 || err != nil {
		t.Fatalf("first: %q, %v", changed, err)
	}
	r.watch("Git", filepath.Join(dir, "tools/hooks"))
	for _, tt := range []struct{ name, script, want string }{
		{"nothing", "", ""},
		{"another file", "echo 2 >sub/file", ""},
		{"of the same size and time", "echo 2 >.envrc; touch -d @1 .envrc", ".envrc"},
		{"deeper, and by two", "echo 2 >sub/.envrc; echo 2 >.vscode/tasks.json", ".vscode/tasks.json sub/.envrc"},
		{"what a link leads to", "echo 2 >other/tasks.json", ".nvim.lua"},
		{"in a folder", "echo 1 >.husky/pre-commit", ".husky/pre-commit"},
		{"a new one", "echo 1 >.exrc", ".exrc"},
		{"a new one that hangs who reads it", "mkfifo .nvimrc", ".nvimrc"},
		{"gone", "rm .exrc", ""},
		{"a link to a folder of the list", "mkdir v; echo 1 >v/settings.json; ln -s ../v sub/.vscode", "sub/.vscode/settings.json"},
		{"what that leads to", "echo 2 >v/settings.json", "sub/.vscode/settings.json"},
		{"another in it", "echo 1 >v/tasks.json; echo 1 >v/other.json", "sub/.vscode/tasks.json"},
		{"one within a folder of the list", "mkdir -p .jj c; echo 1 >c/config.toml; ln -s ../c .jj/repo", ".jj/repo/config.toml"},
		{"one to a folder of which all is run", "mkdir -p i/deep; echo 1 >i/deep/a; ln -s i .idea", ".idea"},
		{"deep in that", "echo 2 >i/deep/a", ".idea"},
		{"a link to nowhere", "ln -s nowhere .yarn", ""},
		{"what Git is configured to run", "mkdir -p tools/hooks", "tools/hooks"},
	} {
		shell(t, dir, tt.script)
		_, changed, _, err := r.learn(t.Context(), []string{dir})
		for i := range changed {
			changed[i], _ = filepath.Rel(dir, changed[i])
		}
		if got := strings.Join(changed, " "); got != tt.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
}

// What a file names that a program outside reads as a script is said when it was changed, too, also one that is not there yet; not what only
// settings name (behaviour 1144).
func TestScriptsOfRuns(t *testing.T) {
	dir := t.TempDir()
	shell(t, dir, `mkdir -p scripts .husky .vscode src; echo 1 >scripts/env.sh; echo 1 >scripts/check; echo 1 >scripts/x.vim; echo 1 >src/main.go
		echo 1 >scripts/lint; echo 'run: ./scripts/lint' >lefthook.yml
		printf '. scripts/env.sh\nsource_env_if_exists .envrc.local\n' >.envrc; echo 'sh ./scripts/check' >.husky/pre-commit
		echo 'source scripts/x.vim' >.exrc; echo '{"program": "src/main.go"}' >.vscode/launch.json; echo 'X=src/main.go' >.env`)
	var r repositories
	learn := func() string {
		t.Helper()
		_, changed, _, err := r.learn(t.Context(), []string{dir})
		if err != nil {
			t.Fatal(err)
		}
		for i := range changed {
			changed[i], _ = filepath.Rel(dir, changed[i])
		}
		return strings.Join(changed, " ")
	}
	if got := learn(); got != "" {
		t.Fatalf("first: %s", got)
	}
	for _, tt := range []struct{ name, script, want string }{
		{"nothing", "", ""},
		{"a script", "echo 2 >scripts/env.sh", "scripts/env.sh"},
		{"one that was not there", "echo 1 >.envrc.local", ".envrc.local"},
		{"of a hook", "echo 2 >scripts/check", "scripts/check"},
		{"of a manager of hooks", "echo 2 >scripts/lint", "scripts/lint"},
		{"of an editor", "echo 2 >scripts/x.vim", "scripts/x.vim"},
		{"what is only set", "echo 2 >src/main.go", ""},
		{"another name", "echo 1 >scripts/new; echo '. scripts/new' >>.envrc", ".envrc"},
		{"what that is", "echo 2 >scripts/new", "scripts/new"},
	} {
		shell(t, dir, tt.script)
		if got := learn(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if by, known := r.by(filepath.Join(dir, "scripts/check")); by != "Git, by husky" || known {
		t.Errorf("by %s, %v", by, known)
	}
}

// All that the configuration of a repository names in the session's folders is read-only in a sandbox, with the folders on the way;
// what is not there yet is watched (behaviours 756, 856).
func TestNamedByConfigurations(t *testing.T) {
	dir := t.TempDir()
	shell(t, dir, `git init -q .; mkdir -p tools/hooks deep/er; for f in tools/clean.sh tools/monitor deep/er/inc two; do echo >$f; done; ln -s tools/hooks way
		git config core.hooksPath way
		git config include.path ../deep/er/inc
		git config --add include.path ../missing
		git config includeIf.onbranch:other.path ../two
		git config filter.x.clean 'sh "tools/clean.sh" %f'
		git config -f deep/er/inc core.fsmonitor tools/monitor
		git config user.name tools/hooks
		mkdir scripts lib; for f in linked named named2 rooted beside sample untold; do echo >scripts/$f; done; echo >lib/check.py
		ln -s ../../scripts/linked .git/hooks/pre-commit; ln -s ../../scripts/named way/post-merge
		printf '#!/bin/sh\nexec ./scripts/named2 "$@" && python3 lib/check.py\n' >scripts/named
		printf 'root=$(git rev-parse --show-toplevel)\n"$root/scripts/rooted" || . "$(dirname "$0")/../../scripts/beside"\n' >.git/hooks/pre-push
		echo scripts/sample >.git/hooks/x.sample`)
	p := &Place{needs: Needs{Cwd: dir}}
	access := map[string]Access{dir: Writable}
	watched := p.protect(t.Context(), filepath.Join(dir, ".git"), []string{dir}, access)

	short := func(list []string) string {
		for i := range list {
			list[i], _ = filepath.Rel(dir, list[i])
		}
		return strings.Join(list, " ")
	}
	var readOnly, writable []string
	for _, b := range newBinds(access, nil) {
		if b.access == ReadOnly {
			readOnly = append(readOnly, b.path)
		} else {
			writable = append(writable, b.path)
		}
	}
	if got, want := short(readOnly), ".git/config deep/er/inc lib/check.py scripts/beside scripts/linked scripts/named scripts/named2 "+
		"scripts/rooted tools/clean.sh tools/hooks tools/monitor two"; got != want {
		t.Errorf("read-only: %s, want %s", got, want)
	}
	if got, want := short(writable), ". .git deep deep/er lib scripts tools"; got != want {
		t.Errorf("mounted: %s, want %s", got, want)
	}
	// What is not there is watched wherever a word could mean it.
	if got, want := short(watched), "deep/er/inc lib/check.py missing root/scripts/rooted scripts/beside scripts/lib/check.py scripts/linked "+
		"scripts/named scripts/named2 scripts/rooted scripts/scripts/named2 tools/clean.sh tools/monitor two way way/lib/check.py "+
		"way/scripts/named2"; got != want {
		t.Errorf("watched: %s, want %s", got, want)
	}
}

// What a hook's script names, and scripts that this names, is found; whoever writes a chain of them without an end does not hold a sandbox
// (behaviour 856).
func TestHooksAreBounded(t *testing.T) {
	dir := t.TempDir()
	shell(t, dir, `mkdir hooks scripts; echo scripts/s0 >hooks/pre-commit; for i in $(seq 0 99); do echo "s$((i+1))" >scripts/s$i; done`)
	list, _ := hooks(filepath.Join(dir, "hooks"), []string{dir})
	for name, want := range map[string]bool{"s0": true, "s10": true, fmt.Sprint("s", maxScripts): false} {
		if got := slices.Contains(list, filepath.Join(dir, "scripts", name)); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// The list has each name once, and no program is left out of what is said; the kinds of what is known to be run are in it (behaviour 757).
func TestRuns(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range runs() {
		if seen[r.name] || r.by == "" {
			t.Errorf("%s: by %q, twice: %v", r.name, r.by, seen[r.name])
		}
		seen[r.name] = true
		path := "/p/sub/" + strings.Replace(r.name, "*", "a", 1)
		if strings.HasSuffix(path, "/") {
			path += "x/y"
		}
		if got := runBy(path); got != r.by {
			t.Errorf("%s: %q, want %q", r.name, got, r.by)
		}
	}
	for _, name := range strings.Fields(`.opencode/plugin/x.js .opencode/plugins/x .opencode/tool/x .opencode/tools/x .opencode/agent/x .opencode/command/x opencode.json opencode.jsonc
		.claude/hooks/check.sh .claude/settings.json .claude/settings.local.json .claude/commands/x.md .claude/agents/x.md .claude/skills/x/SKILL.md .mcp.json
		.codex/config.toml .codex/skills/x .codex/prompts/x .codex/rules/x .cursor/mcp.json .cursor/hooks.json .gemini/settings.json .gemini/.env .gemini/extensions/x .gemini/commands/x
		.qwen/settings.json .github/hooks/x.json .copilot/mcp-config.json .agents/skills/x .kiro/hooks/x .aider.conf.yml
		.helix/languages.toml .helix/config.toml .zed/tasks.json .zed/debug.json .idea/x .vscode/tasks.json .devcontainer.json .devcontainer/x/devcontainer.json
		.Rprofile .irbrc .pryrc .ghci .iex.exs .octaverc .pdbrc .lldbinit .gdbinit .sl/config .hg/hgrc rust-toolchain rust-toolchain.toml
		lefthook.toml lefthook.yml lefthook.yaml lefthook.json .lefthook.toml lefthook-local.json .pre-commit-config.yaml .husky/pre-commit
		tools/bazel .bazelrc mise.toml .mise.toml .tool-versions flake.nix shell.nix .direnv/flake-profile.rc Justfile .justfile`) {
		if runBy("/p/"+name) == "" {
			t.Errorf("%s is in no list", name)
		}
	}
	for _, name := range []string{"a.envrc", ".github/workflows/x.yml", ".claude/x", "src/settings.json", "tools/x", "hooks/x", "Makefile", "package.json"} {
		if got := runBy("/p/" + name); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Of what Git has begun and goes on with later what is added and runs something is said, not what is worked off, in each working tree
// (behaviour 1041).
func TestSteps(t *testing.T) {
	dir := t.TempDir()
	shell(t, dir, `git init -q .; mkdir -p .git/rebase-merge .git/worktrees/wt/rebase-merge .git/modules/m/objects; echo x >.git/worktrees/wt/HEAD; echo ../.. >.git/worktrees/wt/commondir; echo x >.git/modules/m/HEAD
		printf 'pick 1 a\nexec make test\npick 2 exec b\n' >.git/rebase-merge/git-rebase-todo; cp .git/rebase-merge/git-rebase-todo .git/worktrees/wt/rebase-merge/`)
	p := &Place{needs: Needs{Cwd: dir}}
	if _, err := p.binds(t.Context(), "/nonexistent", nil); err != nil {
		t.Fatal(err)
	}
	p.repositories.begin()
	for _, step := range []struct{ name, script, want string }{
		{"nothing", "", ""},
		{"it goes on", `printf 'exec make test\npick 2 exec b\n' >.git/rebase-merge/git-rebase-todo`, ""},
		{"another commit", `printf 'drop 2\nexec make test\n' >.git/rebase-merge/git-rebase-todo`, ""},
		{"a command", `echo 'exec touch ran' >>.git/rebase-merge/git-rebase-todo`, ".git/rebase-merge/git-rebase-todo"},
		{"a short one", `printf ' x\ttouch ran2\n' >>.git/rebase-merge/git-rebase-todo`, ".git/rebase-merge/git-rebase-todo"},
		{"of a working tree", `echo 'x touch' >>.git/worktrees/wt/rebase-merge/git-rebase-todo`, ".git/worktrees/wt/rebase-merge/git-rebase-todo"},
		{"a new one", `mkdir .git/modules/m/rebase-merge; echo 'pick 1' >.git/modules/m/rebase-merge/git-rebase-todo`, ""},
		{"with a command", `echo 'exec x' >.git/modules/m/rebase-merge/git-rebase-todo`, ".git/modules/m/rebase-merge/git-rebase-todo"},
		{"another way to merge", "echo ours >.git/rebase-merge/strategy; mkdir .git/sequencer; printf '[options]\n\tmainline = 1\n\tstrategy = ort\n\tstrategy-option = theirs\n' >.git/sequencer/opts", ""},
		{"one that is a program in the folder", "mkdir git-merge-x; echo x/evil >.git/rebase-merge/strategy", ".git/rebase-merge/strategy"},
		{"the same of a cherry-pick", "printf '[options]\n\tStrategy = x/evil\n' >.git/sequencer/opts", ".git/sequencer/opts"},
		{"in another form", "printf '[options] strategy = \"x/y\"\n' >.git/sequencer/opts", ".git/sequencer/opts"},
		{"over", "rm -r .git/rebase-merge", ""},
		{"one that is none", "mkdir .git/rebase-merge; mkfifo .git/rebase-merge/git-rebase-todo", ".git/rebase-merge/git-rebase-todo"},
	} {
		shell(t, dir, step.script)
		_, changed, _, err := p.repositories.learn(t.Context(), []string{dir})
		for i := range changed {
			changed[i], _ = filepath.Rel(dir, changed[i])
		}
		if got := strings.Join(changed, " "); got != step.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", step.name, got, err, step.want)
		}
	}
}

// Of many changes those are named that a configuration leads to, and what is at the top, whatever the names of others are (behaviours 757, 1041).
func TestManyAreChanged(t *testing.T) {
	p := &Place{spec: Spec{Sandbox: true}, needs: Needs{Cwd: "/p"}}
	p.repositories.watchAs("/p/.git/rebase-merge/git-rebase-todo", added)
	p.repositories.watch(byRebase, "/p/.git/rebase-merge/git-rebase-todo")
	changed := []string{"/p/.git/rebase-merge/git-rebase-todo", "/p/z.nvim/.nvim.lua", "/p/.nvim.lua"}
	for i := range 10 {
		changed = append(changed, fmt.Sprintf("/p/!%d/.envrc", i))
	}
	slices.Sort(changed)
	texts := p.changes(nil, changed, false, nil)
	if !strings.HasPrefix(texts[0], ".git/rebase-merge/git-rebase-todo was") || !strings.HasPrefix(texts[1], ".nvim.lua was") ||
		texts[maxChanged] != "and 8 more such files were changed" {
		t.Errorf("said: %q", texts)
	}
}

// Between searches known files are compared, whatever their times say, and each is said once before the next turn has ended (behaviour 860).
func TestGlance(t *testing.T) {
	dir := t.TempDir()
	shell(t, dir, "echo 1 >.envrc; mkdir v; echo 1 >v/tasks.json; ln -s v .vscode; touch -d @1 .envrc")
	var r repositories
	learn := func() {
		t.Helper()
		if _, _, _, err := r.learn(t.Context(), []string{dir}); err != nil {
			t.Fatal(err)
		}
	}
	learn()
	r.watch("make", filepath.Join(dir, "later"))
	r.begin()
	for _, tt := range []struct {
		name, script, want string
		ends               bool // a turn, before
	}{
		{"nothing", "", "", false},
		{"of the same size and time", "echo 2 >.envrc; touch -d @1 .envrc", ".envrc", false},
		{"once more", "echo 3 >.envrc", "", false},
		{"after a turn", "echo 4 >.envrc", ".envrc", true},
		{"another time", "touch .envrc", "", true},
		{"behind a link", "echo 2 >v/tasks.json", ".vscode/tasks.json", false},
		{"what was not there", "echo 1 >later", "later", false},
		{"gone", "rm .envrc", "", true},
	} {
		if tt.ends {
			learn()
		}
		shell(t, dir, tt.script)
		changed := r.glance()
		for i := range changed {
			changed[i], _ = filepath.Rel(dir, changed[i])
		}
		if got := strings.Join(changed, " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
