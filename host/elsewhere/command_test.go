package elsewhere

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// wrapped is a place whose program says what it has of a variable that leads it astray, and then runs the command.
func wrapped(t *testing.T) *Place {
	t.Helper()
	dir := t.TempDir()
	p := &Place{
		spec:  Spec{Direct: true, Wrap: []string{"/bin/sh", "-c", `echo "outside <$LD_PRELOAD$OTHER>"; exec "$@"`, "wrap"}},
		needs: Needs{Cwd: dir},
		mark:  "m/",
	}
	var err error
	if p.paths, err = NewMap("a test", []Share{{Here: "/", There: "/", Access: Writable}}); err != nil {
		t.Fatal(err)
	}
	if p.private, err = newFolder(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.private.remove)
	return p
}

// What an agent gives a command is not in the environment of the program that leads to the place, which runs outside.
func TestGivenVariables(t *testing.T) {
	p := wrapped(t)
	value := "/evil'\n$(x).so"
	given := map[string]string{
		"LD_PRELOAD": value, "OTHER": "o", "UID": "7", "PATH": "/nowhere", givenVar: "echo astray", "NVIM_ACP_RUN": "other",
	}
	c := Command{
		Argv: []string{"/usr/bin/printenv", "LD_PRELOAD", "OTHER", "PATH", givenVar, "NVIM_ACP_RUN"}, Dir: p.needs.Cwd, Env: given, Name: "t1",
	}
	want := "outside <>\n" + value + "\no\n/nowhere\n" + p.markOf(c.Name) + "\n" // by the mark it is found, and ended
	s, err := p.Wrap(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range s.Argv {
		if strings.Contains(word, "evil") {
			t.Errorf("others can read a value on the command line: %q", word)
		}
	}
	cmd := exec.Command(s.Argv[0], s.Argv[1:]...)
	cmd.Env = s.Env
	if out, _ := cmd.Output(); string(out) != want { // printenv fails for what is not set
		t.Errorf("got %q, want %q", out, want)
	}
	words, err := p.Login(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if out, _ := exec.Command(words[0], words[1:]...).Output(); string(out) != want {
		t.Errorf("login: got %q, want %q", out, want)
	}
	c.Env = map[string]string{"A=B": "x"}
	if _, err := p.Wrap(context.Background(), c); err == nil {
		t.Error("a name that no shell can export was taken")
	}
}

// A command runs with its words, variables, folder and status there, also where the program that leads there takes a line for the shell there,
// and with what the user's login sets up, where that is wanted.
func TestWaysThere(t *testing.T) {
	shell := filepath.Join(t.TempDir(), "shell")
	text := "#!/bin/sh\n[ \"$1\" = -lc ] || exit 99\nexport LOGGED=in; exec /bin/sh -c \"$2\"\n"
	if err := os.WriteFile(shell, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SHELL", shell)
	for _, test := range []struct {
		name          string
		joined, login bool
		logged        string
	}{
		{"words", false, false, ""},
		{"words, no login takes them", false, true, ""},
		{"a line", true, false, ""},
		{"a line, by a login shell", true, true, "in"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, n := local(t)
			s.Joined, s.Login = test.joined, test.login
			if s.Joined {
				s.Wrap = []string{"/bin/sh", "-c"}
			}
			p := open(t, s, n)
			c := Command{
				Argv: []string{"/bin/sh", "-c", `printf '<%s>' "$@" "$GIVEN" "$LOGGED"; pwd; exit 3`, "sh", "two words", `a "b" $c 'd'`, ""},
				Env:  map[string]string{"GIVEN": "it's\n\"here\""},
			}
			out, err := start(t, p, c).Output()
			want := "<two words><a \"b\" $c 'd'><><it's\n\"here\"><" + test.logged + ">" + n.Cwd + "\n"
			if exit := new(exec.ExitError); string(out) != want || !errors.As(err, &exit) || exit.ExitCode() != 3 {
				t.Errorf("got %q, %v; want %q", out, err, want)
			}
		})
	}
}
