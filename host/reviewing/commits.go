package reviewing

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/command"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/review"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/git"
)

// commits are those that repositories were at. A new one that no agent can have made is the user's, and keeps what it has. Safe for
// concurrent use.
type commits struct {
	host    feature.Host
	ledger  *review.Desk
	keeps   func(path string)     // what a file has is about to be kept
	drawn   func(paths ...string) // what is shown of some files may differ
	looking buffers.Queue         // looks at repositories, one after the other

	mu    sync.Mutex        // guards known
	known map[string]string // by the folder with .git
}

// set notes the commit of a repository, and returns the one before, "" if none is known.
func (c *commits) set(top, commit string) (before string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = map[string]string{}
	}
	before = c.known[top]
	c.known[top] = commit
	return before
}

// gitTimeout is how long git may take to name a commit or a file in it.
const gitTimeout = 5 * time.Second

// maxCommitted is the size of the largest file in a commit that is read, in bytes.
const maxCommitted = 16 << 20

// occasion is why commits are looked at.
type occasion int

const (
	userActs  occasion = iota // the user may have committed
	turnBegin                 // what was committed since the last turn's end is the user's, unless another turn runs
	turnEnd                   // what was committed meanwhile may be the agent's
)

// look keeps what the user has committed since the last look. It does not wait.
func (c *commits) look(why occasion) {
	ticket := c.looking.Ticket("")
	caught.Go(func() { // ends when git has answered or has taken too long
		defer ticket.Done()
		if ticket.Wait(context.Background()) != nil {
			return
		}

		tops := map[string][]string{}
		for _, s := range c.host.Sessions() {
			for _, root := range s.Roots() {
				tops[top(root)] = nil
			}
		}

		for _, path := range c.ledger.Paths() {
			dir := top(filepath.Dir(path))
			tops[dir] = append(tops[dir], path)
		}

		delete(tops, "")

		for dir, paths := range tops {
			c.lookAt(dir, paths, why)
		}
	})
}

// lookAt is look for one repository.
func (c *commits) lookAt(dir string, paths []string, why occasion) {
	ctx, stop := context.WithTimeout(context.Background(), gitTimeout)
	defer stop()

	turns := len(c.working(dir))
	if why == userActs && turns > 0 {
		return // a turn may have committed: that it is the user's is known after it, or never
	}

	out, _, err := command.Output(ctx, dir, git.Env(), 1<<10, git.Words("rev-parse", "HEAD")...)
	if err != nil {
		return // it has no commit yet
	}

	commit := string(bytes.TrimSpace(out))
	before := c.set(dir, commit)
	if why == turnEnd || turns > 1 || before == "" || before == commit {
		return
	}

	for _, path := range paths {
		c.keeps(path)
		blob := git.Words("cat-file", "blob", commit+":./"+filepath.Base(path))
		text, cut, err := command.Output(ctx, filepath.Dir(path), git.Env(), maxCommitted, blob...)
		switch {
		case ctx.Err() != nil || cut:
			continue
		case err != nil:
			c.ledger.Committed(path, review.Content{Missing: true})
		default:
			if decoded, err := buffers.Decode(text); err == nil {
				c.ledger.Committed(path, review.Parse(decoded))
			}
		}

		c.drawn(path)
	}
}

// working returns the ids of the sessions whose agents may commit in a repository just now.
func (c *commits) working(dir string) []string {
	var out []string
	for _, s := range c.host.Sessions() {
		if s.Writing() && (buffers.Inside(s.Roots(), dir) || buffers.Inside([]string{dir}, s.Roots()[0])) {
			out = append(out, s.LocalID())
		}
	}
	return out
}

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
