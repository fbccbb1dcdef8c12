package host

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// The states a session is in, as the user is shown them.
const (
	starting     = "starting"
	loading      = "loading"
	login        = "login"
	idle         = "idle"
	busy         = "busy"
	waiting      = "waiting"
	cancelling   = "cancelling"
	disconnected = "disconnected"
)

// Session is one conversation. Its methods may be called from any goroutine; none waits, unless it says so.
type Session struct {
	host  *Host
	id    string // local
	cwd   string
	dirs  []string // further folders
	roots []string // real paths of all folders
	kept  keeper

	asked atomic.Pointer[AgentSpec] // how its agent is to be started; a restart may change it

	// wire orders what is sent to the agent about turns: a prompt is never overtaken by its cancellation. It is held across
	// calls that only enqueue, and never together with mu.
	wire sync.Mutex

	mu       sync.Mutex  // guards all below
	agent    *agent      // nil until started and after it was lost
	claimed  bool        // somebody is about to start it
	hint     *time.Timer // to say that the agent is silent; nil before the first start
	remote   string      // the agent's id
	state    string      // without waiting, which follows from permissions
	fault    string
	log      *transcript.Transcript
	replay   *transcript.Transcript // of a session that is being loaded; it becomes log
	late     time.Time              // the agent has loaded the session without a replay, which may still come until then
	lateEnd  *time.Timer            // ends a replay that has come so; nil else
	anew     bool                   // log takes the place of what is recorded
	recorded bool                   // what log began with is from the record
	strict   bool                   // the user wants this session of the agent's and no other
	fork     string                 // the agent's id of the session that this one is to begin as a copy of
	forked   bool                   // it began as such a copy
	used     time.Time              // when something last happened
	queue    []prompt
	turn     *turn
	asks     []*ask
	rules    []rules.Rule // made for this session only
	lasting  bool         // there may be rules for good of its folder
	askN     int
	edits    map[string]proposal // of this turn, by path
	title    string              // the agent's
	listed   string              // the same, as its list has it; newer than what is recorded
	lost     bool                // the host that had the session has ended, which is to be said
	name     string              // the user's title, which wins
	last     *last               // the session before this one in its folder, told while nothing is said here
	first    string              // the first prompt, a title until there is one
	created  int64               // unix, in milliseconds
	options  options
	wishes   map[string]any // options chosen before the agent is ready …
	settable bool           // … and it is
	before   map[string]any // what options had when the agent was lost
	commands []acp.AvailableCommand
	usage    *acp.UsageUpdate
	warned   bool // of the context being nearly full
	seen     int  // last verb of the user's
	closed   bool

	mergeUntil time.Time // the merge window is open until then, and while a turn runs
	notes      []string  // for the agent, with the next prompt
	told       string    // what the agent was last told of skills, as a hash; ""

	logins     []string // ids of the login methods, once they are known
	loginTried bool     // the configured login was tried since the agent was last ready

	serverNames  []string // names of the MCP servers that the agent is told of
	heard        uint64   // what of its log has been looked at for what it says of them
	unserved     []string // on each MCP server that the agent is not told of
	unservedSaid []string // what the user has been told of them

	// What the render goroutine has to tell.
	status   bool // the status has changed
	apart    int  // as Lua was told: calls that run on after their turn
	askNew   bool // the pending permissions have changed
	refining bool // a goroutine highlights what is over
	clear    bool // the editor's copy of the transcript is to be thrown away
	events   []event
	updates  map[string]bool // kinds of updates since the last frame
}

// prompt is what the user sends.
type prompt struct {
	text    string
	context []attachment
	held    bool // waits until the user says so
}

// turn is a prompt under way.
type turn struct {
	read      map[string]bool // files that were read through the editor
	prompt    prompt
	notes     []string           // that went with it
	making    context.Context    // of its content, and of what is sent into it …
	stop      context.CancelFunc // … until the turn is over or is to be
	sent      bool
	told      string // of which skills the agent knew before
	tells     bool   // of skills
	cancelled bool
}

func newSession(h *Host, a openArgs) *Session {
	s := &Session{
		host: h, id: a.Session, cwd: a.Cwd, remote: a.Remote, strict: a.Strict, fork: a.Fork,
		listed: a.Title, lost: a.Lost, state: starting, updates: map[string]bool{}, created: time.Now().UnixMilli(), used: time.Now(),
	}
	s.forked = a.Fork != ""
	s.asked.Store(&a.Agent)
	s.dirs = furtherDirs(a.Cwd, a.Dirs)
	s.roots = realRoots(a.Cwd, s.dirs...)
	s.log = s.newLog()
	return s
}

// newLog returns an empty transcript. Its blocks have ids that no earlier one of this session had, in this host or another:
// what the editor still shows of those stays.
func (s *Session) newLog() *transcript.Transcript {
	set := s.host.settings()
	return transcript.New(transcript.Options{
		Prefix:       uuid.NewString()[:8],
		Icons:        set.Icons,
		FoldThoughts: set.Chat.FoldThoughts,
		FoldCalls:    set.Chat.FoldCalls,
		Tail:         set.Terminal.Tail,
		Cwd:          s.cwd,
		Terminal:     s.command,
		Output:       s.output,
	})
}

// spec is how the session's agent is started.
func (s *Session) spec() AgentSpec { return *s.asked.Load() }

// story is the transcript that updates go to. s.mu is held.
func (s *Session) story() *transcript.Transcript {
	if s.replay != nil {
		return s.replay
	}
	return s.log
}

// saw notes that a verb of the user's has been taken in.
func (s *Session) saw(n int) {
	s.mu.Lock()
	s.seen = max(s.seen, n)
	s.status = true
	s.mu.Unlock()
	s.poke()
}

// poke makes the goroutines look at the session that draw and record.
func (s *Session) poke() {
	s.host.render.poke(s)
	s.host.recorder.poke(s)
}

// hurry is poke for what the user waits for.
func (s *Session) hurry() {
	s.host.render.hurry(s)
	s.host.recorder.poke(s)
}

// change makes a change under the lock and has it drawn at once.
func (s *Session) change(do func()) {
	s.mu.Lock()
	do()
	s.status = true
	s.mu.Unlock()
	s.hurry()
}

// unsent is a prompt that comes back to the user.
type unsent struct {
	Text    string       `msgpack:"text"`
	Context []attachment `msgpack:"context,omitempty"` // absent: as the editor remembers it
}

// giveBack puts prompts that are not sent back into the prompt buffer, with what was to go along.
func (s *Session) giveBack(list ...prompt) {
	if len(list) == 0 {
		return
	}
	var back []unsent
	for _, p := range list {
		back = append(back, unsent{p.text, p.context})
	}
	go func() { _ = s.host.ed.ExecLua(luaGiveBack, nil, s.id, back) }() // ends when Neovim answers or goes away
}

// disconnected tells the session that its agent's process has ended, or with no error that the user ends it. The prompt of
// a turn that is cut off comes back to the user, before those that wait.
func (s *Session) disconnected(a *agent, err error) {
	if s.host.leaving() {
		return // with Neovim, and that is nothing to record
	}
	served := false
	var back []prompt
	s.change(func() {
		if s.agent != a {
			return
		}
		if s.state == login && a.relogin.Load() {
			s.agent, s.settable = nil, false // it is started again at once
			return
		}
		served = true
		if s.turn != nil {
			s.untell(s.turn)
			s.turn.stop()
			back = append(back, s.turn.prompt)
			if s.turn.sent {
				s.notes = append(s.turn.notes, s.notes...)
			}
			s.emit("AcpTurnEnd", map[string]any{"stop_reason": "error"})
		}
		s.endLate()
		s.agent, s.turn, s.edits, s.replay, s.state = nil, nil, nil, nil, disconnected
		back, s.queue = append(back, s.queue...), nil
		s.settable, s.before = false, s.options.values()
		s.dropAsks(nil)
		s.log.FailCalls()
		why := "the agent was restarted"
		if err == nil {
			s.log.Say(why, "AcpDone")
		} else {
			why = err.Error()
			s.fault = why
			s.log.Fault(s.spec().Title + " has ended: " + why)
		}
		s.emit("AcpDisconnected", map[string]any{"message": why})
	})
	if !served {
		return
	}
	s.host.terms.Release(s)
	s.giveBack(back...)
}

// restart ends the agent's process, if it runs, and starts the session again, with spec if there is one. It waits for the
// process to end.
func (s *Session) restart(spec *AgentSpec) {
	if spec != nil {
		s.asked.Store(spec)
	}
	s.mu.Lock()
	a := s.agent
	s.mu.Unlock()
	if a != nil {
		a.stop()
	}
	s.start()
}

// close ends the session for good. What it returns is closed when the agent knows.
func (s *Session) close() <-chan struct{} {
	told := s.cancel()
	s.mu.Lock()
	a, remote := s.agent, s.remote
	s.dropAsks(nil)
	s.closed, s.agent, s.queue = true, nil, nil
	s.endLate()
	if s.hint != nil {
		s.hint.Stop()
	}
	s.mu.Unlock()
	h := s.host
	h.mu.Lock()
	delete(h.sessions, s.id)
	kept := make(chan struct{})
	h.closing[s.id] = kept
	h.mu.Unlock()
	h.store.Forget(s.id)
	h.dropIndex(s.cwd)
	h.terms.Forget(s)
	go func() { // ends when the disk has it
		s.kept.close(s)
		h.mu.Lock()
		if h.closing[s.id] == kept {
			delete(h.closing, s.id)
		}
		h.mu.Unlock()
		close(kept)
	}()
	h.disk.poke()
	done := make(chan struct{})
	if a == nil || a.gone() || remote == "" {
		close(done)
		return done
	}
	a.mu.Lock()
	a.closing[remote] = done
	a.mu.Unlock()
	go func() { // ends when the agent answers or ends
		<-told
		a.forget(remote, s)
		a.closeSession(remote)
		a.mu.Lock()
		if a.closing[remote] == done {
			delete(a.closing, remote)
		}
		a.mu.Unlock()
		close(done)
	}()
	return done
}

// redraw sends the whole transcript again: the editor has lost its buffer.
func (s *Session) redraw() {
	s.change(func() {
		s.clear = true
		s.log.Redraw()
	})
}

// redrawAll sends everything again that the editor shows of the session.
func (s *Session) redrawAll() {
	s.redraw()
	s.change(func() { s.askNew = true })
}

func (s *Session) toggle(a blockArgs) { s.change(func() { s.log.Toggle(a.Block, a.Part) }) }
