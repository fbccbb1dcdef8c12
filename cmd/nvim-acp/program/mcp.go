package program

import (
	"errors"
	"os"

	"github.com/nvim-acp/nvim-acp/host/mcp/socket"
)

// bridge is the MCP server that an agent starts: it joins the agent to the host that serves the session.
func bridge() error {
	path, token := os.Getenv(socket.PathVar), os.Getenv(socket.TokenVar)
	if path == "" || token == "" {
		return errors.New("mcp is for agents to start: the host gives them " + socket.PathVar + " and " + socket.TokenVar)
	}
	return socket.Bridge(path, token, os.Stdin, os.Stdout)
}
