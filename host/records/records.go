// Package records keeps what is said in sessions on the disk, and is the list of all sessions: those that are open, those that are
// recorded, and those of the agents.
//
// Package host makes a [Keeper] for each session and says when it has changed. The format of a record is that of host/record.
package records

import (
	"errors"
	"maps"
	"os"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/poke"
)

// Records writes to the records of all sessions what has happened in them, on one goroutine, so that nobody else waits
// for the disk. It is safe for concurrent use.
type Records struct {
	host   feature.Host
	agents *agents.Pool
	hooks  Hooks
	dirty  *poke.Set[*Keeper]
	now    poke.Chan     // something is to be written without a pause
	done   chan struct{} // closed by Stop
	over   chan struct{} // closed when the last of it is written

	mu      sync.Mutex               // guards all below
	listing *listing                 // the last one
	lists   int                      // how many were asked for
	closing map[string]chan struct{} // by session, those whose records are being let go of; closed then
}

// Hooks are what others know of a session, and do about its record.
type Hooks struct {
	Keeper   func(feature.Session) *Keeper         // of an open session
	Close    func(feature.Session) <-chan struct{} // closes a session; closed when its agent knows
	Hide     func(text string) string              // takes the keys of users out of a text
	Waiting  func(feature.Session) []record.Prompt // what waits in it, if no Neovim has it; a Keeper's lock is held
	Recalled func(feature.Session)                 // its record is read, and goes on; may wait for the disk
	Held     func(id string) *record.File          // hands over a record that is locked here for another purpose; nil: it is not

	// What the agent of another session was still to be told, for the agent and for the user. It may wait for the disk.
	Untold func(s feature.Session, from string) (text, shown string)
}

// New returns the records of nothing yet. Run writes them.
func New(h feature.Host, pool *agents.Pool, hooks Hooks) *Records {
	return &Records{
		host: h, agents: pool, hooks: hooks, dirty: poke.NewSet[*Keeper](), now: poke.New(),
		done: make(chan struct{}), over: make(chan struct{}), closing: map[string]chan struct{}{},
	}
}

// Verbs are what a user can say, by their names.
func (r *Records) Verbs() map[string]any {
	return map[string]any{"sessions": r.list, "rename": r.rename, "erase": r.erase, "view": r.view}
}

// recordPause is the least time from one writing to the next: each wakes the program up. What is growing is written once a second anyway,
// and what comes after a quiet moment at once.
const recordPause = 300 * time.Millisecond

// Stop has everything written, and waits for it, but not for a disk that hangs.
func (r *Records) Stop() {
	close(r.done)
	select {
	case <-r.over:
	case <-time.After(time.Second):
	}
}

// Run writes what is due, until Stop.
func (r *Records) Run() {
	defer close(r.over)
	clock := time.NewTimer(time.Hour)
	clock.Stop()
	for {
		select {
		case <-r.dirty.Wake:
		case <-clock.C:
		case <-r.done:
			r.write(true)
			return
		}

		if wait := r.write(false); wait > 0 {
			clock.Reset(wait)
		}
		select {
		case <-time.After(recordPause):
		case <-r.now:
		case <-r.done:
			r.write(true)
			return
		}
	}
}

// write records what is due, or all there is, and returns when it is to be called again, 0 for not before a poke.
func (r *Records) write(all bool) (wait time.Duration) {
	for _, k := range r.dirty.Take() {
		var left time.Duration
		k.session.Within("records.(*Records).write", func() { left = k.write(all) })
		if left == 0 {
			continue
		}
		r.dirty.Add(k)
		if wait == 0 || left < wait {
			wait = left
		}
	}
	return wait
}

// Keeper writes the record of one session, which is made when there is something said to record. It is safe for concurrent use.
type Keeper struct {
	records *Records
	session feature.Session

	mu      sync.Mutex // guards all below; taken before the session's, and held while the disk is waited for
	file    *record.File
	about   record.Entry // what the session is, as last written
	waiting []record.Entry
	read    bool // the record was looked for
	off     bool // nothing is recorded, any more
	failing bool // the last writing failed
}

// What could not be written is tried again after retryWrite, as long as it is no more than mostWaiting entries.
const (
	retryWrite  = 2 * time.Second
	mostWaiting = 20_000
)

// Keeper returns what writes the record of a new session.
func (r *Records) Keeper(s feature.Session) *Keeper { return &Keeper{records: r, session: s} }

// Changed says that something was said in the session. It does not wait.
func (k *Keeper) Changed() { k.records.dirty.Poke(k) }

// Decided says that the user has decided something in the session, which is written without a pause. It does not wait.
func (k *Keeper) Decided() {
	k.records.dirty.Poke(k)
	k.records.now.Poke()
}

func (r *Records) dir() string { return r.host.Settings().RecordDir() }

func (r *Records) on() bool { return r.host.Settings().Records() }

// settle waits until the records of closed sessions have been let go of: of one, or with "" of all.
func (r *Records) settle(id string) {
	r.mu.Lock()
	var wait []chan struct{}
	for closing, kept := range r.closing {
		if id == "" || id == closing {
			wait = append(wait, kept)
		}
	}
	r.mu.Unlock()
	for _, kept := range wait {
		<-kept
	}
}

// write records what is due. It returns how long the rest may wait, 0 if there is none.
func (k *Keeper) write(all bool) time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()

	if k.off || !k.records.on() {
		return 0
	}

	unsaved := feature.Ask(k.session, func(st *session.State) session.Unsaved { return st.Unsaved(all) })
	entries, wait, about := unsaved.Entries, unsaved.Wait, k.describe(unsaved.About, unsaved.Title)
	if waiting := k.records.hooks.Waiting; waiting != nil {
		about.Data.Session.Waiting = waiting(k.session)
	}
	if unsaved.Replace {
		k.waiting = nil
		none := record.Entry{Time: about.Time, ID: "clear", Role: record.Status, Data: record.Data{Clear: true}}
		entries = slices.Insert(entries, 0, none)
	}

	k.waiting = append(k.waiting, entries...)
	if k.file == nil && !k.create() {
		return wait
	}
	if !sameAbout(about, k.about) {
		k.waiting = slices.Insert(k.waiting, 0, about)
		k.about = about
	}
	if err := k.file.Append(k.waiting...); err != nil {
		return k.failed(err)
	}

	k.waiting, k.failing = nil, false
	return wait
}

// failed notes that what waits could not be written. All of it is written again, since nobody knows how much of it was: of what a record
// has twice the later counts.
func (k *Keeper) failed(err error) (wait time.Duration) {
	if len(k.waiting) > mostWaiting {
		k.records.host.Say("error", "the session is no longer recorded: "+plain.Reason(err))
		k.waiting, k.off = nil, true
		return 0
	}
	if !k.failing {
		k.records.host.Say("error", "the session cannot be recorded for now: "+plain.Reason(err))
	}
	k.failing = true
	return retryWrite
}

// create makes the record once something was said that is worth one.
func (k *Keeper) create() bool {
	said := slices.ContainsFunc(k.waiting, func(e record.Entry) bool { return e.Role != record.Status && !e.Data.Clear })
	if !said {
		return false
	}

	dir := k.records.dir()
	file, err := record.Open(dir, k.session.LocalID())
	if err != nil {
		k.records.host.Say("error", "the session is not recorded: "+plain.Reason(err))
		k.off = true
		return false
	}

	k.file, file.Hide = file, k.records.hooks.Hide
	if err := record.Prune(dir, k.records.most()); err != nil {
		k.records.host.Say("warn", "old records: "+plain.Reason(err))
	}

	return true
}

// most is how many bytes all records together may have.
func (r *Records) most() int64 { return int64(r.host.Settings().Record.MaxMB * (1 << 20)) }

// Close marks the record as being let go of: who opens the session again waits for that. finish, which is to be called once, writes what is
// left and then calls after, in a goroutine. Neither waits.
func (k *Keeper) Close() (finish func(after func())) {
	r, id, kept := k.records, k.session.LocalID(), make(chan struct{})
	r.mu.Lock()
	defer r.mu.Unlock()

	r.closing[id] = kept

	return func(after func()) {
		k.session.Spawn(func() { // ends when the disk has it
			defer r.closed(id, kept) // whatever becomes of it: others wait
			k.close()
			after()
		})
	}
}

// closed says that the record of a session has been let go of.
func (r *Records) closed(id string, kept chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closing[id] == kept {
		delete(r.closing, id)
	}
	close(kept)
}

func (k *Keeper) close() {
	k.write(true)

	k.mu.Lock()
	defer k.mu.Unlock()
	k.off = true
	if k.file != nil {
		_ = k.file.Close() // there is nothing more to write
	}
}

// describe is the line that says what the session is.
func (k *Keeper) describe(is record.Session, title string) record.Entry {
	is.Cwd, is.Dirs = k.session.Cwd(), k.session.Spec().Dirs
	return about(is, title)
}

func about(is record.Session, title string) record.Entry {
	return record.Entry{
		Time: time.Now().UnixMilli(), ID: record.SessionID, Role: record.Status, Text: title, Data: record.Data{Session: &is},
	}
}

func sameAbout(a, b record.Entry) bool {
	x, y := a.Data.Session, b.Data.Session
	return y != nil && a.Text == b.Text && x.Remote == y.Remote && x.Title == y.Title && x.Name == y.Name && x.Skills == y.Skills &&
		x.Untold == y.Untold && slices.Equal(x.Notes, y.Notes) && slices.Equal(x.Rules, y.Rules) &&
		maps.Equal(x.Options, y.Options) && reflect.DeepEqual(x.Waiting, y.Waiting) && reflect.DeepEqual(x.Cost, y.Cost) &&
		slices.EqualFunc(x.Rewinds, y.Rewinds, func(r, s record.Rewind) bool { return r.Session == s.Session && r.Entry == s.Entry })
}

// Recall shows what the session's record says, if there is one, and goes on with that record. It waits for the disk. If
// another Neovim has the session open, the error is record.ErrInUse, and the record is shown nevertheless.
func (k *Keeper) Recall() error {
	k.records.settle(k.session.LocalID())

	k.mu.Lock()
	defer k.mu.Unlock()

	if k.read || k.file != nil || k.off { // off: the session was closed meanwhile, and nobody would let go of the record
		return nil
	}

	dir := k.records.dir()
	path, err := record.Path(dir, k.session.LocalID())
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		k.read = true
		return nil // it has none
	}

	var inUse error
	file := k.records.hooks.Held(k.session.LocalID())
	if file == nil {
		file, inUse = record.Open(dir, k.session.LocalID())
	}
	if inUse != nil && !errors.Is(inUse, record.ErrInUse) {
		return inUse
	}

	var rec record.Record
	if inUse != nil {
		rec, err = record.Load(dir, k.session.LocalID())
	} else if rec, err = file.Read(); err != nil {
		_ = file.Close()
	}
	if err != nil {
		return err // the next start tries again
	}

	k.read = inUse == nil
	switch {
	case k.read && k.records.on():
		k.file, file.Hide = file, k.records.hooks.Hide
		k.records.hooks.Recalled(k.session)
	case k.read:
		_ = file.Close() // it is not written to
	}

	waiting := rec.Session.Waiting
	if inUse != nil {
		rec.Session.Waiting = nil // another program has them
	}
	k.session.Do(func(st *session.State) {
		is, title := st.Restore(rec)
		k.about = k.describe(is, title)
		k.about.Data.Session.Waiting = waiting // they come back, and are to leave the record
	})
	return inUse
}
