package rules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var readers = []Rule{
	{Command: "ls", Action: "allow"},
	{Command: "cat", Action: "allow"},
	{Command: "git diff", Action: "allow"},
	{Command: "git push", Action: "deny"},
	{Kind: "read", Action: "allow"},
	{Kind: "edit", Path: "src/**", Action: "allow"},
	{Kind: "edit", Path: "**/*.lock", Action: "deny"},
}

// Every command of a shell line has to be allowed (behaviour 223).
func TestCommands(t *testing.T) {
	for _, tt := range []struct{ name, command, want string }{
		{"allowed", "ls -la", "allow"},
		{"two words", "git diff --stat", "allow"},
		{"other second word", "git commit", "ask"},
		{"all allowed", "ls && cat x | cat; git diff", "allow"},
		{"pipe into another", "ls | xargs rm", "ask"},
		{"behind a semicolon", "ls; rm -rf /", "ask"},
		{"background", "ls & rm x", "ask"},
		{"substitution", "ls $(rm x)", "ask"},
		{"backquotes", "ls `rm x`", "ask"},
		{"process substitution", "cat <(rm x)", "ask"},
		{"sudo", "sudo ls", "ask"},
		{"env", "env ls", "ask"},
		{"path to another ls", "./ls", "ask"},
		{"variable as command", "$x", "ask"},
		{"glob as command", "l?", "ask"},
		{"assignment before", "LD_PRELOAD=x ls", "ask"},
		{"quoted name", "'ls' -l", "allow"},
		{"escaped name", `l\s`, "allow"},
		{"redirect out", "ls > out", "ask"},
		{"redirect to an allowed path", "ls > src/out", "allow"},
		{"redirect out of the tree", "ls > src/../../etc/passwd", "ask"},
		{"redirect to nothing", "ls 2>/dev/null 2>&1", "allow"},
		{"denied", "git push", "deny"},
		{"denied in a list", "ls && git push", "deny"},
		{"function", "ls() { rm x; }; ls", "ask"},
		{"alias", "alias ls=rm; ls", "ask"},
		{"eval", "eval ls", "ask"},
		{"unreadable", "ls 'unclosed", "ask"},
		{"newline", "ls\nrm x", "ask"},
		{"heredoc", "cat <<E\n$(rm x)\nE", "ask"},
		{"subshell", "(ls; rm x)", "ask"},
		{"redirect after going elsewhere", "cat && cd /etc && cat x > src/y", "ask"},
		{"test with a subscript", `[[ 'a[$(touch /tmp/x)]' -eq 0 ]]`, "ask"},
		{"arithmetic command", "((x = 1))", "ask"},
		{"nothing at all", "", "ask"},
		{"only a comment", "# ls", "ask"},
		{"redirect of both to a file", "ls >&out", "ask"},
		{"redirect of one to a file", "ls 1>&out", "ask"},
		{"descriptor closed", "ls 2>&-", "allow"},
		{"descriptor in a variable", "ls {fd}>/dev/null", "ask"},
		{"loop over a path", "for PATH in /tmp/evil; do ls; done", "ask"},
		{"select", "select PATH in /tmp/evil; do ls; done", "ask"},
		{"word that is not fixed", "git diff${x-tool}", "ask"},
		{"word that may be denied", "git ${x-push}", "ask"},
		{"word that may be nothing", "git $x push", "ask"},
		{"expansion that sets", "ls ${PATH:=x}", "ask"},
		{"expansion by another name", "ls ${!x}", "ask"},
		{"expansion that runs", "ls ${x@P}", "ask"},
		{"arithmetic in a word", "ls $((x))", "ask"},
		{"plain expansion", `ls $x "${y}"`, "allow"},
		{"translated string", `$"ls"`, "ask"},
		{"loop", "for i in 1; do rm $i; done", "ask"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Judge(readers, Request{Kind: "execute", Command: tt.command, Cwd: "/nowhere/p"})
			if got.Action != tt.want {
				t.Errorf("%q: got %s (%s), want %s", tt.command, got.Action, got.Why, tt.want)
			}
		})
	}
}

// Every path of a request has to be allowed (behaviour 223).
func TestFilesAndKinds(t *testing.T) {
	for _, tt := range []struct {
		name string
		r    Request
		want string
	}{
		{"edit in src", Request{Kind: "edit", Paths: []string{"/nowhere/p/src/a/b.go"}}, "allow"},
		{"edit elsewhere", Request{Kind: "edit", Paths: []string{"/nowhere/p/x.go"}}, "ask"},
		{"one of two elsewhere", Request{Kind: "edit", Paths: []string{"/nowhere/p/src/x.go", "/nowhere/p/x.go"}}, "ask"},
		{"a denied one among them", Request{Kind: "edit", Paths: []string{"/nowhere/p/x.go", "/nowhere/p/go.lock"}}, "deny"},
		{"dots lead out", Request{Kind: "edit", Paths: []string{"/nowhere/p/src/../x.go"}}, "ask"},
		{"read", Request{Kind: "read", Paths: []string{"/etc/passwd"}}, "allow"},
		{"says read but runs a command", Request{Kind: "read", Command: "rm x"}, "ask"},
		{"no kind", Request{}, "ask"},
		{"execute without a command", Request{Kind: "execute"}, "ask"},
		{"unknown kind", Request{Kind: "_new"}, "ask"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.r.Cwd = "/nowhere/p"
			got := Judge(readers, tt.r)
			if got.Action != tt.want {
				t.Errorf("got %s (%s), want %s", got.Action, got.Why, tt.want)
			}
		})
	}
}

// A denial holds in a folder that is a link, or whose name looks like a pattern.
func TestOddFolders(t *testing.T) {
	real := filepath.Join(t.TempDir(), "app [x]")
	if err := os.MkdirAll(filepath.Join(real, "secret"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	list := []Rule{{Path: "secret/**", Action: "deny"}, {Kind: "edit", Action: "allow"}}
	for _, cwd := range []string{real, link} {
		r := Request{Kind: "edit", Cwd: cwd, Paths: []string{filepath.Join(cwd, "secret", "key")}}
		if got := Judge(list, r); got.Action != "deny" {
			t.Errorf("%s: got %s (%s), want deny", cwd, got.Action, got.Why)
		}
	}
	r := Request{Kind: "edit", Cwd: real, Paths: []string{filepath.Join(real, "[id].tsx")}}
	if got := Judge(Suggest(r)[0], r); got.Action != "allow" {
		t.Errorf("a suggested rule does not allow what it is for: %s (%s)", got.Action, got.Why)
	}
}

func TestAllowAll(t *testing.T) {
	all := []Rule{{Action: "allow"}}
	if got := Judge(all, Request{Kind: "execute", Command: "make && ls > x", Cwd: "/p"}); got.Action != "allow" {
		t.Errorf("got %s (%s), want allow", got.Action, got.Why)
	}
	if got := Judge(all, Request{Kind: "execute", Command: "$x", Cwd: "/p"}); got.Action != "ask" {
		t.Errorf("what cannot be understood: got %s, want ask", got.Action)
	}
	if got := Judge(nil, Request{Kind: "read", Paths: []string{"/p/x"}, Cwd: "/p"}); got.Action != "ask" {
		t.Errorf("no rules: got %s, want ask", got.Action)
	}
}

// A rule allows a program that runs or writes something by its arguments only if it names them.
func TestNamed(t *testing.T) {
	for _, tt := range []struct{ rule, command, want string }{
		{"find", "find . -name x", "allow"},
		{"find", "find . -delete", "ask"},
		{"find . -delete", "find . -delete", "allow"},
		{"find . -delete", "find . -delete -exec x", "ask"},
		{"find . *", "find . -delete", "ask"},
		{"find", "find $x", "ask"},
		{"find", `find "src/$x"`, "allow"},
		{"git", "git status", "allow"},
		{"git", "git -c x=y status", "ask"},
		{"git diff", "git diff --outp=x", "ask"},
		{"git diff --output=x", "git diff --output=x", "allow"},
		{"git diff", "git diff -- --output=x", "allow"},
		{"git diff", `git diff "$x"`, "ask"},
		{"git diff", "git diff *", "ask"},
		{"git diff", "git diff src/*", "allow"},
		{"xargs", "xargs grep x", "ask"},
		{"xargs grep", "xargs grep x", "ask"},
		{"xargs grep x", "xargs grep x", "allow"},
		{"sh", "sh", "ask"},
		{"python", "python x.py", "ask"},
		{"python x.py", "python x.py y", "allow"},
		{"/usr/bin/find", "/usr/bin/find -delete", "ask"},
		{"python3.12", "python3.12 -c x", "ask"},
	} {
		list := []Rule{{Command: tt.rule, Action: "allow"}}
		if got := Judge(list, Request{Kind: "execute", Command: tt.command, Cwd: "/nowhere/p"}); got.Action != tt.want {
			t.Errorf("%q by a rule for %q: got %s (%s), want %s", tt.command, tt.rule, got.Action, got.Why, tt.want)
		}
	}
	for _, command := range []string{"find . -delete", "git -c x=y status", "xargs grep x", "find . -name x", "sort -o x y"} {
		r := Request{Kind: "execute", Command: command, Cwd: "/nowhere/p"}
		if list := Suggest(r); len(list) != 1 || Judge(list[0], r).Action != "allow" {
			t.Errorf("suggested for %q: %v", command, list)
		}
	}
	if got := Judge([]Rule{{Command: "find", Action: "deny"}}, Request{Kind: "execute", Command: "find . -delete", Cwd: "/"}); got.Action != "deny" {
		t.Errorf("a denial is not for what runs something: %s", got.Action)
	}
}

func TestDoubtful(t *testing.T) {
	for _, tt := range []struct{ name, command, want string }{
		{"allowed", "ls -la | cat", ""},
		{"nothing allowed", "rm -rf /", ""},
		{"one of two", "ls && rm -rf /", "rm -rf /"},
		{"redirected", "ls > out", "> out"},
		{"within", "ls $(rm x)", "rm x"},
		{"not fixed", "ls; $x y", "$x y"},
		{"can mean anything", "eval ls", "eval ls"},
		{"unreadable", "ls 'unclosed", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			for _, d := range Doubtful(readers, Request{Kind: "execute", Command: tt.command, Cwd: "/nowhere/p"}) {
				got += tt.command[d[0]:d[1]]
			}
			if got != tt.want {
				t.Errorf("%q: got %q, want %q", tt.command, got, tt.want)
			}
		})
	}
}

// What the input of a call has beside a command is asked about, whatever the rules; without a command only a rule that does not look
// at it allows the call (behaviour 731).
func TestUnknown(t *testing.T) {
	list := append([]Rule{{Tool: "echo", Action: "allow"}}, readers...)
	for _, tt := range []struct {
		name  string
		rules []Rule
		r     Request
		want  string
	}{
		{"command", list, Request{Kind: "execute", Command: "ls", Unknown: []string{"env"}}, "ask"},
		{"command, all allowed", []Rule{{Action: "allow"}}, Request{Kind: "execute", Command: "ls", Unknown: []string{"env"}}, "ask"},
		{"command, denied", list, Request{Kind: "execute", Command: "git push", Unknown: []string{"env"}}, "deny"},
		{"odd command", list, Request{Kind: "execute", Command: "ls", Odd: "twice"}, "ask"},
		{"odd", list, Request{Kind: "read", Odd: "twice"}, "ask"},
		{"by kind", list, Request{Kind: "read", Unknown: []string{"exec"}}, "ask"},
		{"by path", list, Request{Kind: "edit", Paths: []string{"/nowhere/p/src/a"}, Unknown: []string{"exec"}}, "ask"},
		{"by tool", list, Request{Kind: "other", Tool: "echo", Unknown: []string{"sentence"}}, "ask"}, // of no kind
		{"by tool of a kind", list, Request{Kind: "think", Tool: "echo", Unknown: []string{"sentence"}}, "allow"},
		{"all allowed", []Rule{{Action: "allow"}}, Request{Kind: "think", Unknown: []string{"sentence"}}, "allow"},
		{"denied", []Rule{{Kind: "read", Action: "deny"}}, Request{Kind: "read", Unknown: []string{"exec"}}, "deny"},
		{"its folder", list, Request{Kind: "execute", Command: "ls", Dir: "/nowhere/p/./"}, "allow"},
		{"another folder", list, Request{Kind: "execute", Command: "ls", Dir: "/nowhere"}, "ask"},
		{"a folder below", list, Request{Kind: "execute", Command: "ls", Dir: "src"}, "ask"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.r.Cwd = "/nowhere/p"
			if got := Judge(tt.rules, tt.r); got.Action != tt.want {
				t.Errorf("got %s (%s), want %s", got.Action, got.Why, tt.want)
			}
			for _, offer := range Suggest(tt.r) {
				if tt.r.Odd != "" || tt.r.Command != "" && len(tt.r.Unknown) > 0 {
					t.Errorf("offered: %s", offer)
				}
			}
		})
	}
}

// A pattern for a name is none for the folder above (behaviour 730).
func TestAbove(t *testing.T) {
	list := []Rule{{Command: "cat src/*", Action: "allow"}, {Command: "ls ../*", Action: "allow"}}
	for command, want := range map[string]string{"cat src/..": "ask", "cat src/x": "allow", "ls ../x": "allow", "ls ../..": "ask"} {
		if v := Judge(list, Request{Kind: "execute", Cwd: "/nowhere/p", Command: command}); v.Action != want {
			t.Errorf("%s: got %s, want %s", command, v.Action, want)
		}
	}
}

// Builtins that set variables or move, variables that are code for some program or shell, and words that some shell expands are asked
// about, whatever rules there are for programs (behaviours 730, 734, 969).
func TestShellWords(t *testing.T) {
	var list []Rule
	for _, name := range strings.Fields("ls git printf wait print cd chdir ./run uniq make awk echo jobs kill for while done test exit shift break continue return sleep bye logout fg history \\[") {
		list = append(list, Rule{Command: name, Action: "allow"})
	}
	list = append(list, Rule{Kind: "edit", Path: "out", Action: "allow"})
	for _, command := range []string{
		"COLUMNS='a[$(x)]' ls", "COLUMNS=x ls", "LINES='a[1]'; ls", "export COLUMNS=x; ls", "for COLUMNS in 'a[$(x)]'; do ls; done", "for CI in '$(shell x)'; do make; done",
		"TEST='$(shell x)' make", "FOO='a b' ls", "CI=\"$x\" ls", "printf 'abc%n' PATH; git status", "printf '%s%n' a PATH", "printf -v PATH x", "printf %*n 1 PATH", "printf '%(%n)T'",
		"TEST=x ls", "TEST=/tmp/x.rb make", "NODE_ENV=../x ls", "NODE_ENV=/x ls", "TERM=/x ls", "LANG=x/y ls", "TZ=/x ls", "TZ=:/x ls", "DEBUG=../x ls", "RUBYOPT=-rx ls", "export NODE_ENV=./x; ls",
		"wait -p PATH; git status", "print -v PATH x", "print -s x", "uniq run{},.sh}", "for i in 1 2; do ./run; cd evil; done",
		"while ./run; do cd evil; done", "for i in 1 2; do echo x > out; cd ..; done", "for i in 1 2; do echo x > out; cd ..; echo y; done", "for i in 1; do ./run; done; chdir x; echo y", "chdir evil && ./run", "for i in 1; do ./run; done; chdir x", "echo x > a/../out",
		"x='x[$(PWN)]'; printf %d x", "test -t x", "exit x", "shift x", "break x", "continue x", "return x", "kill x", "kill -s x 1", "wait x", "sleep x", "bye x", "logout x", "fg x", "print \"$x\"", "[ x -eq 0 ]", "[ -eq 0 ]", "[ 0 -eq", "history -w x",
	} {
		if v := Judge(list, Request{Kind: "execute", Cwd: "/nowhere/p", Command: command}); v.Action != "ask" {
			t.Errorf("%s: got %s", command, v.Action)
		}
	}
	for _, command := range []string{
		"kill %1", "wait %2", "sleep 5", "sleep 0.5", "history 5", "[ 1 -eq 0 ]", "exit 0",
		"COLUMNS=80 ls", "CI=true ls", "DEBUG=* ls", "for f in a b; do ls; done", "ls a/{}", "printf '%-5s%d\\n' a 1", "wait", "wait $!", "cd x && echo y", "cd . && ls", "kill -9 1", "kill 1",
		"for i in 1 2; do ./run; done", "echo x > out", "RUST_LOG=a=debug,b=info ls", "TZ=Europe/Berlin ls", "DEBUG=app:a/b ls", "NODE_ENV=test ls", "LANG=en_US.UTF-8 ls",
	} {
		if v := Judge(list, Request{Kind: "execute", Cwd: "/nowhere/p", Command: command}); v.Action != "allow" {
			t.Errorf("%s: got %s: %s", command, v.Action, v.Why)
		}
	}
}

// A link that leads to what does not exist is the file that it leads to: writing through it makes that (behaviour 730).
func TestDangling(t *testing.T) {
	dir := t.TempDir()
	for name, to := range map[string]string{"link": "/nowhere/x", "up": "../x", "folder": "/nowhere", "inside": "made", "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	list := []Rule{{Kind: "edit", Path: "**", Action: "allow"}, {Command: "echo", Action: "allow"}}
	for path, want := range map[string]string{"link": "ask", "up": "ask", "folder/x": "ask", "loop": "ask", "loop/x": "ask", "inside": "allow", "new": "allow"} {
		for _, r := range []Request{{Kind: "edit", Paths: []string{filepath.Join(dir, path)}}, {Kind: "execute", Command: "echo x > " + path}} {
			r.Cwd = dir
			if v := Judge(list, r); v.Action != want {
				t.Errorf("%s: got %s, want %s: %s", path, v.Action, want, v.Why)
			}
		}
	}
}

// Paths that some agents expand are no files of the project; one of any length takes no time (behaviour 730).
func TestPaths(t *testing.T) {
	list := []Rule{{Kind: "edit", Path: "**", Action: "allow"}}
	for path, want := range map[string]string{
		"~/.bashrc": "ask", "~root/x": "ask", "file:///etc/passwd": "ask", "file:/etc/passwd": "ask", "$HOME/x": "ask", "${HOME}/x": "ask", "@/etc/passwd": "ask", " /etc/passwd": "ask",
		"x ": "ask", "\"/etc/passwd\"": "ask", "a${HOME}": "ask", "%USERPROFILE%": "ask", "src/link/../x": "ask", "/nowhere/p/a/../b": "ask", "/" + strings.Repeat("a/", 500_000): "ask", "a\tb": "ask",
		"a b": "allow", "src/x~": "allow", "a@b": "allow", "[id]/x.ts": "allow", "a'b": "allow",
	} {
		if v := Judge(list, Request{Kind: "edit", Cwd: "/nowhere/p", Paths: []string{path}}); v.Action != want {
			t.Errorf("%.40s: got %s, want %s", path, v.Action, want)
		}
	}
}

// A rule with a pattern is none for a file that may hold secrets, or that something runs: that must have its name (behaviour 706).
func TestGuard(t *testing.T) {
	guard := func(real string) string {
		if base := filepath.Base(real); base == ".env" || base == "pre-commit" {
			return "guarded"
		}
		return ""
	}
	for _, tt := range []struct {
		rule Rule
		want string
	}{
		{Rule{Kind: "edit", Path: "**"}, "ask"},
		{Rule{Kind: "edit"}, "ask"},
		{Rule{Kind: "edit", Path: ".*"}, "ask"},
		{Rule{Kind: "edit", Path: "**/.env"}, "allow"},
		{Rule{Kind: "edit", Path: ".env"}, "allow"},
		{Rule{}, "allow"},
	} {
		tt.rule.Action = "allow"
		list := []Rule{tt.rule, {Command: "echo", Action: "allow"}}
		for _, r := range []Request{{Kind: "edit", Paths: []string{"/nowhere/p/.env"}}, {Kind: "execute", Command: "echo x > .env"}} {
			r.Cwd, r.Guard = "/nowhere/p", guard
			if v := Judge(list, r); v.Action != tt.want {
				t.Errorf("%s: got %s (%s), want %s", tt.rule.String(), v.Action, v.Why, tt.want)
			}
		}
	}
	if v := Judge([]Rule{{Kind: "edit", Path: "**", Action: "allow"}}, Request{Kind: "edit", Cwd: "/nowhere/p", Paths: []string{"/nowhere/p/a"}, Guard: guard}); v.Action != "allow" {
		t.Errorf("another file: got %s", v.Action)
	}
	if v := Judge([]Rule{{Kind: "edit", Path: "**", Action: "deny"}}, Request{Kind: "edit", Cwd: "/nowhere/p", Paths: []string{"/nowhere/p/.env"}, Guard: guard}); v.Action != "deny" {
		t.Errorf("a rule that denies: got %s", v.Action)
	}
}
