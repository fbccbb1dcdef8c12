package checkpoint

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

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
	others  []string        // relative paths of folders that were left out of the last tree
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

// acquire locks the repository for others in this program, and as lock does for other processes, until release is called.
func (r *repository) acquire(ctx context.Context, how int) (lock *os.File, release func(), err error) {
	r.mu.Lock()
	if lock, err = r.lock(ctx, how); err != nil {
		r.mu.Unlock()
		return nil, nil, err
	}

	return lock, func() {
		_ = lock.Close()
		r.mu.Unlock()
	}, nil
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
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=core.protectNTFS", "GIT_CONFIG_VALUE_0=false", // names that only other systems
		"GIT_CONFIG_KEY_1=core.protectHFS", "GIT_CONFIG_VALUE_1=false", // take for its own are in it
		"GIT_LITERAL_PATHSPECS=1", "GIT_OPTIONAL_LOCKS=1", "GIT_NO_LAZY_FETCH=1",
		"GIT_AUTHOR_NAME=nvim-acp", "GIT_AUTHOR_EMAIL=nvim-acp@localhost",
		"GIT_COMMITTER_NAME=nvim-acp", "GIT_COMMITTER_EMAIL=nvim-acp@localhost",
	}
}

// hold is the state of the copies of one repository. Its mutex is held while files are copied, and none other is taken meanwhile.
type hold struct {
	mu    sync.Mutex
	looks map[string]time.Time // by folder of the user's objects, when it had changed last as it was looked at

	under sync.Mutex    // guards what follows
	done  chan struct{} // closed when the last pass has ended; nil: there was none
	err   error         // of it
}
