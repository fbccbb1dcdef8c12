package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/input"
	"github.com/nvim-acp/nvim-acp/host/mcp"
	"github.com/nvim-acp/nvim-acp/host/mcp/socket"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/programs"
)

// tools are the editor's tools for agents: a socket to which the MCP server that each agent starts connects. The zero value is
// ready for use. Safe for concurrent use.
type tools struct {
	edits     buffers.Queue // by path: each edit is made on what the one before has left
	proposals buffers.Queue // by path: the user is asked about a change once the one before is decided
	refused   refusals

	mu       sync.Mutex // guards all below; held while the socket is made
	listener *socket.Listener
	closed   bool
}

// listen returns the socket, which is made at first use.
func (h *Host) listen() (*socket.Listener, error) {
	t := &h.tools
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, errors.New("the host is being closed")
	}
	if t.listener == nil {
		l, err := socket.Listen(h.serveTools, func(why string) {
			t.refused.add(why, func(text string) { h.say("warn", text) })
		})
		if err != nil {
			return nil, err
		}
		t.listener = l
	}
	return t.listener, nil
}

// toolsGone is how long an agent has to connect to the tools again before the user is told that it has none: some start their servers
// anew, and one that ends is not yet known to have ended.
const toolsGone = 2 * time.Second

// forget ends the connections of a session.
func (t *tools) forget(id string) {
	t.mu.Lock()
	l := t.listener
	t.mu.Unlock()
	if l != nil {
		l.Forget(id)
	}
}

// close ends all connections.
func (t *tools) close() {
	t.mu.Lock()
	l := t.listener
	t.closed, t.listener = true, nil
	t.mu.Unlock()
	if l != nil {
		l.Close()
	}
	t.refused.close()
}

// serveTools serves a connection until it ends.
func (h *Host) serveTools(id string, conn io.ReadWriteCloser) {
	s := h.session(id)
	if s == nil {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	s.do(func(st *session.State) { st.ToolClients(1) })
	defer func() {
		s.do(func(st *session.State) { st.ToolClients(-1) })
		if a, _ := s.connection(); a != nil && s.Serves(a) {
			caught.After(toolsGone, func() { s.do(func(st *session.State) { st.ToolsGone(a) }) })
		}
	}()
	mcp.Serve(ctx, desk{s}, h.version, conn)
}

// toolsProgram returns the program that serves the editor's tools, and the folder of its socket; "" if they are switched off.
func (h *Host) toolsProgram() (program, folder string, err error) {
	if off := h.settings().Tools.Enabled; off != nil && !*off {
		return "", "", nil
	}
	l, err := h.listen()
	if err != nil {
		return "", "", err
	}
	program, err = programs.Find(h.argv0)
	if err == nil {
		program, err = filepath.Abs(program)
	}
	return program, filepath.Dir(l.Path()), err
}

// toolServer returns the server of the editor's tools for a session's agent, nil if it is switched off. Names are those of the
// other servers.
func (s *Session) toolServer(names []string, secret func(string)) (acp.MCPServer, error) {
	program, _, err := s.host.toolsProgram()
	if err != nil || program == "" {
		return nil, err
	}
	l, err := s.host.listen()
	if err != nil {
		return nil, err
	}
	l.Forget(s.id) // of an agent that has ended
	token := l.Token(s.id)
	secret(token)
	return &acp.MCPServerStdio{
		Name: mcp.FreeName(names), Command: program, Args: []string{"mcp"},
		Env: []acp.EnvVariable{{Name: socket.PathVar, Value: l.Path()}, {Name: socket.TokenVar, Value: token}},
	}, nil
}

// Used notes that the agent uses a tool. A call that comes as this session's while it has nothing to do is another's of the same agent, which
// has one server of ours for all of its sessions: that of the one that was opened last.
func (d desk) Used(u mcp.Use) error {
	if other := d.atWork(); other != nil {
		other.do(func(st *session.State) {
			st.SayOnce(fmt.Sprintf("%s uses the editor's tools as those of another session, so its calls are refused: set quirks.process_per_session "+
				"of the agent (:help nvim-acp-agents)", other.spec().Title))
		})
		return errors.New("refused: the session whose tools these are has nothing to do just now; another session of the same agent is at work, " +
			"and its own tools must be used")
	}
	awaited := ask(d.Session, func(st *session.State) *session.ToolUse { return st.UseTool(useOf(u)) })
	if awaited != nil {
		caught.After(toolPatience, func() { d.do(func(st *session.State) { st.ShowTool(awaited) }) })
	}
	return nil
}

// atWork returns another session of the same agent that is at work, nil if there is none or this one may be.
func (d desk) atWork() *Session {
	a, _ := d.connection()
	if a == nil || d.Merging() {
		return nil
	}
	for _, s := range d.host.all() {
		if s != d.Session && s.Serves(a) && ask(s, (*session.State).InTurn) {
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

// sayNoTools says once that an agent has not the editor's tools, since it starts no servers: it does not say so itself.
func (s *Session) sayNoTools(a *agents.Agent) {
	if !a.Spec.Quirk("refuses_stdio") {
		return
	}
	text := s.spec().Title + " starts no MCP servers that are programs, so it does not have the editor's tools, nor such servers of yours"
	s.do(func(st *session.State) { st.ToolsRefused(text) })
}
