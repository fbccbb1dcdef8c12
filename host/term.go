package host

import (
	"strconv"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/host/guard"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/terminal"
)

// term is a command of an agent's, or output that an agent shows as a terminal's. It stays after its release, so that the
// user can read it, until its session is closed.
type term struct {
	*terminal.Terminal
	host    *Host
	session *Session
	id      string // ours, unique in the host
	name    string // the agent's; for commands the same
	number  int    // in the order of the host's terminals
	mark    string // of the command's processes, wherever they go
	display bool
	story   *transcript.Transcript // of display terminals: where they are shown; a session loaded again has another
	began   time.Time
	poke    chan struct{} // size 1: what follows is different

	mu       sync.Mutex // guards all below
	line     string
	ended    time.Time
	released bool
	waiting  bool // it seems to wait for the user
	window   int  // number of the buffer that shows it, 0: none
	shown    bool // and whether a window shows that
	feeding  bool // a goroutine does
	gone     bool // its session is closed
}

// shownTerm is a terminal as Lua is told of it.
type shownTerm struct {
	ID      string `msgpack:"id"`
	Number  int    `msgpack:"number"`
	Session string `msgpack:"session"`
	Command string `msgpack:"command"`
	Running bool   `msgpack:"running"`
	Waiting bool   `msgpack:"waiting"`
	Exit    string `msgpack:"exit"`
	Input   bool   `msgpack:"input"`
	Started bool   `msgpack:"started"` // it is new
	Gone    bool   `msgpack:"gone"`
}

// mostKept is how many released terminals keep all they had; of older ones the last keptEnd bytes stay.
const (
	mostKept = 32
	keptEnd  = 64 << 10
)

// addTerm makes a terminal known and starts what follows it.
func (s *Session) addTerm(t *term) {
	t.host, t.session, t.began, t.poke = s.host, s, time.Now(), make(chan struct{}, 1)
	s.host.mu.Lock()
	s.host.terms[t.id] = t
	s.host.shownN++
	t.number = s.host.shownN
	s.host.mu.Unlock()
	go func() { // until the command has ended
		t.tell(true)
		t.follow()
	}()
}

// tell tells Lua what the terminal is.
func (t *term) tell(started bool) {
	t.mu.Lock()
	shown := shownTerm{
		ID: t.id, Number: t.number, Session: t.session.id, Command: t.line, Input: !t.display,
		Started: started, Waiting: t.waiting, Gone: t.gone,
	}
	t.mu.Unlock()
	_, exit := t.State()
	shown.Running, shown.Exit = exit == nil, exitText(exit)
	_ = t.host.ed.ExecLua(luaTerminals, nil, []shownTerm{shown}) // Neovim gone: nobody to tell
}

func exitText(exit *terminal.ExitStatus) string {
	switch {
	case exit == nil:
		return ""
	case exit.Signal != "":
		return transcript.OneLine(exit.Signal)
	case exit.Code != nil && *exit.Code != 0:
		return "exit " + strconv.Itoa(*exit.Code)
	}
	return ""
}

// command is what the transcript shows of a terminal that the agent names.
func (s *Session) command(name string) (transcript.Command, bool) {
	t, tail := s.term(name)
	if t == nil {
		return transcript.Command{}, false
	}
	truncated, exit := t.State()
	t.mu.Lock()
	defer t.mu.Unlock()
	took := time.Since(t.began)
	if !t.ended.IsZero() {
		took = t.ended.Sub(t.began)
	}
	return transcript.Command{
		ID: t.id, Line: t.line, Tail: t.Tail(tail), Running: exit == nil, Exit: exitText(exit), Truncated: truncated,
		Took: took, Waiting: t.waiting, Display: t.display,
	}, true
}

// term is a terminal of the session's by the agent's id, nil if there is none, and how many lines of it are shown.
func (s *Session) term(name string) (t *term, tail int) {
	h := s.host
	h.mu.Lock()
	defer h.mu.Unlock()
	t = h.terms[name]
	if t == nil || t.session != s {
		t = h.terms[s.key(name)]
	}
	return t, h.settings.Terminal.Tail
}

// output is all that is kept of what a terminal has printed.
func (s *Session) output(name string) string {
	t, _ := s.term(name)
	if t == nil {
		return ""
	}
	text, _, _ := t.Output()
	return text
}

// key is the id under which the host knows a display terminal.
func (s *Session) key(name string) string { return s.id + "/" + name }

func (t *term) forgotten() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.released
}

// release ends a command and forgets its id. What it has printed stays readable.
func (t *term) release() {
	t.mu.Lock()
	again := t.released
	t.released = true
	t.mu.Unlock()
	if again {
		return
	}
	t.Release()
	if !t.display {
		go func() { // ends when what has left the command's group is gone, after 1.2 s at most
			<-t.Done()
			guard.End(t.mark)
		}()
	}
	h := t.host
	h.mu.Lock()
	h.released = append(h.released, t)
	var old *term
	if len(h.released) > mostKept {
		old, h.released = h.released[0], h.released[1:]
	}
	h.mu.Unlock()
	if old != nil {
		old.Shrink(keptEnd)
	}
}

// releaseTerms ends the commands of a session whose agent is gone.
func (s *Session) releaseTerms() {
	for _, t := range s.terms() {
		t.release()
	}
}

// closeTerms ends the commands of a session and forgets all its terminals.
func (s *Session) closeTerms() {
	for _, t := range s.terms() {
		t.release()
		t.drop()
	}
}

// drop forgets a terminal.
func (t *term) drop() {
	t.mu.Lock()
	t.gone = true
	t.mu.Unlock()
	t.host.mu.Lock()
	if t.host.terms[t.id] == t {
		delete(t.host.terms, t.id)
	}
	t.host.mu.Unlock()
	t.wake()
	go t.tell(false) // ends when Neovim answers or goes away
}

func (s *Session) terms() []*term {
	s.host.mu.Lock()
	defer s.host.mu.Unlock()
	var list []*term
	for _, t := range s.host.terms {
		if t.session == s {
			list = append(list, t)
		}
	}
	return list
}
