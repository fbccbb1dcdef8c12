package diagnostics

import (
	"context"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// outside knows which versions of files the language servers know, since most Neovims do not watch the disk for them. The zero
// value is ready for use. Safe for concurrent use.
type lspSync struct {
	mu   sync.Mutex // guards all below
	dirs map[string]*known
}

// known is what language servers know of the folders of a session.
type known struct {
	mu    sync.Mutex             // held while what has changed is found and told; guards all below
	base  bool                   // last is known
	last  checkpoint.Checkpoint  // what the folders held when the servers were last told
	stats map[string]fs.FileInfo // the same by path, for folders without checkpoints; nil: no file
}

// fileChange is a file that has changed on the disk, as the protocol of language servers numbers it.
type fileChange struct {
	Path string `json:"path" msgpack:"path"`
	Kind int    `json:"kind" msgpack:"kind"`
}

const (
	fileCreated = 1
	fileChanged = 2
	fileDeleted = 3

	maxRefresh = 5 * time.Second // for finding what has changed, merging and telling it
	maxTold    = 2000            // files
)

// asksServers are the questions that language servers answer.
var asksServers = map[string]bool{
	"diagnostics": true, "locations": true, "hover": true, "symbols": true, "rename": true, "code_actions": true,
}

// of returns what is known of folders.
func (o *lspSync) of(roots []string) *known {
	o.mu.Lock()
	defer o.mu.Unlock()
	key := strings.Join(roots, "\x00")
	if o.dirs == nil {
		o.dirs = map[string]*known{}
	}
	if o.dirs[key] == nil {
		o.dirs[key] = &known{stats: map[string]fs.FileInfo{}}
	}
	return o.dirs[key]
}

// begin notes what the folders of a session held before it changed anything.
func (o *lspSync) begin(roots []string, c checkpoint.Checkpoint) {
	k := o.of(roots)
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.base {
		k.base, k.last = true, c
	}
}

// Refresh has language servers told which files have changed on the disk since they were last told, and open ones merged. It waits
// for that, but not long: what could not be told is told the next time.
func (c *Checks) Refresh(ctx context.Context, s feature.Session) {
	ctx, stop := context.WithTimeout(ctx, maxRefresh)
	defer stop()
	c.history.Ready(ctx, s)
	k := c.servers.of(s.Roots())
	k.mu.Lock()
	defer k.mu.Unlock()

	if !k.base || ctx.Err() != nil {
		return // nothing has begun
	}

	c.files.MergeNow(ctx, s.Roots())
	var now checkpoint.Checkpoint
	var list []fileChange
	if store := c.history.Checkpoints(); store != nil {
		now = store.Take(ctx, s.Roots())
		list = differences(ctx, store, k.last, now)
	}

	if ctx.Err() != nil {
		return
	}

	stats := k.changed(s, now)
	for path, info := range stats {
		kind := fileChanged
		if info == nil {
			kind = fileDeleted
		}
		list = append(list, fileChange{path, kind})
	}

	if len(list) > 0 {
		args := map[string]any{"changes": list[:min(len(list), maxTold)]}
		if c.hooks.Know(ctx, s, "disk_changed", args, nil) != nil {
			return
		}
	}

	k.last = now
	for path, info := range stats {
		k.stats[path] = info
	}
}

// differences are the files that differ between two checkpoints, those that were ignored before among them.
func differences(ctx context.Context, store *checkpoint.Store, old, now checkpoint.Checkpoint) []fileChange {
	changes, unclear, err := store.Diff(ctx, old, now)
	if err != nil {
		return nil // of folders that cannot be compared nothing is told
	}

	var list []fileChange
	for _, c := range changes {
		kind := fileChanged
		switch {
		case c.Old == checkpoint.Version{}:
			kind = fileCreated
		case c.New == checkpoint.Version{}:
			kind = fileDeleted
		}
		list = append(list, fileChange{c.Path, kind})
	}

	for _, path := range unclear {
		list = append(list, fileChange{path, fileCreated})
	}

	return list
}

// changed returns those files that the agent's calls name and that have another version than the servers know, in folders without a
// checkpoint. k.mu is held.
func (k *known) changed(s feature.Session, now checkpoint.Checkpoint) map[string]fs.FileInfo {
	found := map[string]fs.FileInfo{}
	for _, path := range realPaths(s, feature.Ask(s, func(st *session.State) []string { return st.Log().Calls().EditedPaths() })) {
		if now.Has(path) || !buffers.Inside(s.Roots(), path) {
			continue
		}

		info, err := os.Stat(path)
		if err != nil {
			info = nil
		}

		before, told := k.stats[path]
		same := told && (info == nil) == (before == nil)
		if same && info != nil {
			same = info.Size() == before.Size() && info.ModTime().Equal(before.ModTime()) && os.SameFile(info, before)
		}
		if !same {
			found[path] = info
		}
	}

	return found
}
