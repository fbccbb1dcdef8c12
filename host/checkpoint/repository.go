package checkpoint

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// repository is the private Git repository of one working tree.
type repository struct {
	top     string
	dir     string
	private []string // folders that are left out
	limits  Limits
	now     func() time.Time

	returning *returning // of the store
	queue     queue
	hold      hold

	mu      sync.Mutex // guards what follows, and is held while Git runs in this repository
	opened  bool
	from    source          // the user's repository; zero if there is none
	global  string          // path of the user's list of files that are ignored everywhere
	ignored string          // hash of the lists of ignored files that are not in the working tree
	at      string          // the commit of HEAD
	head    string          // the tree of that commit, which the index has too
	pinned  map[string]bool // day/id of what is known to be kept
	refused error           // why no more checkpoints are tried: the folder is too large
	owned   map[string]bool // names of files that only their owner may read; see noteOwned
	renewed bool            // set aside and made anew once

	onlyKnown bool // only files that the last tree has are looked at
	orphaned  bool // the user's repository has gone: its list of ignored files stays in effect
}

// folderName is a name for the private repository of the working tree at top, unique and still readable.
func folderName(top string) string {
	sum := sha256.Sum256([]byte(top))
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:`, r) || r < ' ' {
			return '-'
		}
		return r
	}, filepath.Base(top))
	if len(name) > 60 {
		name = strings.ToValidUTF8(name[:60], "")
	}
	return fmt.Sprintf("%s-%x", name, sum[:8])
}

// takeNow makes a checkpoint of the folder path of the working tree, and calls look before it looks at the files. It returns the
// repositories within it. r.mu is held.
func (r *repository) takeNow(ctx context.Context, path string, look func()) (Tree, []string, error) {
	if r.refused != nil {
		return Tree{}, nil, r.refused
	}
	if r.opened { // there is nothing to prepare meanwhile, and other processes need not wait too
		look()
	}

	tree, nested, err := r.attempt(ctx, path, look)
	if broken(err) && !r.renewed {
		r.renewed = true
		if aside := r.setAside(); aside != nil {
			return Tree{}, nil, errors.Join(err, aside)
		}
		tree, nested, err = r.attempt(ctx, path, look)
	}
	if errors.Is(err, errTooSlow) {
		if name := r.pipe(); name != "" { // it may go again
			return tree, nested, fmt.Errorf("%s, for which Git waits, is no file", name)
		}
	}
	if errors.Is(err, errTooSlow) || errors.Is(err, errTooLarge) {
		r.refused = err
	}

	return tree, nested, err
}

// maxPipes is how many files and folders are looked at for a pipe.
const maxPipes = 200_000

// pipe returns the path of something that Git reads and that is no file, as a pipe in place of a .gitignore, "" if there is none. Git waits
// for what it says, which may never come.
func (r *repository) pipe() (found string) {
	left := maxPipes
	_ = filepath.WalkDir(r.top, func(path string, e fs.DirEntry, err error) error {
		if left--; left < 0 {
			return fs.SkipAll
		}
		switch {
		case err != nil || e.IsDir() && e.Name() == ".git":
			return nil
		case strings.HasPrefix(e.Name(), ".git") && isOther(path):
			found = path
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// broken reports whether an error may come from a damaged private repository.
func broken(err error) bool {
	var failed *gitError
	return errors.As(err, &failed) && !strings.Contains(failed.stderr, "No space left") && !strings.Contains(failed.stderr, "Permission denied")
}

// attempt makes a checkpoint with the repository locked against other processes.
func (r *repository) attempt(ctx context.Context, path string, look func()) (Tree, []string, error) {
	lock, err := r.lock(ctx, syscall.LOCK_EX)
	if err != nil {
		return Tree{}, nil, err
	}

	defer func() { _ = lock.Close() }()

	if err := r.unlock(); err != nil {
		return Tree{}, nil, err
	}
	if err := r.open(ctx, lock); err != nil {
		return Tree{}, nil, err
	}

	look()
	return r.snapshot(ctx, lock, path)
}

// unlock deletes the lock files that a killed Git has left. Nobody else uses the repository now.
func (r *repository) unlock() error {
	return filepath.WalkDir(r.dir, func(path string, entry os.DirEntry, err error) error {
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "objects" || entry.Name() == treesDir):
			return filepath.SkipDir
		case strings.HasSuffix(entry.Name(), ".lock"):
			return os.Remove(path)
		}
		return nil
	})
}

// lock waits until no other process has the repository locked. Closing the file releases it; programs that inherit the file
// hold the lock until they end.
func (r *repository) lock(ctx context.Context, how int) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(r.dir), 0o700); err != nil {
		return nil, err
	}

	f, err := regular.OpenFile(r.dir+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			_ = f.Close()
			return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// git runs a command of Git on the private repository and its working tree.
func (r *repository) git(ctx context.Context, lock *os.File, input io.Reader, args ...string) ([]byte, error) {
	return git(ctx, r.top, append(r.env(), "GIT_WORK_TREE="+r.top), []*os.File{lock}, input, args...)
}

// trees is git for a command that reads or writes trees or commits: it knows no others than those of the private repository. An agent can
// put objects of any content, under any id, among those of the user's repository: of a blob the bytes are compared with the id when
// it is read, which nobody does with trees.
func (r *repository) trees(ctx context.Context, lock *os.File, input io.Reader, args ...string) ([]byte, error) {
	return git(ctx, r.top, append(r.treesEnv(), "GIT_WORK_TREE="+r.top), []*os.File{lock}, input, args...)
}

// treesOnly is trees for a command that needs no working tree: the folder may be gone.
func (r *repository) treesOnly(ctx context.Context, lock *os.File, input io.Reader, args ...string) ([]byte, error) {
	return git(ctx, r.dir, append(r.treesEnv(), "GIT_WORK_TREE="+r.dir), []*os.File{lock}, input, args...)
}

// objects runs a command of Git that needs no working tree: the folder may be gone.
func (r *repository) objects(ctx context.Context, lock *os.File, input io.Reader, args ...string) ([]byte, error) {
	var out bytes.Buffer
	if err := r.objectsTo(ctx, lock, input, &out, args...); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// objectsTo is objects for output that is taken as it comes.
func (r *repository) objectsTo(ctx context.Context, lock *os.File, input io.Reader, out io.Writer, args ...string) error {
	return gitTo(ctx, r.dir, append(r.env(), "GIT_WORK_TREE="+r.dir), []*os.File{lock}, input, out, args...)
}

// env keeps everything that the user has configured from the private repository, and its objects apart from the user's.
func (r *repository) env() []string {
	return append(r.ownEnv(), "GIT_ALTERNATE_OBJECT_DIRECTORIES="+quotedPath(filepath.Join(r.dir, treesDir)))
}

// treesEnv is env where no object is known but the trees and commits of the private repository.
func (r *repository) treesEnv() []string {
	return append(r.ownEnv(), "GIT_OBJECT_DIRECTORY="+filepath.Join(r.dir, treesDir))
}

// treesDir is the folder of the trees and commits, in the private repository.
const treesDir = "trees"

// quotedPath is a path in a list of paths for Git.
func quotedPath(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}

func (r *repository) ownEnv() []string {
	return []string{
		"GIT_DIR=" + r.dir,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1",
		"GIT_LITERAL_PATHSPECS=1", "GIT_OPTIONAL_LOCKS=1", "GIT_NO_LAZY_FETCH=1",
		"GIT_AUTHOR_NAME=nvim-acp", "GIT_AUTHOR_EMAIL=nvim-acp@localhost",
		"GIT_COMMITTER_NAME=nvim-acp", "GIT_COMMITTER_EMAIL=nvim-acp@localhost",
	}
}

// open makes the private repository if there is none, or anew if the user's repository is another than it was made for.
func (r *repository) open(ctx context.Context, lock *os.File) error {
	if r.opened && regular.Exists(r.dir) && regular.Exists(filepath.Join(r.top, ".git")) == (r.from != source{}) {
		return errors.Join(r.ignore(), r.readHead(ctx, lock))
	}

	var global string
	said := make(chan error, 1)
	caught.Go(func() { // ends with that run of Git
		var err error
		global, err = globalExcludes(ctx, r.top)
		said <- err
	})
	from, err := userRepository(ctx, r.top)
	if err != nil {
		return err
	}

	r.from, r.orphaned = from, false

	kept, err := regular.ReadFile(filepath.Join(r.dir, "objects", "info", "alternates"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	switch {
	case !regular.Exists(filepath.Join(r.dir, "complete")):
		if err := os.RemoveAll(r.dir); err != nil {
			return err
		}
		if err := r.create(ctx, lock); err != nil {
			return err
		}
	case r.from == source{} && strings.Count(string(kept), "\n") > 1: // its repository has gone
		r.orphaned = true
		fallthrough
	case string(kept) != r.borrowed(): // the folder has become a repository, or is none any more
		if err := errors.Join(r.makeHeld(), r.put("objects/info/alternates", r.borrowed())); err != nil {
			return err
		}
	}

	if err := <-said; err != nil {
		return err
	}

	r.global, r.opened = global, true
	clear(r.pinned)
	return errors.Join(r.ignore(), r.readHead(ctx, lock))
}

// readHead finds out which tree HEAD has, if another process may have moved it.
func (r *repository) readHead(ctx context.Context, lock *os.File) error {
	commit, err := regular.ReadFile(filepath.Join(r.dir, "HEAD"))
	if err != nil || string(commit) == r.at {
		return err
	}
	tree, err := r.treesOnly(ctx, lock, nil, "rev-parse", "HEAD^{tree}")
	if err != nil {
		return err
	}
	r.head, r.at = strings.TrimSpace(string(tree)), string(commit)
	return nil
}

// commit makes a tree the one that later changes are compared with.
func (r *repository) commit(tree string) error {
	id, err := r.writeCommit(tree)
	if err != nil {
		return err
	}
	if err := r.put("HEAD", id+"\n"); err != nil {
		return err
	}
	r.head, r.at = tree, id+"\n"
	return nil
}

// ignore brings the lists of ignored files that are not in the working tree up to date.
func (r *repository) ignore() error {
	var text string
	kept := r.orphaned // the list of before stays in effect
	for _, dir := range r.private {
		if paths.Below(dir, r.top) && dir != r.top {
			text += "/" + strings.TrimPrefix(dir, r.top+"/") + "/\n"
		}
	}

	for _, path := range []string{r.global, r.from.exclude} {
		if path == "" {
			continue
		}
		list, err := regular.ReadFile(path)
		kept = kept || err != nil && !errors.Is(err, os.ErrNotExist) // something else is in its place
		text += string(list) + "\n"
	}

	have, err := regular.ReadFile(filepath.Join(r.dir, "info", "exclude"))
	if err == nil && kept {
		text = string(have)
	}

	sum := sha256.Sum256([]byte(text))
	r.ignored = hex.EncodeToString(sum[:8])
	if err == nil && string(have) == text {
		return nil
	}

	return r.put("info/exclude", text)
}

// setAside moves the private repository out of the way, in place of the one that was moved before.
func (r *repository) setAside() error {
	r.opened, r.at = false, ""
	aside := r.dir + ".broken"
	if err := os.RemoveAll(aside); err != nil {
		return err
	}
	return os.Rename(r.dir, aside)
}
