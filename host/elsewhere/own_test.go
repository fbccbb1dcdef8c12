package elsewhere

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// Of settings that an agent writes only what they say of programs and of trust counts (behaviour 859).
func TestOrders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	put := func(text string) string {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return ordersOf(path)
	}
	first := put(`{"starts": 1, "list": [{"a": 1}], "projects": {"/p": {"mcpServers": {}, "hooks": []}}}`)
	for _, same := range []string{
		`{"starts": 2, "list": [], "projects": {}}`,
		`{"theme": "dark", "projects": {"/p": {"mcpServers": {}}, "/q": {"hasTrustDialogAccepted": false}}}`,
	} {
		if put(same) != first {
			t.Errorf("%s counts as a change", same)
		}
	}
	seen := map[string]string{first: "the first"}
	for _, other := range []string{
		`{"mcpServers": {"a": {"command": "sh"}}}`,
		`{"projects": {"/p": {"mcpServers": {"a": {"command": "sh"}}}}}`,
		`{"list": [{"mcpServers": {"a": {"command": "sh"}}}]}`,
		`{"hooks": {"Stop": ["sh"]}}`,
		`{"projects": {"/p": {"hasTrustDialogAccepted": true}}}`,
		`{"apiKeyHelper": "sh"}`,
		`{"statusLine": {"command": "sh"}}`,
		`{"tools": {"discoveryCommand": "sh"}}`,
		`// no JSON`,
	} {
		now := put(other)
		if seen[now] != "" {
			t.Errorf("%s counts as %s", other, seen[now])
		}
		seen[now] = other
	}
}

// What an agent reads is so in its folder of a project and in its own ones, for each agent that has a preset (behaviours 757, 859).
func TestAgentsAreInBothLists(t *testing.T) {
	files, err := filepath.Glob("../../lua/nvim-acp/agents/*.lua")
	if err != nil || len(files) == 0 {
		t.Fatalf("presets: %v, %v", files, err)
	}
	listed := regexp.MustCompile(`folders = \{([^}]*)\}`)
	quoted := regexp.MustCompile(`"([^"]*)"`)
	known := map[string]bool{}
	for _, a := range agents {
		for _, folder := range append(slices.Clone(a.own), a.home...) {
			known[strings.TrimPrefix(folder, "~/")] = true
		}
		for _, name := range slices.Concat(a.written, a.made) {
			if slices.Contains(a.data, name) {
				t.Errorf("%s: %s is what nobody runs, and what somebody does", a.by, name)
			}
		}
		for _, name := range a.written {
			if !slices.Contains(slices.Concat(a.orders(), a.home), name) {
				t.Errorf("%s: it writes %s, which is of no kind", a.by, name)
			}
		}
		for _, name := range a.orders() {
			if !slices.ContainsFunc(ownFiles(), func(o ownFile) bool { return o.file == name && slices.Equal(o.folders, a.own) }) {
				t.Errorf("%s: %s is not in the list of its own files", a.by, name)
			}
			if a.only == nil && runBy("/p/"+a.project+strings.TrimSuffix(name, "/")) == "" {
				t.Errorf("%s: %s is not in the list of what projects have", a.by, name)
			}
		}
		for _, name := range a.only {
			if runBy("/p/"+a.project+name+"x") == "" && runBy("/p/"+a.project+name) == "" || !slices.Contains(a.orders(), name) {
				t.Errorf("%s: %s is not in both lists", a.by, name)
			}
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m := listed.FindSubmatch(text)
		if m == nil {
			continue // it has none
		}
		for _, folder := range quoted.FindAllSubmatch(m[1], -1) {
			if !known[strings.TrimPrefix(string(folder[1]), "~/")] {
				t.Errorf("%s: nothing is known of %s", filepath.Base(file), folder[1])
			}
		}
	}
}

// In agents' own folders what is run is read-only, what was not there or has to be written is said, and so is all else but what nobody runs
// (behaviour 1042).
func TestOwnFolders(t *testing.T) {
	home, err := buffers.Real(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME"} {
		t.Setenv(name, "")
	}
	shell(t, home, `
		mkdir -p p .claude/local .claude/plugins/cache .claude/commands .claude/projects .claude/shell-snapshots .config/opencode/tool .local/share/opencode/bin .local/share/opencode/snapshot/s/hooks .gemini .codex/prompts
		for f in .claude/local/claude .claude/plugins/run.sh .claude/commands/c.md .claude/statusline.sh .claude/projects/a.jsonl .claude/shell-snapshots/old.sh .config/opencode/tool/t.ts .gemini/.env .codex/auth.json; do echo 1 >$f; done
		printf '[core]\n\tbare = false\n\tfsmonitor = false\n' >.local/share/opencode/snapshot/s/config
		echo x >.local/share/opencode/snapshot/s/HEAD; mkdir -p .codex/worktrees/w/src/hooks; echo 'gitdir: /x' >.codex/worktrees/w/.git`)
	p := &Place{needs: Needs{Cwd: filepath.Join(home, "p")}}
	access := map[string]Access{}
	for _, name := range []string{".claude", ".config/opencode", ".local/share/opencode", ".gemini", ".codex"} {
		access[filepath.Join(home, name)] = Writable
	}
	p.protectOwn(access)
	for _, name := range []string{".claude/local", ".claude/plugins", ".claude/commands", ".config/opencode/tool", ".local/share/opencode/bin", ".gemini/.env", ".codex/prompts"} {
		if access[filepath.Join(home, name)] != ReadOnly {
			t.Errorf("%s can be written", name)
		}
	}
	p.repositories.begin()
	for _, step := range []struct{ name, script, want string }{
		{"nothing", "", ""},
		{"what nobody runs", `for f in .claude/projects/a.jsonl .claude/projects/b.md .claude/.credentials.json .claude/history.jsonl .claude/shell-snapshots/new.sh .codex/auth.json .codex/state_5.sqlite-wal .gemini/oauth_creds.json .local/share/opencode/auth.json; do echo 2 >$f; done`, ""},
		{"a script that settings name", "echo 2 >.claude/statusline.sh", ".claude/statusline.sh may run"},
		{"a new one", "echo 1 >.claude/x", ".claude/x may run"},
		{"a program with a name of data", "echo 1 >.gemini/x.log; chmod +x .gemini/x.log", ".gemini/x.log may run"},
		{"what was not there", "mkdir .claude/skills; echo 1 >.claude/skills/s", ".claude/skills runs"},
		{"what another session runs", "echo 2 >.claude/shell-snapshots/old.sh", ".claude/shell-snapshots/old.sh runs"},
		{"its own repository", "printf '\tignorecase = false\n' >>.local/share/opencode/snapshot/s/config; cp -r .local/share/opencode/snapshot/s .local/share/opencode/snapshot/t", ""},
		{"what Git runs there", "printf '\tfsmonitor = ./x\n' >>.local/share/opencode/snapshot/t/config", ".local/share/opencode/snapshot/t/config runs"},
		{"a hook there", "echo 1 >.local/share/opencode/snapshot/s/hooks/pre-commit", ".local/share/opencode/snapshot/s/hooks runs"},
		{"gone", "rm .claude/x", ""},
		{"code in a working tree", "echo 1 >.codex/worktrees/w/src/hooks/a.ts; echo 1 >.codex/worktrees/w/src/config", ""},
		{"what leads that to its repository", "echo 'gitdir: /y' >.codex/worktrees/w/.git", ".codex/worktrees/w/.git runs"},
		{"settings without any", `echo '{"$schema": "x"}' >.config/opencode/opencode.jsonc; echo '{}' >.codex/hooks.json; echo '{"theme": "x"}' >.gemini/settings.json`, ""},
		{"with some", `echo '{"$schema": "x", "lsp": {}}' >.config/opencode/opencode.jsonc`, ".config/opencode/opencode.jsonc runs"},
	} {
		shell(t, home, step.script)
		_, changed, _, err := p.repositories.learn(t.Context(), []string{filepath.Join(home, "p")})
		for i, path := range changed {
			changed[i], _ = filepath.Rel(home, path)
			by, known := p.repositories.by(path)
			if text := changedRun(path, by, known); strings.Contains(text, " may run ") {
				changed[i] += " may run"
			} else {
				changed[i] += " runs"
			}
		}
		if got := strings.Join(changed, ", "); got != step.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", step.name, got, err, step.want)
		}
	}
}
