package host

import (
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/subagents"
)

var (
	_ acp.Client     = client{}
	_ agents.Host    = pooled{}
	_ agents.Session = (*Session)(nil)
)

// pooled is the host as the pool of agents sees it.
type pooled struct{ host *Host }

func (p pooled) Client(a *agents.Agent) acp.Client { return client{p.host, a} }
func (p pooled) Watch() agents.Watcher             { return p.host.watch() }
func (p pooled) Say(level, text string)            { p.host.say(level, text) }

// Tools returns what a sandbox must have for the editor's tools.
func (p pooled) Tools() (program, folder string) {
	program, folder, err := p.host.tools.Program()
	if err != nil {
		return "", "" // it is said when a session is opened
	}
	return program, folder
}

func (p pooled) Extension(a *agents.Agent, method string, params acp.Raw) acp.Answer[any] {
	return client{p.host, a}.extension(method, params)
}

// Notice takes notifications that are not in the protocol. It runs on the read goroutine.
func (p pooled) Notice(a *agents.Agent, method string, params acp.Raw) {
	e, ok := subagents.ReadEvent(method, params)
	if !ok {
		return
	}
	s := client{p.host, a}.session(e.Session)
	switch {
	case s == nil: // closed meanwhile
	case e.Started:
		s.do(func(st *session.State) { st.Replay().Active().Calls().Subagent(e.Agent, e.Call) })
	default:
		s.do(func(st *session.State) { st.Replay().Active().Calls().Speaks(e.Agent, e.Text) })
	}
}

func (p pooled) Sessions() []agents.Session {
	var list []agents.Session
	for _, s := range p.host.all() {
		list = append(list, s)
	}
	return list
}

// Serves reports whether the session is open and that agent's.
func (s *Session) Serves(a *agents.Agent) bool {
	return ask(s, func(st *session.State) bool { return st.Link().Serves(a) })
}

// Idle reports whether nothing of the session runs, see [session.State.IdleSince].
func (s *Session) Idle(a *agents.Agent, since time.Time, resumable bool) bool {
	return ask(s, func(st *session.State) bool { return st.IdleSince(a, since, resumable) }) && !s.host.terms.Running(s)
}

// Detach lets go of an agent that is to end; the next prompt starts it again. Nothing is said but the state.
func (s *Session) Detach(a *agents.Agent, since time.Time) (remote string, ok bool) {
	s.do(func(st *session.State) { remote, ok = st.Detach(a, since) })
	return remote, ok
}

// Lost notes that the agent's process has ended, or with no error that the user ends it.
func (s *Session) Lost(a *agents.Agent, err error) {
	if s.host.leaving() {
		return // with Neovim, and that is nothing to record
	}

	var spent session.Spent
	lost := ask(s, func(st *session.State) bool {
		lost := st.Lost(a, err, a.Relogin.Load())
		if lost {
			spent = st.Spending().Spend(st.Options().Current(acp.CategoryModel))
		}
		return lost
	})
	if lost {
		s.host.budget.Count(spent)
		s.host.budget.Note(featured{s}, spent, 0)
		s.host.files.Poke()
		s.host.terms.Release(s)
		s.host.outside.Warn(featured{s}, a, a.Over) // nothing of it runs then
	}
}

// Return goes on with a session whose agent can be reached again.
func (s *Session) Return(why string) {
	if ask(s, func(st *session.State) bool { return st.Link().Claim() }) {
		s.do(func(st *session.State) { st.Screen().Say(why, "AcpDone") })
		s.spawn(s.connect) // ends when the session is ready or has failed
	}
}

// client answers what one agent asks.
type client struct {
	host  *Host
	agent *agents.Agent
}

// session is an open one of the agent's, nil if that id is none.
func (c client) session(id string) *Session {
	s, _ := c.agent.Session(id).(*Session)
	return s
}

// noSession is the answer to a request for a session that is not open.
func noSession[R any](id string) acp.Answer[R] {
	var none R
	return acp.Reply(none, acp.Errorf(acp.CodeResourceNotFound, "no session %q is open", id))
}

// SessionUpdate applies an update; it runs on the read goroutine.
func (c client) SessionUpdate(n *acp.SessionNotification) { c.agent.Deliver(n) }

// RequestPermission asks the user.
func (c client) RequestPermission(r *acp.RequestPermissionRequest) acp.Answer[*acp.RequestPermissionResponse] {
	if a := c.asker(r.SessionID); a.Session != nil {
		return a.requestPermission(r)
	}
	return noSession[*acp.RequestPermissionResponse](r.SessionID)
}

// ReadTextFile reads what the user sees.
func (c client) ReadTextFile(r *acp.ReadTextFileRequest) acp.Answer[*acp.ReadTextFileResponse] {
	if a := c.asker(r.SessionID); a.Session != nil {
		return c.host.files.Read(a, r)
	}
	return noSession[*acp.ReadTextFileResponse](r.SessionID)
}

// maxWrite is the most bytes of a text that an agent may write into a file, maxWritten the most lines: merging takes several times its
// memory, and what is reviewed of it some 500 bytes for each line.
const (
	maxWrite   = 64 << 20
	maxWritten = 1_000_000
)

// WriteTextFile edits what the user sees.
func (c client) WriteTextFile(r *acp.WriteTextFileRequest) acp.Answer[*acp.WriteTextFileResponse] {
	var none *acp.WriteTextFileResponse
	switch {
	case len(r.Content) > maxWrite:
		err := acp.Errorf(acp.CodeInvalidParams, "the text for %s has more than %d MiB: nothing was written", r.Path, maxWrite>>20)
		return acp.Reply(none, err)
	case strings.Count(r.Content, "\n") > maxWritten:
		err := acp.Errorf(acp.CodeInvalidParams, "the text for %s has more than %d lines: nothing was written", r.Path, maxWritten)
		return acp.Reply(none, err)
	}

	if a := c.asker(r.SessionID); a.Session != nil {
		return c.host.files.Write(a, r)
	}

	return noSession[*acp.WriteTextFileResponse](r.SessionID)
}

// CreateTerminal runs a command.
func (c client) CreateTerminal(r *acp.CreateTerminalRequest) acp.Answer[*acp.CreateTerminalResponse] {
	if a := c.asker(r.SessionID); a.Session != nil {
		return a.createTerminal(r)
	}
	return noSession[*acp.CreateTerminalResponse](r.SessionID)
}

// TerminalOutput returns what a command has printed.
func (c client) TerminalOutput(r *acp.TerminalOutputRequest) acp.Answer[*acp.TerminalOutputResponse] {
	if a := c.asker(r.SessionID); a.Session != nil {
		return c.host.terms.Output(a.Session, r)
	}
	return noSession[*acp.TerminalOutputResponse](r.SessionID)
}

// WaitForTerminalExit waits for the end of a command.
func (c client) WaitForTerminalExit(r *acp.WaitForTerminalExitRequest) acp.Answer[*acp.WaitForTerminalExitResponse] {
	if a := c.asker(r.SessionID); a.Session != nil {
		return c.host.terms.WaitForExit(a.Session, r)
	}
	return noSession[*acp.WaitForTerminalExitResponse](r.SessionID)
}

// KillTerminal ends a command and keeps its terminal.
func (c client) KillTerminal(r *acp.KillTerminalRequest) acp.Answer[*acp.KillTerminalResponse] {
	if a := c.asker(r.SessionID); a.Session != nil {
		return c.host.terms.Kill(a.Session, r)
	}
	return noSession[*acp.KillTerminalResponse](r.SessionID)
}

// ReleaseTerminal ends a command and forgets its terminal.
func (c client) ReleaseTerminal(r *acp.ReleaseTerminalRequest) acp.Answer[*acp.ReleaseTerminalResponse] {
	if a := c.asker(r.SessionID); a.Session != nil {
		return c.host.terms.ReleaseOne(a.Session, r)
	}
	return noSession[*acp.ReleaseTerminalResponse](r.SessionID)
}
