package tools

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/mcp"
	"github.com/nvim-acp/nvim-acp/host/mcp/socket"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// Servers returns the MCP servers that a session's agent is given: the user's, and that of the editor's tools. What it is not given the
// user is told when the agent is ready. It reports false, and nothing is offered, if the session is not that agent's any more. It may wait
// for the disk.
func (t *Tools) Servers(s feature.Session, a *agents.Agent) (list []acp.MCPServer, ok bool) {
	spec := s.Spec()
	title := cmp.Or(spec.Title, spec.Name)
	var wrong []string
	list, wrong = agents.Servers(spec.Servers, a.Can().MCPCapabilities, title, s.Cwd(), a.Log.Mask)
	http := overHTTP(a) // another session of the agent's may be refused meanwhile
	if http {
		var left []string
		list, left = withoutStdio(list, title)
		wrong = append(wrong, left...)
	}

	var names []string
	for _, server := range list {
		names = append(names, agents.ServerName(server))
	}

	t.Left(s, a) // it was offered them before, or in another way
	var own session.Server
	var server acp.MCPServer
	var err error
	switch {
	case http && t.enabled():
		server, err = t.httpServer(s, a, names)
	case a.Place().Tools():
		server, err = t.server(s, a, names)
	}

	switch {
	case err != nil:
		wrong = append(wrong, "the agent does not have the editor's tools: "+err.Error())
	case server != nil:
		own = session.Server{Name: agents.ServerName(server), HTTP: http}
		list, names = append(list, server), append(names, own.Name)
	}

	if note := a.Place().Note(); note != "" {
		wrong = append(wrong, note)
	}

	s.Do(func(st *session.State) {
		if ok = st.Link().Serves(a); ok {
			st.Servers().Set(names, wrong)
			st.Tools().SetServer(own)
		}
	})
	if !ok { // it was let go of before it was offered them: nobody else takes them back
		t.Left(s, a)
	}
	return list, ok
}

// server returns the server of the editor's tools for a session's agent, nil if it is switched off. Names are those of the
// other servers.
func (t *Tools) server(s feature.Session, a *agents.Agent, names []string) (acp.MCPServer, error) {
	program, _, err := t.Program()
	if err != nil || program == "" {
		return nil, err
	}

	l, err := t.listen()
	if err != nil {
		return nil, err
	}

	token := l.Token(s.LocalID(), a)
	a.Log.Mask(token)
	return &acp.MCPServerStdio{
		Name: mcp.FreeName(names), Command: program, Args: []string{"mcp"},
		Env: []acp.EnvVariable{{Name: socket.PathVar, Value: l.Path()}, {Name: socket.TokenVar, Value: token}},
	}, nil
}

// refusal is a line in which an agent says that a server of the Model Context Protocol did not start. The protocol has no place
// for that; some agents say it on stderr.
var refusal = lazy.Regexp(`(?i)\bmcp\b.*(fail|refus|reject|error|could not|cannot|unable|timed? ?out|disconnect)`)

// Refused returns the lines in which the agent has said since the last call that an MCP server of a session did not start, each with the
// agent's title. It does not wait.
func (t *Tools) Refused(s feature.Session) (lines []string) {
	var names []string
	var from uint64
	s.Do(func(st *session.State) { names, from = st.Servers().Given() })
	a := feature.Agent(s)
	if a == nil || len(names) == 0 {
		return nil
	}

	said, last := a.Log.Stderr(from)
	for _, e := range said {
		for line := range strings.Lines(e.Text) {
			named := slices.ContainsFunc(names, func(name string) bool { return strings.Contains(line, name) })
			if named && refusal().MatchString(line) {
				lines = append(lines, s.Spec().Title+" says: "+plain.OneLine(strings.TrimSpace(line)))
			}
		}
	}

	s.Do(func(st *session.State) { st.Servers().Searched(max(last, 1) - 1) }) // the last one may grow, if it is of stderr
	return lines
}
