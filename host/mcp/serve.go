package mcp

import (
	"context"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nvim-acp/nvim-acp/internal/caught"
)

const instructions = "Tools of the user's editor, Neovim. They know what the disk does not: unsaved text, what the user looks at, and " +
	"what the language servers know. Prefer them to grep where a symbol is meant rather than a text."

// Serve serves one connection until either side ends it, or ctx ends.
func Serve(ctx context.Context, desk Desk, version string, conn io.ReadWriteCloser) {
	messages := newLines(conn)
	s := newServer(desk, version)
	_ = s.sdk.Run(ctx, &sdk.IOTransport{Reader: messages, Writer: messages}) // it ends with the agent, which knows why
	_ = conn.Close()
}

// newServer returns a server of a desk's tools. Its messages go through handlers of further before they come to the tools.
func newServer(desk Desk, version string, further ...sdk.Middleware) *server {
	s := &server{desk: desk, sdk: sdk.NewServer(&sdk.Implementation{Name: Name, Title: "Neovim", Version: version}, &sdk.ServerOptions{
		Instructions: instructions, Capabilities: &sdk.ServerCapabilities{
			Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{},
		},
	})}
	s.addReading()
	s.addSymbols()
	s.addChanging()
	s.addPlaces()
	s.addAsk()
	s.addResources()
	s.sdk.AddReceivingMiddleware(append([]sdk.Middleware{recovered}, further...)...)
	return s
}

// recovered handles messages, a panic of which ends nothing else: it is reported, and answered with an error. The SDK has goroutines of its
// own for them.
func recovered(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (answer sdk.Result, err error) {
		fault := caught.Do("mcp."+method, func() { answer, err = next(ctx, method, r) })
		if fault != nil {
			caught.Report(fault)
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: fault.Error()}
		}
		return answer, err
	}
}
