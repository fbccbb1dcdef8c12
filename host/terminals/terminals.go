// Package terminals keeps what agents run or show as terminals: commands on ptys, and the output of commands that an agent
// runs itself and reports ("display terminals").
//
// Package host calls it. A [Set] holds the terminals of all sessions. Each terminal has a goroutine until its command has
// ended, and one more while a buffer of Neovim is fed; all end with Close. The package does not know sessions: each is given
// as an [Owner].
package terminals

import (
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// Owner is the session that a terminal belongs to.
type Owner interface {
	// LocalID is the session's id in this Neovim.
	LocalID() string
	// TerminalChanged has the calls that show a terminal drawn again. It does not wait.
	TerminalChanged(name string)
}

// maxWhole is how many terminals whose commands have ended keep all their output, and maxWholeBytes how much of it; of older ones the last
// wholeEnd bytes are kept.
const (
	maxWhole      = 32
	maxWholeBytes = 24 << 20
	wholeEnd      = 64 << 10
)

// Set is the terminals of all sessions. It is safe for concurrent use. No method waits.
type Set struct {
	editor Editor
	done   chan struct{} // closed by Close

	mu       sync.Mutex // guards all below
	terms    map[string]*Term
	starting map[Owner]int // commands of each session that are being started
	whole    []kept        // the last terminals that have ended, the oldest first
	commands int           // started so far
	count    int           // of all terminals so far
}

// New returns an empty set.
func New(editor Editor) *Set {
	return &Set{editor: editor, done: make(chan struct{}), terms: map[string]*Term{}, starting: map[Owner]int{}}
}

// Close kills all commands and ends all goroutines of the set, except those that wait for Neovim.
func (s *Set) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.terms {
		t.Kill()
	}
	close(s.done)
}

// Find returns the terminal with an id of ours, nil if there is none.
func (s *Set) Find(id string) *Term {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.terms[id]
}

// named returns the terminal that an agent names in a session, nil if there is none.
func (s *Set) named(owner Owner, name string) *Term {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.terms[name]; t != nil && t.owner == owner {
		return t
	}
	return s.terms[displayID(owner, name)]
}

// Command returns what the transcript of a session shows of the terminal that an agent names: its last lines, at most tail. It reports
// false if there is none.
func (s *Set) Command(owner Owner, name string, tail int) (transcript.Command, bool) {
	t := s.named(owner, name)
	if t == nil {
		return transcript.Command{}, false
	}
	return t.command(tail), true
}

// Text returns all that is kept of what the terminal has printed that an agent names in a session, "" if there is none.
func (s *Set) Text(owner Owner, name string) string {
	t := s.named(owner, name)
	if t == nil {
		return ""
	}
	text, _, _ := t.Output()
	return text
}

// Running reports whether a terminal of a session runs.
func (s *Set) Running(owner Owner) bool {
	for _, t := range s.of(owner) {
		select {
		case <-t.Done():
		default:
			return true
		}
	}
	return false
}

// Release ends the commands of a session. Their output stays.
func (s *Set) Release(owner Owner) {
	for _, t := range s.of(owner) {
		t.release()
	}
}

// Unwatch says that Neovim shows no terminal any more.
func (s *Set) Unwatch() {
	for _, t := range s.all() {
		t.mu.Lock()
		buffer := t.buffer
		t.mu.Unlock()
		t.Watch(buffer, false)
	}
}

// ShowAll describes all terminals to Neovim, for which it waits.
func (s *Set) ShowAll() {
	for _, t := range s.all() {
		t.show(false)
	}
}

func (s *Set) all() []*Term {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.terms))
}

// Forget ends the commands of a session and forgets all its terminals.
func (s *Set) Forget(owner Owner) {
	for _, t := range s.of(owner) {
		t.release()
		t.forget()
	}
}

func (s *Set) of(owner Owner) []*Term {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*Term
	for _, t := range s.terms {
		if t.owner == owner {
			list = append(list, t)
		}
	}
	return list
}

// nextID returns the id of the next command.
func (s *Set) nextID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commands++
	return "term-" + strconv.Itoa(s.commands)
}

// add makes a terminal known and starts what follows it.
func (s *Set) add(t *Term) {
	s.mu.Lock()
	s.terms[t.id] = t
	if !t.display {
		s.began(t.owner)
	}

	s.count++
	t.number = s.count
	s.mu.Unlock()

	caught.Go(func() { // until the command has ended
		t.show(true)
		t.follow()
		s.keepWhole(t)
	})
}

// remove forgets a terminal.
func (s *Set) remove(t *Term) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.terms[t.id] == t {
		delete(s.terms, t.id)
	}
}

// keepWhole notes a terminal whose command has ended, and cuts the output of the oldest ones where there are too many, or where it is too
// much.
func (s *Set) keepWhole(t *Term) {
	text, _, _ := t.Output()
	s.mu.Lock()
	s.whole = append(s.whole, kept{t, len(text)})
	total := 0
	for _, k := range s.whole {
		total += k.bytes
	}

	var old []kept
	for len(s.whole) > maxWhole || total > maxWholeBytes && len(s.whole) > 1 {
		total -= s.whole[0].bytes
		old, s.whole = append(old, s.whole[0]), s.whole[1:]
	}

	s.mu.Unlock()

	for _, k := range old {
		k.term.Shrink(wholeEnd)
	}
}

// kept is a terminal whose output is kept whole.
type kept struct {
	term  *Term
	bytes int // of its text
}

// command returns a command of a session's agent that was not released.
func (s *Set) command(owner Owner, id string) (*Term, error) {
	t := s.Find(id)
	if t == nil || t.display || t.owner != owner || t.isReleased() {
		return nil, acp.Errorf(acp.CodeResourceNotFound, "no terminal %q", id)
	}
	return t, nil
}
