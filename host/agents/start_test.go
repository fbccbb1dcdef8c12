package agents

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What is said of a program that could not be started: what installs it, or which setting names it, and below that which program was tried
// and what is wrong with it (behaviours 5, 522).
func TestNotStarted(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"odd": "no program", "script": "#!/no/such/program\n", "shut": "#!/bin/sh\n"} {
		mode := os.FileMode(0o700)
		if name == "shut" {
			mode = 0o600
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	const install = "npm install it"
	for _, tt := range []struct {
		name    string
		spec    Spec
		want    string // DIR is the folder
		missing bool
	}{
		{"no command", Spec{Name: "a", Title: "A"}, "A is not installed; set agents.a.command", true},
		{"no command, and no title", Spec{Name: "a"}, "a is not installed; set agents.a.command", true},
		{
			"no command, and what installs it is known", Spec{Name: "a", Title: "A", Install: install},
			"A is not installed; to install it: npm install it", true,
		},
		{
			"on no PATH", Spec{Name: "a", Title: "A", Command: "no-such-program"},
			"A is not installed: no program no-such-program is on your PATH; install it, or correct agents.a.command", true,
		},
		{
			"on no PATH, and what installs it is known", Spec{Name: "a", Title: "A", Command: "no-such-program", Install: install},
			"A is not installed; to install it: npm install it\n" +
				`no-such-program: exec: "no-such-program": executable file not found in $PATH`, true,
		},
		{
			"no such path", Spec{Name: "a", Title: "A", Command: "DIR/none"},
			"A is not installed: there is no program DIR/none; correct agents.a.command", true,
		},
		{
			"no such path, and what installs it is known", Spec{Name: "a", Title: "A", Command: "DIR/none", Install: install},
			"A is not installed; to install it: npm install it\nDIR/none: fork/exec DIR/none: no such file or directory", true,
		},
		{
			"no interpreter", Spec{Name: "a", Command: "DIR/script", Install: install},
			"DIR/script cannot be run: the program that its first line names is not there\nfork/exec DIR/script: no such file or directory", false,
		},
		{
			"not executable", Spec{Name: "a", Command: "DIR/shut", Install: install},
			"DIR/shut cannot be run: it is not an executable file of yours\nfork/exec DIR/shut: permission denied", false,
		},
		{
			"no program", Spec{Name: "a", Command: "DIR/odd", Install: install},
			"DIR/odd cannot be run: it is neither a program nor a script that names one\nfork/exec DIR/odd: exec format error", false,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.spec.Command = strings.ReplaceAll(tt.spec.Command, "DIR", dir)
			failed := exec.Command(tt.spec.Command).Start()
			err := (&Agent{Spec: tt.spec}).notStarted(failed)
			if want := strings.ReplaceAll(tt.want, "DIR", dir); err.Error() != want {
				t.Errorf("got  %s\nwant %s", err, want)
			}
			if missing := new(missingError); errors.As(err, &missing) != tt.missing || !errors.Is(err, failed) {
				t.Errorf("it is not installed: %v, its cause is known: %v", !tt.missing, errors.Is(err, failed))
			}
		})
	}
}
