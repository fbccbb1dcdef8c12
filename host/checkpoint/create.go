package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// config is that of the private repository, after its format: files are kept byte for byte, nothing runs by itself, and a change of a few
// files writes little of the index.
const config = `[core]
	bare = false
	autocrlf = false
	safecrlf = false
	fsmonitor = false
	hooksPath = /dev/null
	attributesFile = /dev/null
	splitIndex = true
[index]
	version = 4
[gc]
	auto = 0
[maintenance]
	auto = false
`

// attributes overrule those in the user's files: no text is converted, no filter runs.
const attributes = "* -text -eol -crlf -filter -ident -working-tree-encoding\n"

// format is the part of the configuration that says which objects and references there are, whatever else Git makes by default.
func (r *repository) format() string {
	if format := cmp.Or(r.from.format, "sha1"); format != "sha1" {
		return "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = " + format + "\n"
	}
	return "[core]\n\trepositoryformatversion = 0\n"
}

// fileSystem is the part of the configuration that says what the file system does otherwise than Git assumes, found out as `git init` does.
func (r *repository) fileSystem() string {
	path, text := filepath.Join(r.dir, "HEAD"), "[core]\n"
	executable := func(mode os.FileMode) bool {
		err := os.Chmod(path, mode)
		info, statErr := os.Stat(path)
		return err == nil && statErr == nil && info.Mode()&0o100 != 0
	}
	if !executable(0o700) || executable(0o600) {
		text += "\tfilemode = false\n"
	}
	if regular.Exists(filepath.Join(r.dir, "hEaD")) {
		text += "\tignorecase = true\n"
	}

	link := filepath.Join(r.dir, "link")
	if os.Symlink("HEAD", link) != nil {
		text += "\tsymlinks = false\n"
	}

	composed, decomposed := filepath.Join(r.dir, "\u00e4"), filepath.Join(r.dir, "a\u0308")
	if os.WriteFile(composed, nil, 0o600) == nil && regular.Exists(decomposed) {
		text += "\tprecomposeunicode = true\n"
	}

	_, _ = os.Remove(link), os.Remove(composed) // what is there
	return text
}

// create makes the private repository, with the user's index as a start so that unchanged files need not be read. It does so without
// Git, which takes several milliseconds for it, and whose later versions have other formats.
func (r *repository) create(ctx context.Context, lock *os.File) error {
	for _, name := range []string{"objects/info", "objects/pack", treesDir + "/info", treesDir + "/pack", "refs"} {
		if err := os.MkdirAll(filepath.Join(r.dir, name), 0o700); err != nil {
			return err
		}
	}

	if err := r.put("HEAD", "ref: refs/heads/main\n"); err != nil {
		return err
	}
	if err := r.put("config", r.format()+config+r.fileSystem()); err != nil {
		return err
	}
	if err := r.put("info/attributes", attributes); err != nil {
		return err
	}

	tree := ""
	if r.from.objects != "" {
		if err := errors.Join(r.makeHeld(), r.put("objects/info/alternates", r.borrowed())); err != nil {
			return err
		}
		if !r.renewed { // it may have come from there
			tree = r.seed(ctx, lock)
		}
	}
	if tree == "" { // nothing to begin with: the empty tree
		if err := os.Remove(filepath.Join(r.dir, "index")); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		tree = emptyTrees[cmp.Or(r.from.format, "sha1")]
	}
	if err := r.commit(tree); err != nil {
		return err
	}
	if ctx.Err() != nil { // perhaps it should have begun with what the user has
		return context.Cause(ctx)
	}

	return r.put("complete", r.top+"\n")
}
