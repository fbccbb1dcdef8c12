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
	own := ""
	var server acp.MCPServer
	var err error
	if a.Place().Tools() {
		server, err = s.host.tools.Server(featured{s}, names, a.Log.Mask)
	}
	switch {
	case err != nil:
		wrong = append(wrong, "the agent does not have the editor's tools: "+err.Error())
	case server != nil:
		own = agents.ServerName(server)
		list, names = append(list, server), append(names, own)
	}
	if note := a.Place().Note(); note != "" {
		wrong = append(wrong, note)
	}
	s.do(func(st *session.State) {
		st.SetServers(names, wrong)
		st.SetToolServer(own)
	})
	return list
}
