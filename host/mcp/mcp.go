// Package mcp is a server of the Model Context Protocol: the tools by which an agent asks and uses the editor.
//
// Package host calls [Serve] for each connection of an agent, in a goroutine of its own. The package knows neither sessions nor
// Neovim: they are given as a [Desk]. Handlers run beside each other; each ends with its context, which is bounded.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Name is the server's name, as agents show it.
const Name = "nvim"

// FreeName returns the server's name beside others.
func FreeName(others []string) string {
	if slices.Contains(others, Name) {
		return Name + "-acp"
	}
	return Name
}

// Desk is what tools need of a session and of its editor. Its methods may be called from any goroutine, and wait until they are
// done or ctx ends.
type Desk interface {
	// Cwd returns the session's folder.
	Cwd() string

	// Real returns the path of a file with links resolved.
	Real(path string) (string, error)

	// MayRead returns an error if the agent must not read a file. It may ask the user.
	MayRead(ctx context.Context, real string) error

	// IsFree reports whether the agent may read a file without a question.
	IsFree(real string) bool

	// Read returns the text of a file as it is on the screen, or on the disk if it is not open. Line is 1-based; nil is all.
	Read(ctx context.Context, path string, line, limit *uint32) (string, error)

	// Know asks the editor, and decodes its answer into result.
	Know(ctx context.Context, question string, args map[string]any, result any) error

	// Change writes files, merged with what the user has changed since old was read. With ask the user, or a rule, decides about all
	// of them before. It returns what is to be said of them, such as conflicts.
	Change(ctx context.Context, ask bool, tool, title string, changes []Change) (note string, err error)

	// Used notes that the agent uses a tool. The transcript shows it, unless it shows the agent's own word on the same call.
	Used(tool, title string)
}

// Change is a new text of a file.
type Change struct {
	Path    string // real
	Old     string
	New     string
	Missing bool // there is no such file yet
}

// How long a tool may take that waits for nobody, and one that may ask the user.
const (
	maxTime    = 30 * time.Second
	maxAskTime = time.Hour
)

const instructions = "Tools of the user's editor, Neovim. They know what the disk does not: unsaved text, what the user looks at, and what " +
	"the language servers know. Prefer them to grep where a symbol is meant rather than a text."

// Serve serves one connection until either side ends it, or ctx ends.
func Serve(ctx context.Context, desk Desk, version string, conn io.ReadWriteCloser) {
	s := &server{desk: desk, sdk: sdk.NewServer(&sdk.Implementation{Name: Name, Title: "Neovim", Version: version}, &sdk.ServerOptions{
		Instructions: instructions, Capabilities: &sdk.ServerCapabilities{},
	})}
	s.addReading()
	s.addSymbols()
	s.addChanging()
	_ = s.sdk.Run(ctx, &sdk.IOTransport{Reader: conn, Writer: conn}) // it ends with the agent, which knows why
	_ = conn.Close()
}

// server is one connection's server.
type server struct {
	desk Desk
	sdk  *sdk.Server
}

// tool is one tool. In is the type of its arguments.
type tool[In any] struct {
	name        string
	description string
	changes     bool               // it changes something
	title       func(in In) string // of a call, for the user
	run         func(ctx context.Context, in In) (string, error)
}

// add adds a tool to a server.
func add[In any](s *server, t tool[In]) {
	no := false
	spec := &sdk.Tool{
		Name: t.name, Description: t.description,
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: !t.changes, DestructiveHint: &no, OpenWorldHint: &no},
	}
	sdk.AddTool(s.sdk, spec, func(ctx context.Context, _ *sdk.CallToolRequest, in In) (*sdk.CallToolResult, any, error) {
		s.desk.Used(t.name, t.title(in))
		patience := maxTime
		if t.changes {
			patience = maxAskTime
		}
		ctx, stop := context.WithTimeout(ctx, patience)
		defer stop()
		text, err := t.run(ctx, in)
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("the editor did not answer within %v: it may wait for a key of the user's", patience)
		}
		if err != nil {
			return nil, nil, err
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil, nil
	})
}

// file returns the real path of a file that a tool names, which the agent may read.
func (s *server) file(ctx context.Context, path string) (real string, err error) {
	if path == "" {
		return "", errors.New("no path is given")
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.desk.Cwd(), path)
	}
	if real, err = s.desk.Real(path); err != nil {
		return "", err
	}
	return real, s.desk.MayRead(ctx, real)
}

// short returns a path as agents read it: relative to the session's folder if it is below it.
func (s *server) short(path string) string {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(s.desk.Cwd(), "/")+"/")
	if ok {
		return rest
	}
	return path
}

// plural returns a number of things.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
