package tools

import (
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// That an agent takes no stdio MCP servers is told from other errors of such servers, and of others (behaviour 1152).
func TestAboutStdio(t *testing.T) {
	given := []acp.MCPServer{&acp.MCPServerStdio{Name: "one"}, &acp.MCPServerHTTP{Name: "two"}, &acp.MCPServerStdio{Name: "nvim"}}
	invalid := func(message, data string) acp.Error {
		return acp.Error{Code: acp.CodeInvalidParams, Message: message, Data: acp.Raw(data)}
	}
	internal := func(message string) acp.Error { return acp.Error{Code: -32603, Message: message} }
	for _, test := range []struct {
		name string
		err  acp.Error
		want bool
	}{
		{"no such kind", internal("stdio MCP servers are not supported"), true},
		{"no such kind, in short", internal("unsupported transport: stdio"), true},
		{"no such kind, at length", internal("This agent does not support MCP servers over stdio."), true},
		{"contracted", internal("We don't allow stdio transports"), true},
		{"not yet", internal("stdio servers are not yet supported"), true},
		{"by its name", internal("stdio MCP server \"nvim\" is not supported"), true},
		{"forbidden", internal("MCP over stdio is not allowed here"), true},
		{"rejected as such", internal("the stdio transport is rejected"), true},
		{"only others", invalid("Only HTTP is allowed, got a stdio server", ""), true},
		{"in the data", acp.Error{Code: -32603, Message: "Internal error", Data: acp.Raw(`{"details": "stdio is disabled"}`)}, true},
		{"a member that others have", invalid("Invalid params", `[{"path": ["mcpServers", 0, "url"], "message": "?"}]`), true},
		{"of the last one", invalid("mcpServers[2].type: Required", ""), true},
		{"with dots", invalid("mcpServers.0.type is missing", ""), true},
		{"of several", invalid("mcpServers[1].url: invalid, mcpServers[2].url: missing", ""), true},

		{"a server over HTTP", invalid("mcpServers[1].url: invalid URL", ""), false},
		{"one over HTTP, as a path", invalid("Invalid params", `[{"path": ["mcpServers", 1, "url"], "message": "?"}]`), false},
		{"none of these", invalid("mcpServers[7].url: missing", ""), false},
		{"no number", invalid("mcpServers: url is not of a known type", ""), false},
		{"another code", internal("mcpServers[0].url: missing"), false},
		{"a server that did not start", internal("MCP server x: spawn x ENOENT (stdio)"), false},
		{"a server that is not reached", internal("MCP server x: GET url: 404"), false},
		{"a refused connection", internal("MCP server db (stdio): connect ECONNREFUSED 127.0.0.1:5432: connection refused by server, not supported"), false},
		{"an exit", internal("stdio server x exited: connection refused"), false},
		{"the only one", internal("the only configured stdio server exited with code 1"), false},
		{"a token", internal("failed to start stdio MCP server github: token rejected"), false},
		{"an unsupported option of a server", internal("stdio MCP server x: flag --y is not supported"), false},
		{"a support page", internal("stdio server x exited with code 1, see https://example.org/support"), false},
		{"a server that is disabled", internal("stdio MCP server x exited: the account is disabled"), false},
		{"of something else", internal("stdio server x exited because dark mode is not supported"), false},
		{"far away", internal("stdio server x exited with code 1 after it has said a number of things and that its colours are not supported"), false},
		{"part of a word", internal("nostdio is not supported"), false},
		{"a path", invalid("cwd: no such folder", ""), false},
		{"a login", acp.Error{Code: acp.CodeAuthRequired, Message: "Authentication required"}, false},
	} {
		if got := aboutStdio(&test.err, given); got != test.want {
			t.Errorf("%s: got %t, want %t", test.name, got, test.want)
		}
	}
}
