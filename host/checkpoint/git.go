package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	quiet "github.com/nvim-acp/nvim-acp/internal/git"
	"github.com/nvim-acp/nvim-acp/internal/group"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

var (
	errTooSlow = errors.New("its checkpoint took too long")
	errNoGit   = errors.New("git is not installed")
	errGone    = errors.New("the folder is not there")
)

// A gitError is a run of Git that failed.
type gitError struct {
	command string
	stderr  string
	err     error
}

func (e *gitError) Error() string {
	lines := strings.Split(strings.TrimSpace(e.stderr), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return fmt.Sprintf("git %s: %s", e.command, last)
	}
	return fmt.Sprintf("git %s: %v", e.command, e.err)
}

func (e *gitError) Unwrap() error { return e.err }

// git runs a command of Git in dir and returns what it writes. No hook runs, whatever is configured. The environment is this process's
// without its own GIT_ variables, and env. The files that inherit are open in the program too, so a lock on one outlives this process.
func git(ctx context.Context, dir string, env []string, inherit []*os.File, input io.Reader, args ...string) ([]byte, error) {
	var out bytes.Buffer
	if err := gitTo(ctx, dir, env, inherit, input, &out, args...); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// gitTo is git for output that is taken as it comes.
func gitTo(ctx context.Context, dir string, env []string, inherit []*os.File, input io.Reader, out io.Writer, args ...string) error {
	words := quiet.Words(args...)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = dir
	cmd.Env = append(quiet.Env(), env...)
	cmd.Stdin = input
	cmd.ExtraFiles = inherit
	group.Own(cmd)
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = out, &stderr

	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, exec.ErrNotFound):
		return errNoGit
	}

	return &gitError{command: args[0], stderr: stderr.String(), err: err}
}

// worktree returns the working tree that root is in, and root's path in it: "" if root is the tree itself, or is in no
// repository, or in one that ignores it or has no file of it.
func worktree(ctx context.Context, root string) (top, path string) {
	for dir := root; ; dir = filepath.Dir(dir) {
		if regular.Exists(filepath.Join(dir, ".git")) {
			top = dir
			break
		}
		if dir == filepath.Dir(dir) {
			return root, ""
		}
	}

	if top == root {
		return root, ""
	}

	tracked, err := git(ctx, root, nil, nil, nil, "ls-files", "--", ".")
	if err != nil || len(tracked) == 0 {
		return root, ""
	}

	path, err = filepath.Rel(top, root)
	if err != nil {
		return root, ""
	}

	return top, path
}

// A source is the user's repository of a working tree, as far as a private one needs to know of it.
type source struct {
	index   string // path of its index
	objects string // path of its objects
	format  string // sha1 or sha256
	exclude string // path of its own list of ignored files
	crlf    bool   // line ends may differ between files and objects
}

// userRepository asks Git for the repository whose working tree is at top. It returns the zero value if there is none that
// Git wants to use, and an error if Git could not say.
func userRepository(ctx context.Context, top string) (source, error) {
	if !regular.Exists(filepath.Join(top, ".git")) {
		return source{}, nil
	}

	out, err := git(ctx, top, nil, nil, nil, "rev-parse", "--path-format=absolute", "--show-toplevel", "--show-object-format",
		"--git-path", "index", "--git-path", "objects", "--git-path", "info/exclude")
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if unasked(ctx, err) {
		return source{}, err
	}
	if err != nil || len(lines) != 5 {
		return source{}, nil
	}
	if real, err := filepath.EvalSymlinks(top); err != nil || lines[0] != real {
		return source{}, nil
	}

	crlf, err := git(ctx, top, nil, nil, nil, "config", "--get", "core.autocrlf")
	if unasked(ctx, err) {
		return source{}, err
	}

	value := strings.TrimSpace(string(crlf))
	return source{format: lines[1], index: lines[2], objects: lines[3], exclude: lines[4], crlf: value != "" && value != "false"}, nil
}

// unasked reports whether an error is that Git was not there, or was ended before it could answer.
func unasked(ctx context.Context, err error) bool {
	return err != nil && (ctx.Err() != nil || errors.Is(err, errNoGit))
}

// globalExcludes is the path of the user's list of files that are ignored everywhere, which need not exist; "" if there is
// no place for one. It returns an error if Git could not say.
func globalExcludes(ctx context.Context, dir string) (string, error) {
	out, err := git(ctx, dir, nil, nil, nil, "config", "--type=path", "--get", "core.excludesFile")
	if unasked(ctx, err) {
		return "", err
	}
	if path := strings.TrimSuffix(string(out), "\n"); err == nil && path != "" {
		return path, nil
	}

	config := os.Getenv("XDG_CONFIG_HOME") // Git looks here on every system, os.UserConfigDir does not
	if config == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", nil
		}
		config = filepath.Join(home, ".config")
	}

	return filepath.Join(config, "git", "ignore"), nil
}
