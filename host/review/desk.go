package review

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Desk has the changes of all sessions, so that what one of them does to a file counts as the user's for the others. It is safe
// for concurrent use, and waits for nothing.
//
// What a method is told of a file must be told in the order in which it has happened to that file.
type Desk struct {
	mu       sync.Mutex // guards all below
	sessions map[string]*Changes
	order    []string                   // the ids of the sessions, as they were opened
	named    map[string]map[string]bool // paths that the calls of each session's turn have named
}

// NewDesk returns a desk without sessions.
func NewDesk() *Desk {
	return &Desk{sessions: map[string]*Changes{}, named: map[string]map[string]bool{}}
}

// Open adds a session. Changes that it has made already stay, if restored is nil.
func (d *Desk) Open(session string, restored *Changes) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if restored == nil {
		d.of(session)
		return
	}
	d.of(session)
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
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.sessions[session]
	if c == nil {
		return nil
	}
	delete(d.sessions, session)
	delete(d.named, session)
	d.order = slices.DeleteFunc(d.order, func(id string) bool { return id == session })
	return c.Unsaved()
}

// Unsaved returns what of a session has changed since it was last called.
func (d *Desk) Unsaved(session string) Saved {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c := d.sessions[session]; c != nil {
		return c.Unsaved()
	}
	return nil
}

// Begin notes that a turn of a session begins.
func (d *Desk) Begin(session, prompt string, now time.Time) Turn {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.named, session)
	return d.of(session).Begin(prompt, now)
}

// Named notes that a call of a session's turn names files.
func (d *Desk) Named(session string, paths ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.named[session] == nil {
		d.named[session] = map[string]bool{}
	}
	for _, path := range paths {
		d.named[session][path] = true
	}
}

// Changed notes that an agent has changed a file: that of the only session given, else of the only one whose turn has named the
// file. If there is no such session it is not known whose change it is.
func (d *Desk) Changed(sessions []string, path string, before, after Content) {
	if len(sessions) == 0 || before.Equal(after) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	session, turn := sessions[0], Turn(0)
	if len(sessions) > 1 {
		named := slices.DeleteFunc(slices.Clone(sessions), func(id string) bool { return !d.named[id][path] })
		if len(named) == 1 {
			session = named[0]
		} else {
			turn = Unknown
		}
	}
	c := d.of(session)
	if turn == 0 {
		turn = c.Turn()
	}
	for id, other := range d.sessions {
		if id != session {
			other.Follow(path, before)
			other.Observe(path, before, false)
		}
	}
	c.Changed(turn, path, before, after)
	d.others(session, path)
}

// others tells all sessions but one what that has made of a file; d.mu is held.
func (d *Desk) others(session, path string) {
	if f := d.sessions[session].files[path]; f != nil {
		for id, other := range d.sessions {
			if id != session {
				other.Observe(path, f.Content(), true)
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

// Observe notes what a file has by now. What differs is the user's doing. It reports whether the file is known.
func (d *Desk) Observe(path string, content Content) (known bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.sessions {
		known = known || c.Known(path)
		c.Observe(path, content, false)
	}
	return known
}

// Content returns what a file had when it was last observed.
func (d *Desk) Content(path string) (Content, bool) {
	d.mu.Lock()
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
	d.mu.Lock()
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
	d.mu.Lock()
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

// Hunks returns what waits for a decision in a file, in the order of the text.
func (d *Desk) Hunks(path string) []Owned {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []Owned
	for _, id := range d.order {
		if f := d.sessions[id].files[path]; f != nil {
			for _, h := range f.Hunks() {
				out = append(out, Owned{id, h})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Owned) int { return cmp.Compare(a.Row, b.Row) })
	return out
}

// Entry is a file with changes of a session.
type Entry struct {
	Session string
	Path    string
	From    string
	Kind    Kind
	Counts
	Last    Counts   // of the last turn
	Unknown bool     // another session may have made some of them
	Rows    []int    // of the hunks
	Heads   []string // how much of each hunk was added and removed, and its first line
}

// List returns the files with changes that wait for a decision: of one session, or with "" of all.
func (d *Desk) List(session string) []Entry {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []Entry
	for _, id := range d.order {
		if session != "" && session != id {
			continue
		}
		c := d.sessions[id]
		for _, path := range c.Paths() {
			f := c.files[path]
			e := Entry{Session: id, Path: path, From: f.From, Kind: f.Kind(), Counts: f.Counts(), Last: f.Of(c.Turn())}
			for _, h := range f.Hunks() {
				e.Rows, e.Heads = append(e.Rows, h.Row), append(e.Heads, h.head())
				e.Unknown = e.Unknown || h.Unknown()
			}
			out = append(out, e)
		}
	}
	return out
}
