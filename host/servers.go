package host

import (
	"cmp"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// serversFor are the servers that the session's agent is told of. What it is not told of the user is told when it is ready.
func (s *Session) serversFor(a *agents.Agent) []acp.MCPServer {
	list, wrong := agents.Servers(s.spec().Servers, a.Can().MCPCapabilities, cmp.Or(s.spec().Title, s.spec().Name), s.cwd, a.Log.Mask)
	var names []string
	for _, server := range list {
		names = append(names, agents.ServerName(server))
	}
	s.do(func(st *session.State) { st.SetServers(names, wrong) })
	return list
}
