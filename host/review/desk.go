package review

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Desk has the changes of all sessions, so that what one of them does to a file counts as the user's for the others. It is safe
// for concurrent use. Its methods may wait for a comparison of texts, unless they say otherwise, but for nothing else.
//
// What a method is told of a file must be told in the order in which it has happened to that file.
type Desk struct {
	named   names
	pending pending

	mu        sync.Mutex // guards all below, and is held while texts are compared; taken by lock
	sessions  map[string]*Changes
	order     []string        // the ids of the sessions, as they were opened
	moved     map[string]left // by the paths of files that were renamed
	decisions int             // that were made, each on a part of what is meant

	hunks   map[*File][]Hunk   // what was asked for since something changed last
	decided map[string]decided // by path, what a file had as the last of its changes was kept, until an agent changes it
}

// decided is when the last of a file's changes was kept, and the sum of what the file had then.
type decided struct {
	sum  uint64
	time time.Time
}

// names are the paths that the calls of each session's turn have named. They have a lock of their own, since whoever reads what
// agents send must not wait for a comparison.
type names struct {
	mu    sync.Mutex
	paths map[string]map[string]bool // by session; guarded by mu
}

func (n *names) add(session string, paths []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.paths == nil {
		n.paths = map[string]map[string]bool{}
	}
	if n.paths[session] == nil {
		n.paths[session] = map[string]bool{}
	}
	for _, path := range paths {
		n.paths[session][path] = true
	}
}

func (n *names) forget(session string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.paths, session)
}

func (n *names) has(session, path string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.paths[session][path]
}

// NewDesk returns a desk without sessions.
func NewDesk() *Desk {
	return &Desk{sessions: map[string]*Changes{}, moved: map[string]left{}, hunks: map[*File][]Hunk{}, decided: map[string]decided{}}
}

// Open adds a session. Changes that it has made already stay, if restored is nil.
func (d *Desk) Open(session string, restored *Changes) {
	d.lock()
	defer d.mu.Unlock()
	if restored == nil {
		d.of(session)
		return
	}
	d.of(session)
	for id, other := range d.sessions {
		for path, f := range other.files {
			if id != session { // what has become of the files since
				restored.Observe(path, f.Content(), byHand)
			}
		}
	}
	d.sessions[session] = restored
}

// of returns the changes of a session; d.mu is held.
func (d *Desk) of(session string) *Changes {
	c := d.sessions[session]
	if c == nil {
		c = NewChanges()
		d.sessions[session] = c
		d.order = append(d.order, session)
	}
	return c
}

// Close removes a session, and returns what of it is not saved yet.
func (d *Desk) Close(session string) Saved {
	d.lock()
	defer d.mu.Unlock()
	c := d.sessions[session]
	if c == nil {
		return nil
	}
	delete(d.sessions, session)
	d.named.forget(session)
	d.order = slices.DeleteFunc(d.order, func(id string) bool { return id == session })
	return c.Unsaved()
}

// Unsaved returns what of a session has changed since it was last called.
func (d *Desk) Unsaved(session string) Saved {
	d.lock()
	defer d.mu.Unlock()
	if c := d.sessions[session]; c != nil {
		return c.Unsaved()
	}
	return nil
}

// Begin notes that a turn of a session begins.
func (d *Desk) Begin(session, prompt string, now time.Time) Turn {
	d.lock()
	defer d.mu.Unlock()
	d.named.forget(session)
	return d.of(session).Begin(prompt, now)
}

// Named notes that a call of a session's turn names files. Unlike other methods it never waits for a comparison.
func (d *Desk) Named(session string, paths ...string) { d.named.add(session, paths) }

// Renamed notes that the last turn of a session has moved a file, and what it had before and has now. Its changes move with it.
func (d *Desk) Renamed(session, from, to string, before, after Content) {
	d.lock()
	defer d.mu.Unlock()

	c := d.of(session)
	turn := max(c.Turn(), 1)
	d.back(session, from, to)
	d.left(from, to, cmp.Or(d.sum(from), textSum(before.Lines, before.form())))
	c.Renamed(turn, from, to, before)
	f := c.files[to]
	f.agent(f.Content(), after, turn)
	c.touch(f)
	for id, other := range d.sessions {
		if id != session {
			other.Moved(from, to)
		}
	}

	d.others(session, to, byAgent)
}

// LeftUnsaved notes that the last turn of a session has moved a file, but not what was not saved of its text, which is the user's: the file
// had this. It is called before [Desk.Renamed].
func (d *Desk) LeftUnsaved(session, from, to string, saved Content) {
	d.lock()
	defer d.mu.Unlock()
	c := d.of(session)
	d.back(session, from, to)
	if f := c.files[from]; f != nil {
		if !f.now.Exists { // it has seemed to be deleted
			f.agent(f.Content(), saved, max(c.Turn(), 1))
		}
		f.Observe(saved)
		c.touch(f)
	}
}

// others tells all sessions but one what that, or a decision on its changes, has made of a file; d.mu is held.
func (d *Desk) others(session, path string, by source) {
	if f := d.sessions[session].files[path]; f != nil {
		for id, other := range d.sessions {
			if id != session {
				other.Observe(path, f.Content(), by)
			}
		}
	}
	for _, c := range d.sessions {
		if !c.Settled(path) {
			return
		}
	}

	for _, c := range d.sessions {
		c.Settle(path)
	}
}

// Observe notes what a file has by now. What differs is the user's doing.
func (d *Desk) Observe(path string, content Content) {
	d.lock()
	defer d.mu.Unlock()
	for _, c := range d.sessions {
		c.Observe(path, content, byHand)
	}
}

// Rewrote notes what a file has by now that the user has changed back. Of a session's turns, those that ran at some times are undone there;
// these have the order of the turns.
func (d *Desk) Rewrote(session, path string, content Content, undone []time.Time) {
	d.lock()
	defer d.mu.Unlock()
	at := path
	if c := d.sessions[session]; c != nil && content.Missing {
		had := d.sum(path)
		if at = c.renamedBack(path, c.at(undone)); at != path {
			d.left(path, at, had)
		}
	}
	for id, c := range d.sessions {
		var turns []Turn
		switch {
		case id == session:
			turns = c.at(undone)
		case at != path:
			c.Moved(path, at)
		}

		c.Observe(at, content, byHand, turns...)
		if f := c.files[path]; f != nil && !content.Missing {
			f.remade(turns)
		}
		for _, t := range turns {
			if f := c.files[path]; f != nil && slices.Contains(f.turns(), t) { // lines that went do not tell that they are back
				c.Keep(path, Pick{Turn: t}, time.Time{})
			}
		}
	}
}

// Found notes what a turn has changed in a file, as it was found later, when the file may have something else: now. What the file had
// before and after the turn says nothing of a file that has by now what it is known to have, or had before: it was changed back since;
// nor of one that has what the user has kept since. Shared says that another session may have made it.
func (d *Desk) Found(session, path string, before, after, now Content, shared bool) {
	if known, ok := d.Content(path); ok {
		before = known
	} else if d.isKept(path, now) {
		return
	}
	if !before.Equal(now) {
		d.note(report{session: session, unknown: shared, path: path, before: before, after: after})
	}
}

// isKept reports whether a file has what it had as the user kept the last of its changes.
func (d *Desk) isKept(path string, now Content) bool {
	d.lock()
	defer d.mu.Unlock()
	k, ok := d.decided[path]
	return ok && k.sum == textSum(now.Lines, now.form())
}

// KeptSince reports whether the user has kept the last of a file's changes since some time.
func (d *Desk) KeptSince(path string, since time.Time) bool {
	d.lock()
	defer d.mu.Unlock()
	k, ok := d.decided[path]
	return ok && k.time.After(since)
}

// Content returns what a file had when it was last observed.
func (d *Desk) Content(path string) (Content, bool) {
	d.lock()
	defer d.mu.Unlock()
	for _, c := range d.sessions {
		if f := c.files[path]; f != nil {
			return f.Content(), true
		}
	}
	return Content{}, false
}

// Gone reports whether an agent has deleted a file.
func (d *Desk) Gone(path string) bool {
	d.lock()
	defer d.mu.Unlock()
	for _, c := range d.sessions {
		if f := c.files[path]; f != nil && !f.now.Exists {
			return true
		}
	}
	return false
}

// Known reports whether a session has changes of a file, or had some that may come back.
func (d *Desk) Known(path string) bool {
	d.look()
	defer d.mu.Unlock()
	for _, c := range d.sessions {
		if c.Known(path) {
			return true
		}
	}
	return false
}

// Owned is a hunk with its session.
type Owned struct {
	Session string
	Hunk
}

// Hunks returns what waits for a decision in a file, in the order of the text; of those in one place what was made last comes first, since
// it may be in place of the others.
func (d *Desk) Hunks(path string) []Owned {
	d.look()
	defer d.mu.Unlock()
	var out []Owned
	for _, id := range d.order {
		if f := d.sessions[id].files[path]; f != nil {
			for _, h := range d.hunksOf(f) {
				out = append(out, Owned{id, h})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Owned) int {
		if a.Row != b.Row {
			return a.Row - b.Row
		}
		return d.made(b).Compare(d.made(a))
	})
	return out
}

// made returns when the last turn that has made a hunk began; d.mu is held.
func (d *Desk) made(h Owned) (at time.Time) {
	for _, t := range d.sessions[h.Session].turns {
		if slices.Contains(h.Turns, t.Turn) && t.Time.After(at) {
			at = t.Time
		}
	}
	return at
}

// hunksOf returns what waits for a decision in a file, which is not to be changed; d.mu is held.
func (d *Desk) hunksOf(f *File) []Hunk {
	hunks, known := d.hunks[f]
	if !known {
		hunks = f.Hunks()
		d.hunks[f] = hunks
	}
	return hunks
}

// Paths returns the paths of the files with changes that wait for a decision, each once for each session that has some.
func (d *Desk) Paths() []string {
	d.look()
	defer d.mu.Unlock()
	var out []string
	for _, id := range d.order {
		out = append(out, d.sessions[id].Paths()...)
	}
	return out
}

// Unkeep undoes a decision to keep changes, or redoes it if it is undone. The file has some content by now.
func (d *Desk) Unkeep(of *Decided, content Content) {
	d.lock()
	defer d.mu.Unlock()
	c := d.sessions[of.Session]
	if c == nil || !slices.Contains(c.kept, of.kept) {
		return
	}
	of.kept.swap(c, content)
	d.others(of.Session, of.Path, byDecision)
}
