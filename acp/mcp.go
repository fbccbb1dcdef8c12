package acp

import "github.com/go-json-experiment/json/jsontext"

// MCPServer is a server of the Model Context Protocol that the agent should use: [*MCPServerStdio], and, by the agent's
// [MCPCapabilities], [*MCPServerHTTP] or [*MCPServerSSE].
type MCPServer interface{ mcpServer() }

// MCPServerStdio is started by the agent; Command is an absolute path.
type MCPServerStdio struct {
	Name    string        `json:"name" acp:"required"`
	Command string        `json:"command" acp:"required"`
	Args    []string      `json:"args" acp:"required"`
	Env     []EnvVariable `json:"env" acp:"required"`
	Meta    Meta          `json:"_meta,omitzero" acp:"lax"`
}

// MCPServerHTTP is reached over streamable HTTP.
type MCPServerHTTP struct {
	Name    string       `json:"name" acp:"required"`
	URL     string       `json:"url" acp:"required"`
	Headers []HTTPHeader `json:"headers" acp:"required"`
	Meta    Meta         `json:"_meta,omitzero" acp:"lax"`
}

// MCPServerSSE is reached over HTTP with server-sent events.
type MCPServerSSE struct {
	Name    string       `json:"name" acp:"required"`
	URL     string       `json:"url" acp:"required"`
	Headers []HTTPHeader `json:"headers" acp:"required"`
	Meta    Meta         `json:"_meta,omitzero" acp:"lax"`
}

// HTTPHeader is a header of a request to a server.
type HTTPHeader struct {
	Name  string `json:"name" acp:"required"`
	Value string `json:"value" acp:"required"`
	Meta  Meta   `json:"_meta,omitzero" acp:"lax"`
}

func (*MCPServerStdio) mcpServer() {}
func (*MCPServerHTTP) mcpServer()  {}
func (*MCPServerSSE) mcpServer()   {}

type (
	httpWire MCPServerHTTP
	sseWire  MCPServerSSE
)

// MarshalJSONTo writes the server with its type; only a stdio server has none.
func (s *MCPServerHTTP) MarshalJSONTo(e *jsontext.Encoder) error {
	return encodeTo(e, typed[httpWire]{"http", (*httpWire)(s)})
}

// MarshalJSONTo writes the server with its type.
func (s *MCPServerSSE) MarshalJSONTo(e *jsontext.Encoder) error {
	return encodeTo(e, typed[sseWire]{"sse", (*sseWire)(s)})
}
