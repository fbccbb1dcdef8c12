package host

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/review"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/git"
)

// heads are the commits that repositories were at. A new one that no agent can have made is the user's, and keeps what it has.
// The zero value is ready for use. Safe for concurrent use.
type heads struct {
	looking buffers.Queue // looks at repositories, one after the other

	mu    sync.Mutex        // guards known
	known map[string]string // by the folder with .git
}

// set notes the commit of a repository, and returns the one before, "" if none is known.
func (h *heads) set(top, commit string) (before string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known == nil {
		h.known = map[string]string{}
	}
	before = h.known[top]
	h.known[top] = commit
	return before
}

// gitTimeout is how long git may take to name a commit or a file in it.
const gitTimeout = 5 * time.Second

// look is why commits are looked at.
type look int

const (
	userActs  look = iota // the user may have committed
	turnBegin             // what was committed since the last turn's end is the user's, unless another turn runs
	turnEnd               // what was committed meanwhile may be the agent's
)

// lookAtCommits keeps what the user has committed since the last look. It does not wait.
func (r *reviewer) lookAtCommits(why look) {
	ticket := r.heads.looking.Ticket("")
	caught.Go(func() { // ends when git has answered or has taken too long
		defer ticket.Done()
		if ticket.Wait(context.Background()) != nil {
			return
		}
		tops := map[string][]string{}
		for _, s := range r.host.all() {
			for _, root := range s.roots {
				tops[top(root)] = nil
			}
		}
		for _, e := range r.desk.List("") {
			dir := top(filepath.Dir(e.Path))
			tops[dir] = append(tops[dir], e.Path)
		}
		delete(tops, "")
		for dir, paths := range tops {
			r.lookAtCommit(dir, paths, why)
		}
	})
}

// lookAtCommit is lookAtCommits for one repository.
func (r *reviewer) lookAtCommit(dir string, paths []string, why look) {
	ctx, stop := context.WithTimeout(context.Background(), gitTimeout)
	defer stop()
	turns := len(r.workingIn(dir))
	if why == userActs && turns > 0 {
		return // a turn may have committed: that it is the user's is known after it, or never
	}
	out, _, err := output(ctx, dir, git.Env(), 1<<10, git.Words("rev-parse", "HEAD")...)
	if err != nil {
		return // it has no commit yet
	}
	commit := string(bytes.TrimSpace(out))
	before := r.heads.set(dir, commit)
	if why == turnEnd || turns > 1 || before == "" || before == commit {
		return
	}
	for _, path := range paths {
		blob := git.Words("cat-file", "blob", commit+":./"+filepath.Base(path))
		text, cut, err := output(ctx, filepath.Dir(path), git.Env(), maxCommitted, blob...)
		switch {
		case ctx.Err() != nil || cut:
			continue
		case err != nil:
			r.desk.Committed(path, review.Content{Missing: true})
		default:
			if decoded, err := buffers.Decode(text); err == nil {
				r.desk.Committed(path, review.Parse(decoded))
			}
		}
		r.poke(path)
	}
}

// workingIn returns the ids of the sessions whose agents may commit in a repository just now.
func (r *reviewer) workingIn(dir string) []string {
	var out []string
	for _, s := range r.host.all() {
		if s.Merging() && (buffers.Inside(s.roots, dir) || buffers.Inside([]string{dir}, s.roots[0])) {
			out = append(out, s.id)
		}
	}
	return out
}

// maxCommitted is the size of the largest file in a commit that is read, in bytes.
const maxCommitted = 16 << 20

// top returns the deepest folder above or at a folder that has a repository; "" if there is none.
func top(dir string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}
