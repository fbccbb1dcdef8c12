package host

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/rewind"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// history keeps what the turns of all sessions have changed in files: by checkpoints at a turn's beginning and end, and by what
// goes through the editor in between. It is safe for concurrent use.
type history struct {
	host  *Host
	ctx   context.Context // ends with the host
	leave context.CancelFunc

	mu        sync.Mutex // guards all below, and the turns
	store     *checkpoint.Store
	closing   map[string]*running              // by session, those that have ended and whose last changes are still being merged
	turns     map[string]*running              // by session, those that run
	ending    map[string]*ending               // by session, the last one if its checkpoint is being made
	journals  map[string]*rewind.Journal       // by session
	said      map[string]map[string]bool       // by session, the folders without checkpoints that it was told of
	last      map[string]checkpoint.Checkpoint // by session, at the end of its last turn
	unwritten map[string]chan struct{}         // by session, closed when its last turn is written down
	writing   map[string]*sync.Mutex           // by session: whoever reads or appends to its journal
}

// running is a turn that runs.
type running struct {
	*rewind.Turn
	session *Session
	key     string // of its prompt in the record
	began   time.Time
	prompt  string
	agent   string
	before  checkpoint.Checkpoint
	ready   chan struct{} // closed when before is made …
	kept    chan struct{} // … and when that is on the disk
	worked  bool          // the agent has changed something, as far as is known
	late    bool          // … or may have, before the checkpoint was made
	sent    bool          // the agent has the prompt
}

// ending is the checkpoint at the end of a turn.
type ending struct {
	made  chan struct{} // closed when after is made
	after checkpoint.Checkpoint
	stale bool // the user has changed files while it was made
}

// patience is how long a prompt waits for the checkpoint before it, and for what that borrows to be held. What is sent earlier may
// have changed files that the checkpoint then has.
const patience = time.Second

// How long checkpoints are kept, and how much of a folder's they may take on the disk.
const (
	maxCheckpointAge  = 14 * 24 * time.Hour
	maxCheckpointSize = 1 << 30
)

func newHistory(h *Host) *history {
	k := &history{
		host: h, turns: map[string]*running{}, closing: map[string]*running{}, ending: map[string]*ending{}, journals: map[string]*rewind.Journal{},
		said: map[string]map[string]bool{}, writing: map[string]*sync.Mutex{}, last: map[string]checkpoint.Checkpoint{}, unwritten: map[string]chan struct{}{},
	}
	k.ctx, k.leave = context.WithCancel(context.Background())
	return k
}

// checkpoints returns the store, nil if the user wants none, or nothing to be written at all.
func (k *history) checkpoints() *checkpoint.Store {
	set := k.host.settings()
	if !set.FS.Checkpoints || !k.host.records() {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.store == nil {
		k.store = checkpoint.Open(filepath.Join(set.StateDir, "checkpoints"), checkpoint.DefaultLimits, set.StateDir)
		store := k.store
		caught.Go(func() { // ends with the host at the latest
			select {
			case <-time.After(time.Minute): // not while Neovim starts
				_ = store.Prune(k.ctx, maxCheckpointAge, maxCheckpointSize) // tried again in the next Neovim
			case <-k.ctx.Done():
			}
		})
	}
	return k.store
}

// prepare makes the first checkpoint of a session's folders, for which Git is run more often: those of its turns have less to do, and a
// prompt waits for that of its turn.
func (k *history) prepare(s *Session) {
	if store := k.checkpoints(); store != nil {
		c := store.Take(k.ctx, s.roots) // what it misses is said when a turn begins
		k.host.outside.begin(s.roots, c)
		_ = store.Hold(k.ctx, c) // the same
	}
}

// begin notes that a turn of a session begins, and makes a checkpoint. The function that it returns waits for that until ctx ends,
// but not long.
func (k *history) begin(ctx context.Context, s *Session, t *session.Turn) (wait func()) {
	r := &running{
		Turn: rewind.NewTurn(k.host.files.Known(s.roots)), session: s, key: t.Key, began: time.Now(), prompt: session.FirstLine(t.Prompt.Text),
		agent: s.spec().Title, ready: make(chan struct{}), kept: make(chan struct{}),
	}
	store := k.checkpoints()

	k.mu.Lock()
	for _, other := range k.turns {
		if other.session != s && overlap(s.roots, other.session.roots) {
			rewind.Beside(r.Turn, other.Turn)
		}
	}
	k.turns[s.id] = r
	last, earlier := k.ending[s.id], k.unwritten[s.id]
	k.mu.Unlock()

	s.spawn(func() { // ends with the host at the latest
		c := k.take(store, s, last, checkpoint.Checkpoint{})
		k.mu.Lock()
		r.before, r.late = c, r.worked || r.sent
		k.mu.Unlock()
		k.host.outside.begin(s.roots, c)
		k.secure(store, s, c, func() { close(r.ready) })
		if earlier != nil {
			<-earlier // which removes what was kept of the turn before
		}
		k.keepRunning(r, time.Time{})
		close(r.kept)
	})
	timer := time.NewTimer(patience)
	return func() {
		defer timer.Stop()
		select {
		case <-r.ready:
		case <-timer.C:
		case <-ctx.Done():
		}
		k.mu.Lock()
		r.sent = true
		k.mu.Unlock()
	}
}

// take makes a checkpoint of a session's folders, or waits for the one that is being made at the end of its last turn, if the user
// changes nothing meanwhile. At the end of a turn before is the one at its beginning.
func (k *history) take(store *checkpoint.Store, s *Session, last *ending, before checkpoint.Checkpoint) checkpoint.Checkpoint {
	if last != nil {
		<-last.made
		k.mu.Lock()
		stale := last.stale
		k.mu.Unlock()
		if !stale {
			return last.after
		}
	}
	if store == nil {
		return checkpoint.Checkpoint{}
	}
	var unsaved map[string]string
	ready := make(chan struct{})
	s.spawn(func() { // while Git prepares the folders; ends when Neovim has answered
		defer close(ready)
		unsaved = k.unsaved(s)
	})
	c := store.TakeAfter(k.ctx, s.roots, ready) // what is saved meanwhile would be in neither if Git looked first
	if <-ready; len(unsaved) > 0 {
		c = store.AddUnsaved(k.ctx, c, unsaved)
	}
	c = store.Complete(k.ctx, before, c)
	k.sayMissing(s, c)
	return c
}

// unsaved returns the texts of the session's files that have unsaved changes. Where Neovim does not answer there are none.
func (k *history) unsaved(s *Session) map[string]string {
	ctx, stop := context.WithTimeout(k.ctx, maxUnsavedWait)
	defer stop()
	texts := map[string]string{}
	list, _ := k.host.files.Modified(ctx)
	for _, f := range list {
		if !buffers.Inside(s.roots, f.Real) {
			continue
		}
		if t, unsaved, err := k.host.files.UnsavedTexts(ctx, f.Real); err == nil && unsaved {
			texts[f.Real] = t.Screen
		}
	}
	return texts
}

// changed notes what an agent has changed through the editor, or on the disk below a buffer. It does not wait.
func (k *history) changed(c files.Change) {
	open := k.host.all()
	k.mu.Lock()
	defer k.mu.Unlock()
	var r *running
	if s := sessionOf(c); s != nil {
		if r = k.current(s); r != nil {
			r.Name(c.Path)
		}
	} else {
		var turns []*rewind.Turn
		byTurn := map[*rewind.Turn]*running{}
		for _, s := range open {
			if other := k.current(s); other != nil && buffers.Inside(s.roots, c.Path) {
				turns = append(turns, other.Turn)
				byTurn[other.Turn] = other
			}
		}
		if len(turns) > 0 {
			r = byTurn[rewind.Owner(turns, c.Path)]
		}
	}
	if r == nil {
		return
	}
	step := rewind.Step{Path: c.Path, Before: rewind.Content{Missing: c.Before.Missing}, After: rewind.Content{Missing: c.After.Missing}}
	step.Before.Data, step.After.Data = c.Contents()
	r.Edit(step)
	r.worked = true
}

// current returns the turn that a change by a session's agent belongs to: the one that runs, else the one that has just ended;
// nil if there is none. k.mu is held.
func (k *history) current(s *Session) *running {
	if r := k.turns[s.id]; r != nil {
		return r
	}
	return k.closing[s.id]
}

// ready waits until the checkpoint before the turn of a session that runs is made, or ctx ends.
func (k *history) ready(ctx context.Context, s *Session) {
	k.mu.Lock()
	r := k.current(s)
	k.mu.Unlock()
	if r == nil {
		return
	}
	select {
	case <-r.ready:
	case <-ctx.Done():
	}
}

// named notes which files the calls of a running turn name. It runs on the read goroutine.
func (k *history) named(s *Session, paths []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if r := k.turns[s.id]; r != nil {
		for _, path := range paths {
			r.Name(path)
		}
	}
}

// called notes that a running turn has a call of a kind, which may change files. It runs on the read goroutine.
func (k *history) called(s *Session, kind acp.ToolKind) {
	switch kind {
	case acp.ToolKindRead, acp.ToolKindSearch, acp.ToolKindThink, acp.ToolKindFetch, acp.ToolKindSwitchMode:
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if r := k.turns[s.id]; r != nil {
		r.worked = true
	}
}

// loaded notes that a buffer has read or written a file while turns run. It does not wait.
func (k *history) loaded(report files.Report) {
	k.mu.Lock()
	if report.Wrote {
		k.savedBetween(report.Path)
	}
	var unknown []*running
	for _, r := range k.turns {
		if buffers.Inside(r.session.roots, report.Path) && (report.Wrote || !r.Knows(report.Path)) {
			unknown = append(unknown, r)
		}
	}
	k.mu.Unlock()
	if len(unknown) == 0 {
		return
	}
	caught.Go(func() { // ends when the disk has answered
		c, err := rewind.Read(report.Path)
		k.mu.Lock()
		defer k.mu.Unlock()
		for _, r := range unknown {
			if report.Wrote || err != nil {
				r.Save(report.Path)
			} else {
				r.Open(report.Path, c)
			}
		}
	})
}

// end notes that the turn of a session has ended, and keeps what it has changed. It does not wait.
func (k *history) end(s *Session) {
	store := k.checkpoints()
	k.mu.Lock()
	r := k.turns[s.id]
	delete(k.turns, s.id)
	e := &ending{made: make(chan struct{})}
	earlier, written := k.unwritten[s.id], make(chan struct{})
	if r != nil {
		k.ending[s.id], k.unwritten[s.id], k.closing[s.id] = e, written, r
	}
	k.mu.Unlock()
	if r == nil {
		return
	}
	s.spawn(func() { // ends with the host at the latest
		<-r.kept
		k.mergeRest(s)
		e.after = k.take(store, s, nil, r.before)
		k.keepLast(s, e.after)
		k.mu.Lock()
		if k.closing[s.id] == r {
			delete(k.closing, s.id)
		}
		if k.ending[s.id] == e {
			delete(k.ending, s.id)
		}
		k.mu.Unlock()
		close(e.made)
		k.host.moves.turnEnded()
		if earlier != nil {
			<-earlier // the journal has the turns in their order
		}
		if k.ctx.Err() != nil {
			close(written)
			return // the next Neovim completes it
		}
		k.finish(store, r, e.after)
		if path := k.unfinishedFile(s.id); path != "" {
			_ = os.Remove(path)
		}
		k.mu.Lock()
		if k.unwritten[s.id] == written {
			delete(k.unwritten, s.id)
		}
		k.mu.Unlock()
		close(written)
	})
}

// restored notes that the user has had a file changed back while turns run: that is nothing that those have done.
func (k *history) restored(path string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, r := range k.turns {
		r.Save(path)
	}
	k.savedBetween(path)
}

// savedBetween notes that the user has changed a file on the disk: that is nothing that turns have done whose last checkpoint is being
// made, and that checkpoint may not have it. k.mu is held.
func (k *history) savedBetween(path string) {
	for _, r := range k.closing {
		r.Save(path)
	}
	for _, e := range k.ending {
		e.stale = true
	}
}

// forget forgets a session that is closed.
func (k *history) forget(s *Session) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.turns, s.id)
	delete(k.closing, s.id)
	delete(k.journals, s.id)
	delete(k.said, s.id)
	delete(k.writing, s.id)
	delete(k.last, s.id)
}
