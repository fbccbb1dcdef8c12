package agents

import (
	"reflect"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// An agent gets the servers whose transport it takes, and of the others the user is told why not (behaviour 864).
func TestServerTransports(t *testing.T) {
	const url = "http://localhost"
	for _, tt := range []struct {
		name   string
		server Server
		can    acp.MCPCapabilities
		want   acp.MCPServer
		why    string
	}{
		{"http", Server{URL: url}, acp.MCPCapabilities{HTTP: true}, &acp.MCPServerHTTP{}, ""},
		{"sse", Server{URL: url, Type: "sse"}, acp.MCPCapabilities{SSE: true}, &acp.MCPServerSSE{}, ""},
		{"http, where there is only sse", Server{URL: url}, acp.MCPCapabilities{SSE: true}, nil, "it takes none over http"},
		{"sse, where there is only http", Server{URL: url, Type: "sse"}, acp.MCPCapabilities{HTTP: true}, nil, "it takes none over sse"},
		{"no url", Server{Type: "http"}, acp.MCPCapabilities{HTTP: true}, nil, "it has no url"},
		{"no command", Server{}, acp.MCPCapabilities{HTTP: true}, nil, "it has no command"},
		{"no such type", Server{Type: "pipe", URL: url}, acp.MCPCapabilities{HTTP: true}, nil, "there is no type pipe"},
	} {
		got, why := tt.server.server("s", tt.can, t.TempDir(), func(string) {})
		if reflect.TypeOf(got) != reflect.TypeOf(tt.want) || why != tt.why {
			t.Errorf("%s: got %T, %q; want %T, %q", tt.name, got, why, tt.want, tt.why)
		}
	}
}
