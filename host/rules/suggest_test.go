package rules

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

const enough = 97 // of a hundred ordinary commands

// Of the commands that agents run nearly all get an offer of rules that is enough for them (behaviour 733).
func TestOrdinary(t *testing.T) {
	list := commands(t, "ordinary.txt")
	var without []string
	for _, command := range list {
		r := Request{Kind: "execute", Command: command, Cwd: "/home/me/project"}
		if offers := Suggest(r); len(offers) == 0 || Judge(offers[0], r).Action != "allow" {
			without = append(without, command)
		}
	}
	if len(list) < 350 || (len(list)-len(without))*100 < len(list)*enough {
		t.Errorf("%d of %d have no offer that is enough:\n%s", len(without), len(list), strings.Join(without, "\n"))
	}
	t.Logf("%d of %d have an offer that is enough; not:\n%s", len(list)-len(without), len(list), strings.Join(without, "\n"))
}

// The first offer is enough for a command and allows no other program, and no file but those that it redirects to (behaviour 733).
func TestOffers(t *testing.T) {
	for _, tt := range []struct{ command, want string }{
		{"ls -la", "allow: command ls"},
		{"cd src && npm test", "allow: command cd src && npm test"},
		{"cd src; npm test", "allow: command cd src && npm test; command npm test"},
		{"cd src && cd ../x && ls", ""},
		{"cd ../x && ls", "allow: command cd /nowhere/x && ls"},
		{"cd /nowhere/p/src && cd a && make test", "allow: command cd; command cd src/a && make test"},
		{"cd /nowhere/p && git status", "allow: command cd; command git status"},
		{"(cd 'a b' && npm test) && ls", `allow: command cd a\ b && npm test; command ls`},
		{"cd src && git log --output=x", "allow: command cd src && git log --output=x"},
		{"cd $x && ls", ""},
		{"cd src && bash -c 'ls; cd y && cat x'", "allow: command cd src && ls; command cd src/y && cat x"},
		{"bash -lc 'rg X | head'", "allow: command rg; command head"},
		{"bash -lc \"sh -c 'ls'\"", "allow: command ls"},
		{"set -e; npm test", "allow: command npm test"},
		{"time go build ./...", "allow: command go build"},
		{"time -p make test", "allow: command make test"},
		{"time -p -x make", ""},
		{"NODE_OPTIONS=--max-old-space-size=4096 npm run build", "allow: command npm run"},
		{"NODE_OPTIONS=--require=./x.js npm run build", ""},
		{"command -v rg && rg X", "allow: command rg"},
		{"command -v rg", "allow: command command -v rg"},
		{"for f in *.go; do gofmt -l \"$f\"; done", "allow: command gofmt -l"},
		{"NODE_ENV=test npm test", "allow: command npm test"},
		{"export NODE_ENV=test && npm test", "allow: command npm test"},
		{"echo a > out", "allow: command echo a; kind edit, path out"},
		{"echo a > /var/out", "allow: command echo a; kind edit, path /var/out"},
		{"python3 -c 'print(1, 2)'", `allow: command python3 -c print(1,\ 2)`},
		{"sed -i '' s/a/b/ x", "allow: command sed -i '' s/a/b/ x"},
		{"find . -exec grep -l \"a b\" {} \\;", `allow: command find . -exec grep -l a\ b \{\} ;`},
		{"source .venv/bin/activate && pytest", "allow: command source .venv/bin/activate; command pytest"},
		{"node --version", "allow: command node"},
		{"node -v", "allow: command node"},
		{"python3 -V", "allow: command python3"},
		{"ruby -v", "allow: command ruby"},
		{"perl -v", "allow: command perl"},
		{"env | grep X", "allow: command env; command grep"},
		{"ls | xargs -I{} cp {} x/{}", `allow: command ls; command xargs -I\{\} cp \{\} x/\{\}`},
		{"ls {a,b}{}", "allow: command ls"},
		{"xargs ls {{},x}", ""},
		{"python3 - <<'E'\nprint(1)\nE", ""},
		{"cat x | sh", ""},
		{"foo", "allow: command foo"},
		{"foo bar", "allow: command foo bar"},
		{"foo bar --x 'a b' c", `allow: command foo bar --x a\ b c`},
		{"foo -x \"$y\" z", "allow: command foo -x"},
		{"foo \"$y\"", ""},
		{"foo *.ts && ls", ""},
		{"rm -rf dist", "allow: command rm -rf dist"},
		{"./scripts/build.sh --all", "allow: command ./scripts/build.sh --all"},
		{"./ls -la", "allow: command ./ls -la"},
		{"gcat x", "allow: command gcat x"},
		{"gls -la", "allow: command gls"},
		{"prove -v t", "allow: command prove -v t"},
		{"ls; $x", ""},
		{"PATH=/tmp/evil ls", ""},
	} {
		r := Request{Kind: "execute", Command: tt.command, Cwd: "/nowhere/p"}
		got, offers := "", Suggest(r)
		if len(offers) > 0 {
			got = offers[0].String()
		}
		if got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.command, got, tt.want)
		}
	}
}

// No call gets an offer whose first is not enough for it (behaviour 733).
func TestEnough(t *testing.T) {
	for _, tt := range []struct {
		r    Request
		want string
	}{
		{Request{Kind: "edit", Paths: []string{"/nowhere/p/a", "/nowhere/p/b c"}}, `allow: kind edit, path a; kind edit, path b\ c`},
		{Request{Kind: "edit", Paths: []string{"/nowhere/p/a", "/other/b"}}, ""},
		{Request{Kind: "edit", Paths: []string{"/nowhere/p/a"}}, "allow: kind edit, path a"},
		{Request{Kind: "search"}, "allow: kind search"},
		{Request{Kind: "execute"}, ""},
		{Request{Kind: "other", Tool: "x"}, ""},
		{Request{Kind: "think", Tool: "x", Unknown: []string{"y"}}, "allow: kind think, tool x"},
		{Request{Kind: "think", Unknown: []string{"y"}}, ""},
	} {
		tt.r.Cwd = "/nowhere/p"
		got, offers := "", Suggest(tt.r)
		if len(offers) > 0 {
			got = offers[0].String()
		}
		if got != tt.want {
			t.Errorf("%v: got %s, want %s", tt.r, got, tt.want)
		}
	}
}

// A rule for a command is enough whatever harmless variables are set, whatever shell runs it and what is said beside it; others
// are asked about (behaviours 734, 969).
func TestBeside(t *testing.T) {
	list := []Rule{
		{Command: "ls", Action: "allow"}, {Command: "git status", Action: "allow"}, {Command: "git commit", Action: "allow"}, {Command: "cat", Action: "allow"},
		{Command: "cd", Action: "allow"}, {Command: "source env/activate", Action: "allow"}, {Command: "./run", Action: "allow"}, {Command: "node", Action: "allow"},
		{Command: "rg", Action: "allow"}, {Command: "git push", Action: "deny"}, {Command: "zsh", Action: "deny"}, {Command: "python -", Action: "allow"},
		{Command: "make", Action: "allow"}, {Command: "set +e", Action: "ask"},
		{Command: `\[`, Action: "allow"}, {Command: "printf", Action: "allow"}, {Command: "exit", Action: "allow"}, {Kind: "edit", Action: "allow"},
	}
	for _, tt := range []struct{ command, want string }{
		{"CI=true ls", "allow"},
		{"CI=$(rm x) ls", "ask"},
		{"PATH=x ls", "ask"},
		{"LD_PRELOAD=x ls", "ask"},
		{"NODE_OPTIONS=x node --version", "ask"},
		{"GIT_DIR=x git status", "ask"},
		{"GIT_SSH_COMMAND=x git status", "ask"},
		{"BASH_ENV=x ls", "ask"},
		{"PYTHONPATH=x ls", "ask"},
		{"EDITOR=x git status", "ask"},
		{"CI+=x ls", "ask"},
		{"CI[1]=x ls", "ask"},
		{"f=x ls", "ask"}, // in its environment
		{"f=x; ls $f", "allow"},
		{"PATH=x; ls", "ask"},
		{"path=x; ls", "ask"},
		{"IFS=x; ls", "ask"},
		{"export CI=1; ls", "allow"},
		{"export f=1; ls", "ask"},
		{"export CI=$x; ls", "ask"},
		{"export PATH=x; ls", "ask"},
		{"export -n CI; ls", "ask"},
		{"for f in a b; do ls $f; done", "allow"},
		{"for path in a; do ls; done", "ask"},
		{"for PATH in a; do ls; done", "ask"},
		{"while read -r f; do cat \"$f\"; done </dev/null", "allow"},
		{"while IFS= read -r f; do cat \"$f\"; done </dev/null", "allow"},
		{"read -r PATH; ls", "ask"},
		{"read -p x f; ls", "ask"},
		{"set -euo pipefail; ls", "allow"},
		{"set -o vi; ls", "ask"},
		{"set -- x; ls", "ask"},
		{"set +e; ls", "ask"}, // by the rule
		{"time ls", "allow"},
		{"time -p ls", "allow"},
		{"time rm x", "ask"},
		{"time repeat 2 ls", "ask"},
		{"command -v rm && ls", "allow"},
		{"command rm && ls", "ask"},
		{"command -p ls", "ask"},
		{"bash -lc ls", "allow"},
		{"/bin/bash -euo pipefail -c 'ls | cat'", "allow"},
		{"bash -lc 'git push'", "deny"},
		{"bash -lc 'rm x'", "ask"},
		{"bash -lc 'ls' x", "ask"},
		{"bash -c \"ls $x\"", "ask"},
		{"bash -ic ls", "ask"},
		{"bash --rcfile x -c ls", "ask"},
		{"./bash -c ls", "ask"},
		{"zsh -c ls", "deny"},
		{"sh -c 'sh -c \"rm x\"'", "ask"},
		{"rg x -g '!y'", "allow"},
		{"rg x -g !y", "ask"},
		{"rg \"it's\" -g '!y'", "ask"},
		{"node --version", "allow"},
		{"node --version x", "ask"},
		{"node -v", "allow"},
		{"node -v x", "ask"},
		{"node -V", "ask"},
		{"node x", "ask"},
		{"source env/activate && ls", "allow"},
		{"source env/other && ls", "ask"},
		{"source activate && ls", "ask"},
		{"cd x && source env/activate", "ask"},
		{"cd x && ./run", "ask"},
		{"cd x && ls", "ask"},
		{"cd /nowhere/p && ls", "allow"},
		{"python - <<E\nx\nE", "ask"},
		{"git commit -m \"$(cat <<'E'\nfix: x\nE\n)\"", "allow"},
		{"git commit -m \"$(cat <<E\nfix: x\nE\n)\"", "ask"}, // a shell may read it in another way
		{"git commit -m \"$(cat <<'E'\nit's\nE\n)\"", "ask"},
		{"git commit \"$(cat x)\"", "ask"},
		{"git commit -m \"$@\"", "ask"},
		{"2>&1 | cat", "ask"},
		{"ls \"$~(ls)\"", "ask"},
		{"ls \"a$ b$~c\"", "ask"},
		{"ls \"a$\" 'b$~'", "allow"},
		{"r ls", "ask"},
		{"GIT_PAGER=cat git status", "allow"},
		{"GIT_PAGER=less git status", "ask"},
		{"GIT_PAGER=cat$x git status", "ask"},
		{"RAILS_ENV=test ls", "allow"},
		{"RAILS_ENV=production ls", "ask"},
		{"export APP_ENV=local && ls", "allow"},
		{"export APP_ENV=x && ls", "ask"},
		{"x='a[$(rm y)]'; [ \"$x\" -eq 0 ]", "ask"},
		{"x='a[$(rm y)]'; [ -n \"$x\" ]", "allow"},
		{"x='-n a'; [ $x ]", "ask"},
		{"[ \"$a\" \"$b\" \"$c\" ]", "ask"},
		{"[ \"$a\" = \"$b\" ]", "allow"},
		{"[ ! -f \"$a\" ]", "allow"},
		{"[ $? -eq 0 ]", "allow"},
		{"printf '%d' \"$x\"", "ask"},
		{"printf '%-5s%%' \"$x\"", "allow"},
		{"exit $x", "ask"},
		{"exit $?", "allow"},
		{"exit x", "ask"},
		{"exit 1", "allow"},
		{"[ x -eq 0 ]", "ask"},
		{"[ 1 -gt 0 ]", "allow"},
		{"[ $? -eq x ]", "ask"},
		{"[ -t x ]", "ask"},
		{"[ -t 1 ]", "allow"},
		{"[ a = b -o x -lt 1 ]", "ask"},
		{"[ -v x ]", "ask"},
		{"printf %d x", "ask"},
		{"printf '%s %d' x 1", "allow"},
		{"printf '%s %d' 1 x", "ask"},
		{"printf '%s %d' a 1 b x", "ask"},
		{"printf '\\045d' x", "ask"},
		{"printf '%.*s' x a", "ask"},
		{"printf '%d' *", "ask"},
		{"ls >/dev/tcp/x/1", "ask"},
	} {
		if got := Judge(list, Request{Kind: "execute", Command: tt.command, Cwd: "/nowhere/p"}); got.Action != tt.want {
			t.Errorf("%q: got %s (%s), want %s", tt.command, got.Action, got.Why, tt.want)
		}
	}
}

// A here-document is understood only if all shells find its end at the same line (behaviour 730).
func TestDocuments(t *testing.T) {
	list := []Rule{{Command: "cat", Action: "allow"}, {Command: "ls", Action: "allow"}}
	for _, tt := range []struct{ command, want string }{
		{"cat <<E\na\nE", "allow"},
		{"cat <<E\na\nE\nls", "allow"},
		{"cat <<E\nE", "allow"},
		{"cat <<'E'\n$(rm x) `rm y` \\\nE", "allow"},
		{"cat <<\"E\"\n$x\nE\n", "allow"},
		{"cat <<-E\na\nE\nls", "ask"},
		{"cat <<-E\na\n\tE\nls", "ask"},
		{"cat <<E <<'F'; ls\na\nE\n\\\nF\nls", "allow"},
		{"cat <<E | cat && ls\na\nE", "allow"},
		{"cat <<E\na\\\nE\nrm x\nE", "ask"},
		{"cat <<E\nE\\\nrm x\nE", "ask"},
		{"cat <<E\n\\\nE\nE", "ask"},
		{"cat <<E\n$(rm x)\nE", "ask"},
		{"cat <<E\n$x\nE", "ask"},
		{"cat <<E\\\nF\na\nEF", "ask"},
		{"cat <<\\E\na\nE", "ask"},
		{"cat <<E''\na\nE", "ask"},
		{"cat <<$'E'\na\nE", "ask"},
		{"cat <<E\na", "ask"},
		{"cat <<-E\n\ta\nE", "ask"},
		{"cat <<E 'a\nb'\na\nE", "ask"},
		{"cat <<E \\\nx\na\nE", "ask"},
		{"ls a\\\nb", "ask"},
		{"ls \\\n  -l", "allow"},
	} {
		if got := Judge(list, Request{Kind: "execute", Command: tt.command, Cwd: "/nowhere/p"}); got.Action != tt.want {
			t.Errorf("%q: got %s (%s), want %s", tt.command, got.Action, got.Why, tt.want)
		}
	}
}

// A command of any form is judged, however deep, and one that is too long to be judged is asked about.
func TestLarge(t *testing.T) {
	for _, command := range []string{
		strings.Repeat("ls;", 10_000), strings.Repeat("(", 30_000), strings.Repeat("$(", 15_000), "ls " + strings.Repeat("x", 100_000),
		strings.Repeat("bash -c '", 5000), strings.Repeat("cat <<E\nE\n", 2900), "ls " + strings.Repeat("'a' \"$x\" ", 5000),
		strings.Repeat("env ", 8000), strings.Repeat("env "+strings.Repeat("xargs ", 400)+";", 12), strings.Repeat("timeout 5 bash -c '", 1500), "xargs " + strings.Repeat("sh ", 9000), "find . " + strings.Repeat("-exec sh ", 3000),
		"docker exec " + strings.Repeat("$x ", 8000), "git remote " + strings.Repeat("-v ", 10000), "python3 " + strings.Repeat("-m pip ", 4000), strings.Repeat("find . -exec env bash -c \"", 200), "npm test -- " + strings.Repeat("{,", 15000),
	} {
		r := Request{Kind: "execute", Command: command, Cwd: "/nowhere/p"}
		got := Judge([]Rule{{Command: "ls", Action: "allow"}, {Command: "cat", Action: "allow"}}, r)
		Suggest(r)
		if len(command) > maxRead && got.Action != "ask" {
			t.Errorf("%.20s: got %s", command, got.Action)
		}
	}
}

// A tree that does not say what the text says is found by printing it, by comparing its texts, and in each document (behaviour 730).
func TestReadBack(t *testing.T) {
	parse := func(text string) source {
		file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
		if err != nil {
			t.Fatal(err)
		}
		return source{text, file}
	}
	first := func(s source) *syntax.Lit {
		return s.file.Stmts[0].Cmd.(*syntax.CallExpr).Args[1].Parts[0].(*syntax.Lit)
	}

	s := parse("ls ab")
	if s.odd() != "" {
		t.Errorf("got %s", s.odd())
	}
	first(s).Value = "a b"
	if s.oddPrint() == "" || s.oddLeaf() == "" {
		t.Errorf("got %q, %q", s.oddPrint(), s.oddLeaf())
	}
	first(s).Value = "ba"
	if s.oddPrint() != "" || s.oddLeaf() == "" {
		t.Errorf("got %q, %q", s.oddPrint(), s.oddLeaf())
	}

	s = parse("cat <<E\na\nE\nls")
	if s.odd() != "" {
		t.Errorf("got %s", s.odd())
	}
	s.file.Stmts[0].Redirs[0].Hdoc.Parts[0].(*syntax.Lit).Value = "b\n"
	if s.oddDocument() == "" {
		t.Error("another document is not found")
	}
}
