// Package tools gives agents the tools of the editor, over the Model Context Protocol, and asks the editor what they want to know.
package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/input"
	"github.com/nvim-acp/nvim-acp/host/mcp"
	"github.com/nvim-acp/nvim-acp/host/mcp/loopback"
	"github.com/nvim-acp/nvim-acp/host/mcp/socket"
	"github.com/nvim-acp/nvim-acp/host/policy"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/programs"
)

// Hooks are what others know and do. None may be nil.
type Hooks struct {
	// Files is a session as files know it.
	Files func(s feature.Session) files.Session
	// Refresh has language servers told what has changed, before they answer a question. It waits for that, but not long.
	Refresh func(ctx context.Context, s feature.Session, question string)
}

// Config says what the program is.
type Config struct{ Version, Program string }

// Tools are the editor's tools for agents: a socket to which the MCP server that each agent starts connects, and a port for agents that
// take no stdio servers. They are safe for concurrent use.
type Tools struct {
	host   feature.Host
	files  *files.Workspace
	policy *policy.Policy
	config Config
	hooks  Hooks

	edits     buffers.Queue // by path: each edit is made on what the one before has left
	proposals buffers.Queue // by path: the user is asked about a change once the one before is decided
	refused   refusals
	questions questions
	loopback  *loopback.Server

	mu       sync.Mutex // guards all below; held while the socket is made
	listener *socket.Listener
	closed   bool
}

// New returns tools without a socket or a port.
func New(h feature.Host, w *files.Workspace, p *policy.Policy, c Config, hooks Hooks) *Tools {
	t := &Tools{host: h, files: w, policy: p, config: c, hooks: hooks}
	t.loopback = loopback.New(t.handler, t.refuse)
	return t
}

// Verbs are what Neovim says, by their names.
func (t *Tools) Verbs() map[string]any { return map[string]any{"known": t.questions.known} }

// Know asks Neovim a question for the agent of a session, and decodes the answer unless result is nil. It waits for Neovim.
func (t *Tools) Know(ctx context.Context, s feature.Session, question string, args map[string]any, result any) error {
	return toolSession{s, t}.Know(ctx, question, args, result)
}

// Detached answers all questions for an editor that has left.
func (t *Tools) Detached() { t.questions.leave() }

// listen returns the socket, which is made at first use.
func (t *Tools) listen() (*socket.Listener, error) {
	t.mu.Lock()
	defer t.mu.Unlock()

	if t.closed {
		return nil, errors.New("the host is being closed")
	}

	if t.listener == nil {
		l, err := socket.Listen(t.serve, t.refuse)
		if err != nil {
			return nil, err
		}
		t.listener = l
	}

	return t.listener, nil
}

// refuse tells the user that a connection was refused.
func (t *Tools) refuse(why string) {
	t.refused.add(why, func(text string) { t.host.Say("warn", text) })
}

// toolsGone is how long an agent has to connect to the tools again before the user is told that it has none: some start their servers
// anew, and one that ends is not yet known to have ended.
const toolsGone = 2 * time.Second

// Closed ends the connections of a session that is closed.
func (t *Tools) Closed(s feature.Session) { t.forget(s, nil) }

// Left ends the connections of an agent that a session has let go of. What another one was offered meanwhile is not touched.
func (t *Tools) Left(s feature.Session, a *agents.Agent) { t.forget(s, a) }

// forget ends the connections of a session that an agent has, with nil those of all agents. It does not wait for their ends.
func (t *Tools) forget(s feature.Session, agent any) {
	t.mu.Lock()
	l := t.listener
	t.mu.Unlock()
	if l != nil {
		l.Forget(s.LocalID(), agent)
	}

	t.loopback.Forget(s.LocalID(), agent)
}

// Close ends all connections.
func (t *Tools) Close() {
	t.mu.Lock()
	l := t.listener
	t.closed, t.listener = true, nil
	t.mu.Unlock()
	if l != nil {
		l.Close()
	}
	t.loopback.Close()
	t.refused.close()
}

// serve serves a connection until it ends.
func (t *Tools) serve(id string, conn io.ReadWriteCloser) {
	s := t.host.Session(id)
	if s == nil {
		return
	}

	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	t.clients(s, 1)
	defer t.clients(s, -1)
	mcp.Serve(ctx, toolSession{s, t}, t.config.Version, conn)
}

// clients notes that clients of a session's tools have come, or with a negative number gone.
func (t *Tools) clients(s feature.Session, more int) {
	s.Do(func(st *session.State) { st.Tools().Clients(more) })
	if a := feature.Agent(s); more < 0 && a != nil && serves(s, a) {
		caught.After(toolsGone, func() { s.Do(func(st *session.State) { st.Tools().Gone(a) }) })
	}
}

// enabled reports whether the tools are not switched off.
func (t *Tools) enabled() bool {
	on := t.host.Settings().Tools.Enabled
	return on == nil || *on
}

// Program returns the program that serves the editor's tools, and the folder of its socket; "" if they are switched off.
func (t *Tools) Program() (program, folder string, err error) {
	if !t.enabled() {
		return "", "", nil
	}
	l, err := t.listen()
	if err != nil {
		return "", "", err
	}
	program, err = programs.Find(t.config.Program)
	if err == nil {
		program, err = filepath.Abs(program)
	}
	return program, filepath.Dir(l.Path()), err
}

// Used notes that the agent uses a tool. A call that comes as this session's while it has nothing to do is another's of the same
// agent, which has one server of ours for all of its sessions: that of the one that was opened last.
func (d toolSession) Used(u mcp.Use) error {
	if other := d.atWork(); other != nil {
		const text = "%s uses the editor's tools as those of another session, so its calls are refused: " +
			"set quirks.process_per_session of the agent (:help nvim-acp-agents)"
		other.Do(func(st *session.State) { st.Screen().SayOnce(fmt.Sprintf(text, other.Spec().Title)) })
		return errors.New("refused: the session whose tools these are has nothing to do just now; " +
			"another session of the same agent is at work, and its own tools must be used")
	}

	awaited := feature.Ask(d.s, func(st *session.State) *session.ToolUse { return st.Tools().Use(useOf(u)) })
	if awaited != nil {
		caught.After(toolPatience, func() { d.s.Do(func(st *session.State) { st.Tools().Show(awaited) }) })
	}

	return nil
}

// atWork returns another session of the same agent that is at work, nil if there is none or this one may be.
func (d toolSession) atWork() feature.Session {
	a := feature.Agent(d.s)
	if a == nil || d.s.Merging() {
		return nil
	}
	for _, s := range d.tools.host.Sessions() {
		if s.LocalID() != d.s.LocalID() && serves(s, a) && feature.Ask(s, func(st *session.State) bool { return st.Turn() != nil }) {
			return s
		}
	}
	return nil
}

func useOf(u mcp.Use) session.ToolUse {
	return session.ToolUse{Tool: u.Tool, Title: u.Title, Args: input.Read(u.Args).Texts()}
}

// toolPatience is how long the agent may take to say that it uses a tool, before the transcript says so.
const toolPatience = 5 * time.Second

// serves reports whether a session is open and an agent's.
func serves(s feature.Session, a *agents.Agent) bool {
	return feature.Ask(s, func(st *session.State) bool { return st.Link().Serves(a) })
}
