package history

import (
	"encoding/json"
	"os"
	"time"

	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/rewind"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// unfinished is a turn that runs, as it is on the disk: if Neovim ends meanwhile, the next one that opens the session completes its
// journal.
type unfinished struct {
	Turn   string                `json:"turn"` // key of the prompt
	Prompt string                `json:"prompt"`
	Agent  string                `json:"agent"`
	Began  time.Time             `json:"began"`
	Before checkpoint.Checkpoint `json:"before"`
	Ended  time.Time             `json:"ended,omitzero"` // when Neovim went; zero if it was killed
}

// unfinishedFile is where the running turn of a session is, "" if nothing is recorded.
func (k *History) unfinishedFile(id string) string {
	return feature.SessionFile(k.host, id, "running-turn")
}

// keepRunning writes down that a turn runs, and when Neovim has ended while it did. It waits for the disk.
func (k *History) keepRunning(r *Running, ended time.Time) {
	path := k.unfinishedFile(r.session.LocalID())
	if path == "" || len(r.before.Trees) == 0 {
		return
	}
	if err := regular.ReplaceJSON(path, unfinished{r.key, r.prompt, r.agent, r.began, r.before, ended}); err != nil {
		k.host.Say("warn", ":AcpUndo will not know this turn if Neovim ends: "+plain.Reason(err))
	}
}

// Stop ends what is under way, and notes which turns run. It waits for the disk.
func (k *History) Stop() {
	k.leave()
	k.mu.Lock()
	left := []*Running{}
	for _, r := range k.turns {
		left = append(left, r)
	}

	k.mu.Unlock()

	for _, r := range left {
		select {
		case <-r.kept:
			k.keepRunning(r, time.Now())
		default: // the agent has not begun
		}
	}
}

// maxKilled is how long the end of Git is waited for, which is killed.
const maxKilled = 500 * time.Millisecond

// Wait waits until no Git runs that would write after the host has ended, but not long.
func (k *History) Wait() {
	k.mu.Lock()
	store := k.store
	k.mu.Unlock()

	if store == nil {
		return
	}

	closed := make(chan struct{})
	caught.Go(func() { // ends with the host at the latest
		store.Close()
		close(closed)
	})
	select {
	case <-closed:
	case <-time.After(maxKilled):
	}
}

// lately is how long after the end of Neovim a change may still be that of a command of the agent's, which ends with it.
const lately = 2 * time.Second

// Unfinished reports whether the last turn of a session has not ended before its Neovim. It waits for the disk.
func (k *History) Unfinished(s feature.Session) bool {
	path := k.unfinishedFile(s.LocalID())
	return path != "" && regular.Exists(path)
}

// Complete writes down what a turn has changed that was running when Neovim ended. It does not wait.
func (k *History) Complete(s feature.Session) {
	store, path := k.Checkpoints(), k.unfinishedFile(s.LocalID())
	k.mu.Lock()
	_, ours := k.unwritten[s.LocalID()] // the session was closed and opened again while its last turn is still being written down
	k.mu.Unlock()

	if store == nil || path == "" || ours {
		return
	}

	data, err := regular.ReadFile(path)
	if err != nil {
		return // there is none
	}

	var u unfinished
	if err := json.Unmarshal(data, &u); err != nil {
		k.host.Say("warn", "the changes of the last turn are not known: "+plain.Reason(err))
		_ = os.Remove(path)
		return
	}

	written := make(chan struct{})
	k.mu.Lock()
	k.unwritten[s.LocalID()] = written
	k.mu.Unlock()

	s.Spawn(func() { // ends with the host at the latest
		defer close(written)
		if entry, after, ok := k.completed(store, s, u); ok {
			k.keepLast(s, after)
			k.Journals.append(s.LocalID(), entry)
			_ = os.Remove(path)
		}
		k.mu.Lock()
		if k.unwritten[s.LocalID()] == written {
			delete(k.unwritten, s.LocalID())
		}
		k.mu.Unlock()
	})
}

// completed returns what such a turn has changed: what differs since its beginning, except for files that were written later than
// Neovim was there. It reports false if the host closes.
func (k *History) completed(
	store *checkpoint.Store, s feature.Session, u unfinished,
) (e rewind.Entry, after checkpoint.Checkpoint, ok bool) {
	e = rewind.Entry{
		Turn: u.Turn, Time: u.Began, Prompt: u.Prompt, Agent: u.Agent,
		Notes: []string{"Neovim ended while it ran: changes that you have saved meanwhile are among its changes"},
	}
	after = store.Complete(k.ctx, u.Before, store.Take(k.ctx, s.Roots()))
	e.Folders = u.Before.Removed()
	changes, unclear, err := store.Diff(k.ctx, u.Before, after)
	if k.ctx.Err() != nil {
		return e, after, false
	}
	if err != nil {
		e.Notes = append(e.Notes, "changes on the disk are not known: "+err.Error())
	}

	e.Notes = append(append(e.Notes, isUnclear(s, unclear)...), notKept(s, u.Before, after)...)
	var later []string
	var drafts []rewind.Draft
	for _, c := range changes {
		if info, err := os.Lstat(c.Path); err == nil && !u.Ended.IsZero() && info.ModTime().After(u.Ended.Add(lately)) {
			later = append(later, c.Path)
			continue
		}
		drafts = append(drafts, rewind.Draft{Path: c.Path, Before: rewind.Side{Version: c.Old}, After: rewind.Side{Version: c.New}})
	}

	if len(later) > 0 {
		e.Notes = append(e.Notes, "changed after Neovim ended, so not undone: "+feature.ShortList(s, later))
	}
	if e.Changes, err = k.stored(store, s, drafts); err != nil {
		return e, after, false
	}

	k.count(store, e.Changes)
	return e, after, true
}
