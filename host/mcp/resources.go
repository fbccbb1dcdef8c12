package mcp

import (
	"context"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The addresses of the resources.
const (
	buffersURI     = "nvim://buffers"
	diagnosticsURI = "nvim://diagnostics"
	textURI        = "nvim://text"
)

// addResources adds what the user can attach to a prompt in agents that offer resources: what is open, its problems, and the text
// of a file. The list is always the same, so nobody is told of changes.
func (s *server) addResources() {
	plain := func(run func(ctx context.Context) (string, error)) sdk.ResourceHandler {
		return func(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			ctx, stop := context.WithTimeout(ctx, maxAskTime)
			defer stop()
			text, err := run(ctx)
			if err != nil {
				return nil, err
			}
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: "text/plain", Text: text}}}, nil
		}
	}

	s.sdk.AddResource(&sdk.Resource{
		URI: buffersURI, Name: "buffers", Title: "Open buffers", MIMEType: "text/plain",
		Description: "The files that are open in the editor: unsaved changes, what is on the screen, the cursor, the selection",
	}, plain(func(ctx context.Context) (string, error) {
		if err := s.desk.Used(use("buffers", "Open buffers", nil)); err != nil {
			return "", err
		}
		return s.buffers(ctx, buffersIn{})
	}))
	s.sdk.AddResource(&sdk.Resource{
		URI: diagnosticsURI, Name: "diagnostics", Title: "Diagnostics", MIMEType: "text/plain",
		Description: "The problems that language servers and linters find in the open files",
	}, plain(func(ctx context.Context) (string, error) {
		if err := s.desk.Used(use("diagnostics", "Diagnostics", nil)); err != nil {
			return "", err
		}
		return s.diagnostics(ctx, diagnosticsIn{})
	}))
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: textURI + "{+path}", Name: "text", Title: "Text on the screen", MIMEType: "text/plain",
		Description: "The text of a file as it is on the screen, saved or not; path is absolute",
	}, func(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		path, err := url.PathUnescape(strings.TrimPrefix(r.Params.URI, textURI))
		if err != nil {
			return nil, err
		}
		return plain(func(ctx context.Context) (string, error) {
			if err := s.desk.Used(use("read", "Read "+path, nil)); err != nil {
				return "", err
			}
			return s.read(ctx, readIn{Path: path})
		})(ctx, r)
	})
}
