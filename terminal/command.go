package terminal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// ErrNoCommand is a command that is not there.
var ErrNoCommand = errors.New("command not found")

// word is a command that cannot be meant for a shell.
var word = lazy.Regexp(`^[\w./+:@%,-]+$`)

// command builds what spec asks for (behaviour 237): with arguments, the program itself; without, the program that has
// the whole text as its name, or else a shell that runs the text. An empty list of arguments counts as none: agents send
// it with whole shell lines.
func (s Spec) command() (*exec.Cmd, error) {
	if err := s.checkDir(); err != nil {
		return nil, err
	}
	path, err := s.lookPath(s.Command)
	if err == nil {
		return s.cmd(path, append([]string{s.Command}, s.Args...)), nil
	}
	if s.HasArgs && len(s.Args) > 0 || word().MatchString(s.Command) || strings.TrimSpace(s.Command) == "" {
		return nil, err
	}
	shell := s.shell()
	return s.cmd(shell, []string{shell, "-c", s.Command}), nil
}

// Resolve returns the words that [Start] would run for the spec, the program by its path.
func (s Spec) Resolve() ([]string, error) {
	cmd, err := s.command()
	if err != nil {
		return nil, err
	}
	return append([]string{cmd.Path}, cmd.Args[1:]...), nil
}

func (s Spec) cmd(path string, args []string) *exec.Cmd {
	return &exec.Cmd{Path: path, Args: args, Dir: s.Dir, Env: s.Env}
}

// checkDir says what is wrong with the working directory, which exec would report as a missing command.
func (s Spec) checkDir() error {
	if s.Dir == "" {
		return nil
	}
	info, err := os.Stat(s.Dir)
	if err != nil {
		return fmt.Errorf("working directory: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("working directory %s: not a directory", s.Dir)
	}
	return nil
}

// shell is the user's shell if it is one whose language agents speak, else sh.
func (s Spec) shell() string {
	if name := filepath.Base(s.Shell); name == "bash" || name == "zsh" {
		if path, err := s.lookPath(s.Shell); err == nil {
			return path
		}
	}
	return "/bin/sh"
}

// lookPath finds a program as a shell with the environment and the folder of the command would.
func (s Spec) lookPath(name string) (string, error) {
	if strings.Contains(name, "/") {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.Dir, path)
		}
		return path, executable(name, path)
	}
	if name != "" {
		for _, dir := range filepath.SplitList(s.getenv("PATH")) {
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(s.Dir, dir)
			}
			if path := filepath.Join(dir, name); executable(name, path) == nil {
				return path, nil
			}
		}
	}

	return "", fmt.Errorf("%q: %w", name, ErrNoCommand)
}

// executable reports whether path is a file that may be run.
func executable(name, path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%q: %w", name, ErrNoCommand)
	case err != nil:
		return err
	case info.IsDir() || info.Mode()&0o111 == 0:
		return fmt.Errorf("%q: %w", name, fs.ErrPermission)
	}
	return nil
}

// getenv is the last value of a variable in Env.
func (s Spec) getenv(name string) string {
	for _, entry := range slices.Backward(s.Env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}
