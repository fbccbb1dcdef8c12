package host

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

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
	roots []string // real paths

	// wire orders what is sent to the agent about turns: a prompt is never overtaken by its cancellation. It is held across
	// calls that only enqueue, and never together with mu.
	wire sync.Mutex

	mu       sync.Mutex // guards all below
	spec     AgentSpec
	agent    *agent // nil until started and after it was lost
	remote   string // the agent's id
	state    string // without waiting, which follows from permissions
	fault    string
	log      *transcript.Transcript
	queue    []prompt
	turn     *turn
	asks     []*ask
	rules    []rules.Rule // made for this session only
	kept     bool         // there may be rules for good of its folder
	askN     int
	edits    map[string]proposal // of this turn, by path
	title    string
	options  options
	commands []acp.AvailableCommand
	usage    *acp.UsageUpdate
	warned   bool // of the context being nearly full
	seen     int  // last verb of the user's
	closed   bool

	mergeUntil time.Time // the merge window is open until then, and while a turn runs
	notes      []string  // for the agent, with the next prompt

	// What the render goroutine has to tell.
	status  bool // the status has changed
	askNew  bool // the pending permissions have changed
	clear   bool // the editor's copy of the transcript is to be thrown away
	events  []event
	updates map[string]bool // kinds of updates since the last frame
}

// prompt is what the user sends.
type prompt struct {
	text    string
	context []attachment
	held    bool // waits until the user says so
}

// turn is a prompt under way.
type turn struct {
	sent      bool
	cancelled bool
}

func newSession(h *Host, a openArgs) *Session {
	s := &Session{
		host: h, id: a.Session, cwd: a.Cwd, spec: a.Agent, remote: a.Remote,
		state: starting, updates: map[string]bool{},
	}
	s.roots = realRoots(a.Cwd)
	s.log = transcript.New(transcript.Options{
		Icons:        h.settings.Icons,
		FoldThoughts: h.settings.Chat.FoldThoughts,
		FoldCalls:    h.settings.Chat.FoldCalls,
		Tail:         h.settings.Terminal.Tail,
		Cwd:          a.Cwd,
		Terminal:     s.command,
	})
	return s
}

// saw notes that a verb of the user's has been taken in.
func (s *Session) saw(n int) {
	s.mu.Lock()
	s.seen = max(s.seen, n)
	s.status = true
	s.mu.Unlock()
	s.poke()
}

// poke makes the render goroutine look at the session.
func (s *Session) poke() { s.host.render.poke(s) }

// change makes a change under the lock and has it drawn.
func (s *Session) change(do func()) {
	s.mu.Lock()
	do()
	s.status = true
	s.mu.Unlock()
	s.poke()
}

// start connects the session to its agent: a new session, or the one it had. It waits for the agent.
func (s *Session) start() {
	s.mu.Lock()
	if s.agent != nil || s.closed {
		s.mu.Unlock()
		return
	}
	spec, remote := s.spec, s.remote
	s.state, s.fault = starting, ""
	s.status = true
	a := s.host.agent(spec, s.cwd)
	s.agent = a
	s.mu.Unlock()
	s.poke()
	kept, err := s.host.keptRules(s.cwd)
	s.change(func() { s.kept = len(kept) > 0 || err != nil })
	<-a.ready
	if a.err != nil {
		s.failed(a, a.err)
		return
	}
	if remote == "" {
		s.create(a)
		return
	}
	s.reopen(a, remote)
}

// create asks for a new session.
func (s *Session) create(a *agent) {
	a.opens()
	req := &acp.NewSessionRequest{Cwd: s.cwd, MCPServers: []acp.MCPServer{}}
	a.proc.StartNewSession(req, func(r *acp.NewSessionResponse, err error) {
		if err != nil {
			a.opened("", nil)
			s.failed(a, fmt.Errorf("new session: %w", err))
			return
		}
		s.mu.Lock()
		s.remote = r.SessionID
		s.options.init(r.Modes, r.Models, r.ConfigOptions)
		s.mu.Unlock()
		a.opened(r.SessionID, s)
		s.ready()
	})
}

// reopen goes on with a session of an earlier process: resumed where the agent can, else loaded, else begun anew.
func (s *Session) reopen(a *agent, remote string) {
	can := a.info.AgentCapabilities
	a.opens()
	lost := func(err error) {
		a.opened("", nil)
		s.change(func() {
			s.log.Say("the agent cannot go on with the earlier session, so it does not know what is above: "+err.Error(), "AcpWarning")
		})
		go s.create(a) // returns at once
	}
	a.mu.Lock()
	a.sessions[remote] = s // its id is known before the answer
	a.mu.Unlock()
	took := func(modes *acp.SessionModeState, models *acp.SessionModelState, opts []acp.SessionConfigOption, err error) {
		if err != nil {
			a.forget(remote)
			lost(err)
			return
		}
		a.opened(remote, s)
		s.mu.Lock()
		s.log.EndLoad()
		s.options.init(modes, models, opts)
		s.mu.Unlock()
		s.ready()
	}
	switch {
	case can.SessionCapabilities.Resume != nil:
		a.proc.StartResumeSession(&acp.ResumeSessionRequest{SessionID: remote, Cwd: s.cwd}, func(r *acp.ResumeSessionResponse, err error) {
			if err != nil {
				r = &acp.ResumeSessionResponse{}
			}
			took(r.Modes, r.Models, r.ConfigOptions, err)
		})
	case can.LoadSession:
		s.change(func() { s.state = loading; s.log.BeginLoad(); s.clear = true })
		a.proc.StartLoadSession(&acp.LoadSessionRequest{SessionID: remote, Cwd: s.cwd, MCPServers: []acp.MCPServer{}}, func(r *acp.LoadSessionResponse, err error) {
			if err != nil {
				r = &acp.LoadSessionResponse{}
			}
			took(r.Modes, r.Models, r.ConfigOptions, err)
		})
	default:
		a.forget(remote)
		lost(errors.New("it can neither resume nor load sessions"))
	}
}

// ready ends the start: prompts that were typed meanwhile go out.
func (s *Session) ready() {
	s.change(func() {
		s.state = idle
		s.emit("AcpReady", nil)
	})
	s.configure()
	s.next()
}

// failed shows why the session could not be started. The prompts that wait stay in the queue; the next one tries again.
func (s *Session) failed(a *agent, err error) {
	s.change(func() {
		if s.agent != a {
			return
		}
		s.agent = nil
		s.state, s.fault = disconnected, err.Error()
		var e *acp.Error
		if errors.As(err, &e) && e.Code == acp.CodeAuthRequired {
			s.state = login
			s.log.Fault("login needed: " + err.Error() + "\n" + a.loginHelp())
		} else {
			s.log.Fault(err.Error())
		}
		s.emit("AcpError", map[string]any{"message": err.Error()})
	})
	s.giveBack()
}

// loginHelp says how to log in.
func (a *agent) loginHelp() string {
	text := "log in with the agent's own program, then send again"
	for _, m := range a.info.AuthMethods {
		text += "\n" + transcript.OneLine(m.Name)
		if m.Description != "" {
			text += ": " + transcript.OneLine(m.Description)
		}
	}
	return text
}

// giveBack puts the prompts that cannot be sent back into the prompt buffer.
func (s *Session) giveBack() {
	s.mu.Lock()
	var texts []string
	for _, p := range s.queue {
		texts = append(texts, p.text)
	}
	s.queue = nil
	s.mu.Unlock()
	if len(texts) > 0 {
		s.returnPrompts(texts)
	}
}

func (s *Session) returnPrompts(texts []string) {
	go func() { _ = s.host.ed.ExecLua(luaGiveBack, nil, s.id, texts) }() // ends when Neovim answers or goes away
}

// disconnected tells the session that its agent's process has ended.
func (s *Session) disconnected(a *agent, err error) {
	s.change(func() {
		if s.agent != a {
			return
		}
		if s.turn != nil {
			s.emit("AcpTurnEnd", map[string]any{"stop_reason": "error"})
		}
		s.agent, s.turn, s.state = nil, nil, disconnected
		s.dropAsks()
		s.log.FailCalls()
		if a.stopped.Load() {
			s.log.Say("the agent was restarted", "AcpDone")
		} else {
			s.fault = err.Error()
			s.log.Fault(s.spec.Title + " has ended: " + err.Error())
		}
		s.emit("AcpDisconnected", map[string]any{"message": err.Error()})
	})
	s.releaseTerms()
	s.giveBack()
}

// restart ends the agent's process, if it runs, and starts the session again. It waits for the process to end.
func (s *Session) restart() {
	s.mu.Lock()
	a := s.agent
	s.mu.Unlock()
	if a != nil {
		<-a.ready
		a.stop()
		<-a.over
	}
	s.start()
}

// close ends the session for good.
func (s *Session) close() {
	s.cancel()
	s.mu.Lock()
	a, remote := s.agent, s.remote
	s.dropAsks()
	s.closed, s.agent, s.queue = true, nil, nil
	s.mu.Unlock()
	h := s.host
	h.mu.Lock()
	delete(h.sessions, s.id)
	h.mu.Unlock()
	h.store.Forget(s.id)
	s.closeTerms()
	h.disk.poke()
	if a == nil || a.gone() || remote == "" {
		return
	}
	if a.info.AgentCapabilities.SessionCapabilities.Close != nil {
		go func() { // ends when the agent answers or ends
			_, _ = a.proc.CloseSession(context.Background(), &acp.CloseSessionRequest{SessionID: remote})
		}()
	}
	a.forget(remote)
}

// redraw sends the whole transcript again: the editor has lost its buffer.
func (s *Session) redraw() {
	s.change(func() {
		s.clear = true
		s.log.Redraw()
	})
}

func (s *Session) toggle(a blockArgs) { s.change(func() { s.log.Toggle(a.Block) }) }
