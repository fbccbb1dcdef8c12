package terminal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A command without arguments runs in a shell, and with arguments directly (behaviours 84, 133).
func TestCommand(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "my script; echo no")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho script\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		spec Spec
		want string
		exit string
	}{
		{"a line for the shell", Spec{Command: "printf 'a\\nb'; exit 3"}, "a\nb", "3"},
		{"with arguments no shell", Spec{Command: "echo", Args: []string{"$HOME", "a  b"}, HasArgs: true}, "$HOME a  b\n", "0"},
		{"an empty list of arguments", Spec{Command: "echo a && echo b", HasArgs: true}, "a\nb\n", "0"},
		{"a single word", Spec{Command: "pwd", Dir: "/"}, "/\n", "0"},
		{"a program with a strange name", Spec{Command: script}, "script\n", "0"},
		{"relative to the folder", Spec{Command: "./" + filepath.Base(script)}, "script\n", "0"},
		{"the user's shell", Spec{Command: "[[ a == a ]] && echo yes", Shell: "/bin/bash"}, "yes\n", "0"},
		{"another shell", Spec{Command: "echo $0", Shell: "/usr/bin/fish"}, "/bin/sh\n", "0"},
		{"a signal", Spec{Command: "kill -9 $$"}, "", "SIGKILL"},
		{"its terminal", Spec{Command: "stty size; test -t 0 && test -t 1 && test -t 2 && echo tty", Cols: 77, Rows: 11}, "11 77\ntty\n", "0"},
		{"no newline translation", Spec{Command: "printf 'ä\\n'"}, "ä\n", "0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.spec.Dir == "" {
				tt.spec.Dir = dir
			}
			tt.spec.Env = Env(os.Environ(), nil, nil)
			term := start(t, tt.spec)
			if got := wait(t, term); got.String() != tt.exit {
				t.Errorf("exit: got %v, want %s", got, tt.exit)
			}
			if got, truncated, exit := term.Output(); got != tt.want || truncated || exit.String() != tt.exit {
				t.Errorf("got %q, %v, %v, want %q", got, truncated, exit, tt.want)
			}
		})
	}
}

// A missing folder or program is an error (behaviour 89).
func TestStartRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		spec Spec
		want error
	}{
		{"missing folder", Spec{Command: "true", Dir: filepath.Join(dir, "no")}, fs.ErrNotExist},
		{"missing command", Spec{Command: "no-such-command-here"}, ErrNoCommand},
		{"missing command with arguments", Spec{Command: "no such", Args: []string{"x"}, HasArgs: true}, ErrNoCommand},
		{"missing path", Spec{Command: "./no"}, ErrNoCommand},
		{"not executable", Spec{Command: file}, fs.ErrPermission},
		{"a folder", Spec{Command: dir}, fs.ErrPermission},
		{"nothing", Spec{Command: " "}, ErrNoCommand},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.spec.Dir == "" {
				tt.spec.Dir = dir
			}
			tt.spec.Env = os.Environ()
			if _, err := Start(tt.spec, Options{}); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

// The configuration wins over the inherited environment, and the request over both (behaviours 88, 226).
func TestEnv(t *testing.T) {
	base := []string{"NVIM=/run/x", "VIMRUNTIME=/y", "CLAUDECODE=1", "HOME=/h", "PAGER=less", "X=a=b", "TERM=dumb"}
	got := Env(base, map[string]string{"X": "c", "VIM": "set"}, map[string]string{"X": "d", "GIT_PAGER": "delta", "NEW": "a\nb"})
	for _, want := range []string{"HOME=/h", "PAGER=cat", "X=d", "VIM=set", "GIT_PAGER=delta", "NEW=a\nb", "TERM=xterm-256color", "GIT_EDITOR=true"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing in %q", want, got)
		}
	}
	for _, entry := range got {
		if name, _, _ := strings.Cut(entry, "="); name == "NVIM" || name == "VIMRUNTIME" || name == "CLAUDECODE" {
			t.Errorf("%s is there", entry)
		}
	}
}
