package rules

import (
	"os"
	"path/filepath"
	"testing"
)

// A redirect after a change of folder counts as a write outside the project, also where cd is allowed (behaviour 223).
func TestRedirectsElsewhere(t *testing.T) {
	list := []Rule{{Command: "cd", Action: "allow"}, {Command: "cat", Action: "allow"}, {Kind: "edit", Path: "src/**", Action: "allow"}}
	for _, tt := range []struct{ command, want string }{
		{"cat x > src/y", "allow"},
		{"cd /etc", "allow"},
		{"cd /etc && cat x > src/y", "ask"},
		{"cd /etc; cat x >> src/y", "ask"},
	} {
		if got := Judge(list, Request{Kind: "execute", Command: tt.command, Cwd: t.TempDir()}); got.Action != tt.want {
			t.Errorf("%s: got %s (%s), want %s", tt.command, got.Action, got.Why, tt.want)
		}
	}
}

// A rule for a command is one for the session's folder: where a command has gone elsewhere, or may have, by any way, the rule must name the
// folder (behaviour 968).
func TestElsewhere(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	for name, to := range map[string]string{"link": other, "here": "."} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	var list []Rule
	for _, command := range []string{"cd", "chdir", "pushd", "popd", "git status", "git diff", "make test", "npm run", "go test", "ls", "cat", "echo", "true", `\[`, "find . -exec cat"} {
		list = append(list, Rule{Command: command, Action: "allow"})
	}
	named := append([]Rule{{Command: "cd evil && git status", Action: "allow"}, {Command: "cd a/* && make test", Action: "allow"}, {Command: "git push", Action: "deny"},
		{Command: "cd evil && go vet", Action: "deny"}, {Command: "cd evil &&", Action: "allow"}, {Command: "cd " + quoteFields([]string{other}) + " && ls", Action: "allow"}}, list...)
	for command, want := range map[string][2]string{ // by the rules for the session's folder, and by those for others
		"cd evil && git status": {"ask", "allow"}, "cd evil; git status": {"ask", "allow"}, "(cd evil; git status)": {"ask", "allow"}, "{ cd evil; git status; }": {"ask", "allow"},
		"cd ./evil/ && git status": {"ask", "allow"}, "cd " + dir + "/evil && git status": {"ask", "allow"}, "cd -- evil && git status": {"ask", "allow"}, "cd evil && echo x": {"allow", "allow"},
		"cd a && cd ../evil && git status": {"ask", "ask"}, "cd ../evil && git status": {"ask", "ask"}, "cd link && git status": {"ask", "ask"}, "cd link && ls": {"ask", "allow"}, "cd evil/x && git status": {"ask", "ask"},
		"cd a/b && make test": {"ask", "allow"}, "cd a/b/c && make test": {"ask", "ask"}, "cd a && cd b && make test": {"ask", "allow"}, "cd evil && npm run lint": {"ask", "ask"}, "cd evil && go test ./...": {"ask", "ask"},
		"cd evil && make test": {"ask", "ask"}, "cd evil/vendor && git diff HEAD": {"ask", "ask"}, "pushd evil && git status": {"ask", "ask"}, "cd evil && popd && git status": {"ask", "ask"}, "chdir evil && git status": {"ask", "ask"},
		"cd && git status": {"ask", "ask"}, "cd - && git status": {"ask", "ask"}, "cd \"$x\" && git status": {"ask", "ask"}, "cd ~ && git status": {"ask", "ask"}, "cd -P evil && git status": {"ask", "ask"}, "cd +1 && git status": {"ask", "ask"},
		"cd evil || git status": {"allow", "allow"}, "cd evil && ls || git diff": {"ask", "ask"}, "! cd evil && git diff": {"allow", "allow"}, "! cd evil || git diff": {"ask", "ask"}, "if cd evil; then git diff; fi": {"ask", "ask"},
		"if cd evil; then true; else git diff; fi": {"allow", "allow"}, "if true; then cd evil; fi; git diff": {"ask", "ask"}, "while true; do git diff; cd evil; done": {"ask", "ask"}, "if true; then cd evil && cd " + dir + "; fi; git diff": {"ask", "ask"}, "for i in a b; do git diff; cd evil; done": {"ask", "ask"},
		"for i in a b; do (cd evil); git diff; done": {"allow", "allow"}, "case x in a) cd evil;; esac; git diff": {"ask", "ask"}, "echo \"$(cd evil; git diff)\"": {"ask", "ask"}, "echo \"$(cd evil)\"; git diff": {"allow", "allow"},
		"cd evil | git diff": {"ask", "ask"}, "true | cd evil; git diff": {"ask", "ask"}, "cd evil & git diff": {"allow", "allow"}, "(cd evil) && git diff": {"allow", "allow"}, "bash -c 'cd evil; git diff'": {"ask", "ask"},
		"cd evil; bash -c 'git diff'": {"ask", "ask"}, "bash -c 'cd evil'; git diff": {"allow", "allow"}, "cd evil && ls $(git diff)": {"ask", "ask"}, "cd evil && find . -exec cat {} +": {"ask", "ask"}, "cd evil; cd . ; git diff": {"ask", "ask"},
		"cd . && git diff": {"allow", "allow"}, "cd " + dir + " && git diff": {"allow", "allow"}, "cd here && git diff": {"allow", "allow"}, "cd evil && cd " + dir + " && git diff": {"allow", "allow"}, "cd evil; cd " + dir + "; git diff": {"ask", "ask"},
		"cd evil && git push": {"ask", "deny"}, "cd evil && go vet": {"ask", "deny"}, "go vet": {"ask", "ask"}, "git status": {"allow", "allow"}, "cd evil && cat x": {"ask", "ask"}, "cd evil '&&' git status": {"allow", "allow"},
		"[ -d evil ] && cd evil && git status": {"ask", "allow"}, "cd evil": {"allow", "allow"}, "git -C evil status": {"ask", "ask"},
	} {
		for i, rules := range [][]Rule{list, named} {
			if v := Judge(rules, Request{Kind: "execute", Command: command, Cwd: dir}); v.Action != want[i] {
				t.Errorf("%s, %d: got %s (%s), want %s", command, i, v.Action, v.Why, want[i])
			}
		}
	}
	if v := Judge([]Rule{{Kind: "execute", Action: "allow"}}, Request{Kind: "execute", Command: "cd evil && git status", Cwd: dir}); v.Action != "allow" {
		t.Errorf("all commands: got %s", v.Action)
	}
	if v := Judge([]Rule{{Command: "cd evil && git status", Action: "allow"}}, Request{Kind: "execute", Command: "cd evil && git status", Cwd: dir}); v.Action != "allow" {
		t.Errorf("the way alone: got %s: %s", v.Action, v.Why)
	}
	for _, command := range []string{"git status", "cd evil", "cd other && git status", "cd evil && git diff"} {
		if v := Judge([]Rule{{Command: "cd evil && git status", Action: "allow"}, {Command: "cd evil && git log", Action: "deny"}}, Request{Kind: "execute", Command: command, Cwd: dir}); command != "cd evil" && v.Action != "ask" {
			t.Errorf("%s: got %s", command, v.Action)
		}
	}
}
