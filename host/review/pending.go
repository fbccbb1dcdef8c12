package review

import (
	"slices"
	"sync"
)

// pending are changes that no comparison has been made for yet. They have a lock of their own, since an agent waits for the answer
// to its write.
type pending struct {
	mu   sync.Mutex
	list []report // guarded by mu
}

// report is one change of a file by an agent.
type report struct {
	session string
	unknown bool // another session may have made it
	path    string
	before  Content
	after   Content
	saved   *Disk // what it has made of the disk; nil: the same
}

// Disk is what a change has made of a file on the disk, where the user's text is not saved.
type Disk struct{ Before, After Content }

// maxPending is how many changes may be pending before whoever adds one waits for them.
const maxPending = 32

func (p *pending) add(c report) (full bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, c)
	return len(p.list) > maxPending
}

func (p *pending) take() []report {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.list
	p.list = nil
	return list
}

// Changed notes that an agent has changed a file: that of the only session given, else of the only one whose turn has named the
// file. If there is no such session it is not known whose change it is. It does not wait for the comparison, which [Desk.TakeIn]
// or the next other method makes, unless many are pending.
func (d *Desk) Changed(sessions []string, path string, before, after Content) {
	d.ChangedBelow(sessions, path, before, after, nil)
}

// ChangedBelow is Changed where the disk has something else, since the user has not saved what they have typed.
func (d *Desk) ChangedBelow(sessions []string, path string, before, after Content, saved *Disk) {
	if len(sessions) == 0 {
		return
	}

	c := report{session: sessions[0], path: path, before: before, after: after, saved: saved}
	if len(sessions) > 1 {
		named := slices.DeleteFunc(slices.Clone(sessions), func(id string) bool { return !d.named.has(id, path) })
		if c.unknown = len(named) != 1; !c.unknown {
			c.session = named[0]
		}
	}
	d.note(c)
}

// note notes a change.
func (d *Desk) note(c report) {
	if d.pending.add(c) {
		d.TakeIn()
	}
}

// TakeIn makes the comparisons that are pending.
func (d *Desk) TakeIn() {
	d.look()
	d.mu.Unlock()
}

// lock takes d.mu, and takes in what has happened before.
func (d *Desk) lock() {
	d.look()
	clear(d.hunks)
}

// look is lock for who only reads.
func (d *Desk) look() {
	d.mu.Lock()
	for _, c := range d.pending.take() {
		clear(d.hunks)
		d.take(c)
	}
}

// take takes in a change; d.mu is held.
func (d *Desk) take(ch report) {
	if ch.before.Equal(ch.after) || d.hasLeft(ch) {
		return
	}

	delete(d.moved, ch.path)
	delete(d.decided, ch.path)
	c := d.of(ch.session)
	turn := c.Turn()
	if ch.unknown {
		turn = Unknown
	}
	for id, other := range d.sessions {
		if id != ch.session {
			other.Follow(ch.path, ch.before.over(ch.saved))
			other.Observe(ch.path, ch.before, byHand)
		}
	}

	c.ChangedBelow(turn, ch.path, ch.before, ch.after, ch.saved)
	d.others(ch.session, ch.path, byAgent)
}
