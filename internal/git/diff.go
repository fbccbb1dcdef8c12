package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/group"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// View is a view of a repository for one comparison, with a configuration of its own. Close removes it.
type View struct {
	Top  string // its working tree
	Head string // the commit that is checked out

	reads  reads
	path   string // of the view
	config []string
	env    []string
}

// reads are the paths that Git reads beside the working tree, maybe through links.
type reads struct{ dir, index, objects, common, refs string }

// kept are the settings that say how a file of the working tree is to be read and a difference to be shown. None names
// a program.
const kept = `^(core\.(autocrlf|eol|filemode|ignorecase|symlinks|precomposeunicode|trustctime|checkstat|quotepath)` +
	`|diff\.(algorithm|context|interhunkcontext|renames|noprefix|mnemonicprefix))$`

// Look makes a view of the repository whose working tree a folder is in. It waits for Git and the disk.
func Look(ctx context.Context, dir string) (*View, error) {
	out, err := read(ctx, dir, "rev-parse", "--path-format=absolute", "--show-toplevel", "--show-object-format",
		"--git-dir", "--git-path", "index", "--git-path", "objects", "--git-common-dir", "--git-path", "refs",
		"--verify", "HEAD^{commit}")
	if err != nil {
		return nil, err
	}

	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != 8 {
		return nil, errors.New("the repository has a name of several lines")
	}

	v := &View{Top: lines[0], Head: lines[7], reads: reads{lines[2], lines[3], lines[4], lines[5], lines[6]}}
	settings, _ := read(ctx, dir, "config", "-z", "--get-regexp", kept) // fails where there is none
	for setting := range strings.SplitSeq(strings.TrimSuffix(settings, "\x00"), "\x00") {
		if name, value, ok := strings.Cut(setting, "\n"); ok {
			v.config = append(v.config, "-c", name+"="+value)
		}
	}

	if v.path, err = os.MkdirTemp("", "nvim-acp-git-"); err != nil {
		return nil, err
	}
	if err := v.fill(lines[1], lines[3]); err != nil {
		v.Close()
		return nil, err
	}

	v.env = append(Env(), "GIT_DIR="+v.path, "GIT_WORK_TREE="+v.Top, "GIT_OBJECT_DIRECTORY="+lines[4],
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_ATTR_NOSYSTEM=1")
	return v, nil
}

// fill makes the view a repository with a copy of an index.
func (v *View) fill(format, index string) error {
	config := "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = " + format + "\n"
	err := errors.Join(
		os.WriteFile(filepath.Join(v.path, "config"), []byte(config), 0o600),
		os.WriteFile(filepath.Join(v.path, "HEAD"), []byte(v.Head+"\n"), 0o600),
		os.Mkdir(filepath.Join(v.path, "refs"), 0o700),
		copyFile(index, filepath.Join(v.path, "index")),
	)
	shared, _ := filepath.Glob(filepath.Join(filepath.Dir(index), "sharedindex.*")) // of an index in two parts
	for _, path := range shared {
		err = errors.Join(err, copyFile(path, filepath.Join(v.path, filepath.Base(path))))
	}
	return err
}

// copyFile copies a file with its time, by which Git knows what may have changed in the moment of its writing. One
// that is not there has no copy.
func copyFile(from, to string) error {
	info, err := os.Stat(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file", from)
	}
	if err != nil {
		return err
	}

	text, err := regular.ReadFile(from)
	if err != nil {
		return err
	}

	return errors.Join(os.WriteFile(to, text, 0o600), os.Chtimes(to, info.ModTime(), info.ModTime()))
}

// Diff returns the command that shows what a folder's working tree has changed since the commit, and its environment.
// Files are compared as they are on the disk, but for line ends: no filter runs.
func (v *View) Diff() (words, env []string) {
	words = Words(v.config...)
	return append(words, "diff", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", v.Head), v.env
}

// Path returns the folder of the view.
func (v *View) Path() string { return v.path }

// Close removes the view.
func (v *View) Close() { _ = os.RemoveAll(v.path) } // what cannot be removed is left to the system

// read returns what a command prints.
func read(ctx context.Context, dir string, args ...string) (string, error) {
	return readWith(ctx, dir, Env(), args...)
}

// readWith is read in an environment.
func readWith(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	words := Words(args...)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir, cmd.Env = dir, env
	group.Own(cmd)
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) && len(failed.Stderr) > 0 {
		line, _, _ := strings.Cut(string(failed.Stderr), "\n")
		err = errors.New(line)
	}
	if _, gone := os.Stat(dir); err != nil && errors.Is(gone, os.ErrNotExist) {
		err = fmt.Errorf("%s is not there", dir) // the system says only that Git could not be started there
	}

	return string(out), err
}
