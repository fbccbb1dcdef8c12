// Package history keeps what the turns of all sessions have changed in files, lists it, and takes it back.
//
// Package host wires it: it says when turns begin and end, and what is written. [Hooks] are what others do about what it finds.
package history

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/rewind"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// History keeps what the turns of all sessions have changed in files: by checkpoints at a turn's beginning and end, and by what
// goes through the editor in between. It is safe for concurrent use.
type History struct {
	host     feature.Host
	files    *files.Workspace
	hooks    Hooks
	ctx      context.Context // ends with the host
	Journals *Journals
	said     said
	leave    context.CancelFunc

	mu        sync.Mutex // guards all below, and the turns
	store     *checkpoint.Store
	closing   map[string]*Running              // by session, those that have ended and whose last changes are still being merged
	turns     map[string]*Running              // by session, those that run
	ending    map[string]*ending               // by session, the last one if its checkpoint is being made
	last      map[string]checkpoint.Checkpoint // by session, at the end of its last turn
	unwritten map[string]chan struct{}         // by session, closed when its last turn is written down
	restored  map[string]int                   // by path, how many change it back for the user just now
}

// Running is a turn that runs.
type Running struct {
	*rewind.Turn
	session feature.Session
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

// New returns a history that has nothing yet.
func New(h feature.Host, w *files.Workspace, hooks Hooks) *History {
	k := &History{
		host: h, files: w, hooks: hooks,
		Journals:  &Journals{host: h, byID: map[string]*rewind.Journal{}, uses: map[string]*use{}},
		turns:     map[string]*Running{},
		closing:   map[string]*Running{},
		ending:    map[string]*ending{},
		last:      map[string]checkpoint.Checkpoint{},
		unwritten: map[string]chan struct{}{},
		restored:  map[string]int{},
	}
	k.ctx, k.leave = context.WithCancel(context.Background())
	return k
}

// Checkpoints returns the store, nil if the user wants none, or nothing to be written at all.
func (k *History) Checkpoints() *checkpoint.Store {
	set := k.host.Settings()
	if !set.FS.Checkpoints || !set.Records() {
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

// Prepare makes the first checkpoint of a session's folders, for which Git is run more often: those of its turns have less to do, and a
// prompt waits for that of its turn.
func (k *History) Prepare(s feature.Session) {
	if store := k.Checkpoints(); store != nil {
		c := store.Take(k.ctx, s.Roots()) // what it misses is said when a turn begins
		k.hooks.Checkpointed(s.Roots(), c)
		_ = store.Hold(k.ctx, c) // the same
	}
}

// Begin notes that a turn of a session begins, and makes a checkpoint. The files are those with unsaved changes; if these are not known,
// Neovim is asked. The function that it returns waits for the checkpoint until ctx ends, but not long.
func (k *History) Begin(ctx context.Context, s feature.Session, t *session.Turn, modified []files.Modified, known bool) (wait func()) {
	r := &Running{
		Turn: rewind.NewTurn(k.files.Known(s.Roots())), session: s, key: t.Key, began: time.Now(),
		prompt: session.FirstLine(t.Prompt.Text), agent: s.Spec().Title, ready: make(chan struct{}), kept: make(chan struct{}),
	}
	store := k.Checkpoints()

	k.mu.Lock()
	for _, other := range k.turns {
		if other.session != s && overlap(s.Roots(), other.session.Roots()) {
			rewind.Beside(r.Turn, other.Turn)
		}
	}

	k.besideRestored(r)

	k.turns[s.LocalID()] = r
	last, earlier := k.ending[s.LocalID()], k.unwritten[s.LocalID()]
	k.mu.Unlock()

	if isOver(k, r, t) {
		return func() {}
	}

	s.Spawn(func() { // ends with the host at the latest
		unsaved := func() map[string]string { return k.texts(s, modified) }
		if last != nil || !known { // the former is waited for
			unsaved = func() map[string]string { return k.unsaved(s) }
		}
		c := k.take(store, s, last, checkpoint.Checkpoint{}, unsaved)
		k.mu.Lock()
		r.before, r.late = c, r.worked || r.sent
		k.mu.Unlock()
		k.hooks.Checkpointed(s.Roots(), c)
		k.said.secure(k.ctx, store, s, c, func() { close(r.ready) })
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

// isOver reports whether a turn was over, with its agent, before it was noted, and forgets it: nobody ends it again.
func isOver(k *History, r *Running, t *session.Turn) bool {
	if !feature.Ask(r.session, func(st *session.State) bool { return st.Turn() != t }) {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.turns[r.session.LocalID()] != r {
		return false // that came a moment later
	}
	delete(k.turns, r.session.LocalID())
	return true
}

// take makes a checkpoint of a session's folders, or waits for the one that is being made at the end of its last turn, if the user
// changes nothing meanwhile. At the end of a turn before is the one at its beginning. Of files with unsaved changes it has the texts too.
func (k *History) take(
	store *checkpoint.Store, s feature.Session, last *ending, before checkpoint.Checkpoint, unsaved func() map[string]string,
) checkpoint.Checkpoint {
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

	var texts map[string]string
	ready := make(chan struct{})
	s.Spawn(func() { // while Git prepares the folders; ends when Neovim has answered
		defer close(ready)
		texts = unsaved()
	})
	c := store.TakeAfter(k.ctx, s.Roots(), ready) // what is saved meanwhile would be in neither if Git looked first
	if <-ready; len(texts) > 0 {
		c = store.AddUnsaved(k.ctx, c, texts)
	}

	c = store.Complete(k.ctx, before, c)
	k.said.missing(k.ctx, s, c)
	return c
}

// unsaved returns the texts of the session's files that have unsaved changes. Where Neovim does not answer there are none.
func (k *History) unsaved(s feature.Session) map[string]string {
	ctx, stop := k.host.Answering(k.ctx)
	defer stop()
	list, _ := k.files.Modified(ctx, s.Roots())
	return k.texts(s, list)
}

// texts returns the texts of those files that are the session's and still have unsaved changes.
func (k *History) texts(s feature.Session, list []files.Modified) map[string]string {
	ctx, stop := k.host.Answering(k.ctx)
	defer stop()
	texts := map[string]string{}
	for _, f := range list {
		if !buffers.Inside(s.Roots(), f.Real) {
			continue
		}
		if t, unsaved, err := k.files.UnsavedTexts(ctx, f); err == nil && unsaved {
			texts[f.Real] = t.Screen
		}
	}

	return texts
}

// Changed notes what an agent has changed through the editor, or on the disk below a buffer. It does not wait.
func (k *History) Changed(by feature.Session, c files.Change) {
	open := k.host.Sessions()
	k.mu.Lock()
	defer k.mu.Unlock()

	var r *Running
	if by != nil {
		if r = k.current(by); r != nil {
			r.Name(c.Path)
		}
	} else {
		var turns []*rewind.Turn
		byTurn := map[*rewind.Turn]*Running{}
		for _, s := range open {
			if other := k.current(s); other != nil && buffers.Inside(s.Roots(), c.Path) {
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
	if c.Saved != nil {
		disk := rewind.Sides{Before: contentOf(c.Saved.Before), After: contentOf(c.Saved.After)}
		step.Disk = rewind.Diverge(step.Before, step.After, disk)
	}
	if c.Met != nil {
		r.Meet(c.Path, contentOf(c.Met.Text))
	}
	r.Edit(step)
	if c.Unsaved {
		r.Has(c.Path, nil)
	} else {
		r.Has(c.Path, &step.After)
	}
	r.worked = true
}

// current returns the turn that a change by a session's agent belongs to: the one that runs, else the one that has just ended;
// nil if there is none. k.mu is held.
func (k *History) current(s feature.Session) *Running {
	if r := k.turns[s.LocalID()]; r != nil {
		return r
	}
	return k.closing[s.LocalID()]
}

// Ready waits until the checkpoint before the turn of a session that runs is made, or ctx ends.
func (k *History) Ready(ctx context.Context, s feature.Session) {
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

// Named notes which files the calls of a running turn name. It runs on the read goroutine.
func (k *History) Named(s feature.Session, paths []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if r := k.turns[s.LocalID()]; r != nil {
		for _, path := range paths {
			r.Name(path)
		}
	}
}

// Called notes that a running turn has a call of a kind, which may change files. It runs on the read goroutine.
func (k *History) Called(s feature.Session, kind acp.ToolKind) {
	switch kind {
	case acp.ToolKindRead, acp.ToolKindSearch, acp.ToolKindThink, acp.ToolKindFetch, acp.ToolKindSwitchMode:
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if r := k.turns[s.LocalID()]; r != nil {
		r.worked = true
	}
}

// Loaded notes that a buffer has read or written a file while turns run. It does not wait.
func (k *History) Loaded(report files.Report) {
	k.mu.Lock()
	if report.Wrote {
		k.savedBetween(report.Path)
	}

	var unknown []*Running
	for _, r := range k.turns {
		if buffers.Inside(r.session.Roots(), report.Path) && (report.Wrote || report.Opened || !r.Knows(report.Path)) {
			unknown = append(unknown, r)
			if report.Wrote {
				r.Save(report.Path)
				r.Has(report.Path, nil)
			}
		}
	}

	k.mu.Unlock()

	if len(unknown) == 0 {
		return
	}

	caught.Go(func() { // ends when the disk has answered
		c, err := rewind.Read(report.Path)
		text, ok := report.Version()
		k.mu.Lock()
		defer k.mu.Unlock()
		for _, r := range unknown {
			heard(r, report, c, err, text, ok)
		}
	})
}

// Forget forgets a session that is closed.
func (k *History) Forget(s feature.Session) {
	k.Journals.forget(s.LocalID())
	k.said.forget(s.LocalID())
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.turns, s.LocalID())
	delete(k.closing, s.LocalID())
	delete(k.last, s.LocalID())
}
