// Package mcp is a server of the Model Context Protocol: the tools by which an agent asks and uses the editor.
//
// Package tools calls [Serve] for each connection of an agent, in a goroutine of its own, or has a [Handler] for agents that come over
// HTTP. The package knows neither sessions nor Neovim: they are given as a [Desk]. Handlers run beside each other; each ends with its
// context, which is bounded.
package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// Name is the server's name, as agents show it.
const Name = "nvim"

// FreeName returns the server's name beside others.
func FreeName(others []string) string {
	name := Name
	for n := 1; slices.Contains(others, name); n++ {
		name = Name + "-acp"
		if n > 1 {
			name += strconv.Itoa(n)
		}
	}
	return name
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

	// Barred returns an error if the agent must not change a file, whatever the user says.
	Barred(real string) error

	// IsFree reports whether the agent may read a file without a question.
	IsFree(real string) bool

	// Quoted returns a function that returns the files that may hold secrets and of which a text has a value.
	Quoted(ctx context.Context) func(text string) (real []string)

	// Read returns the text of a file as it is on the screen, or on the disk if it is not open. Line is 1-based; nil is all.
	// Where there is no such file, the error is [io/fs.ErrNotExist].
	Read(ctx context.Context, path string, line, limit *uint32) (string, error)

	// Know asks the editor, and decodes its answer into result.
	Know(ctx context.Context, question string, args map[string]any, result any) error

	// Alone waits until no other call changes a file. It returns a function that lets the next one in.
	Alone(ctx context.Context, real string) (done func(), err error)

	// Proposing waits until no other call asks the user about a change of one of some files. It returns a function that lets the next
	// one in.
	Proposing(ctx context.Context, reals ...string) (done func(), err error)

	// Change writes files, merged with what others have changed since old was read. With ask the user, or a rule, decides about all
	// of them before; no other call may change them then, and where others have changed the same lines since, it is an error. If one
	// of them cannot be written, as far as that is known before, none is. It returns what is to be said of them, such as conflicts.
	Change(ctx context.Context, ask bool, use Use, changes []Change) (note string, err error)

	// Ask asks the user, with the text of the question and what to choose from.
	Ask(ctx context.Context, q Question) (Answer, error)

	// Used notes that the agent uses a tool. The transcript shows it, unless it shows the agent's own word on the same call. It returns an
	// error if the call cannot be the session's: then it is refused.
	Used(use Use) error
}

// Use is a use of a tool, as the user is told of it.
type Use struct {
	Tool  string
	Title string
	Args  []byte // JSON
}

// use returns a use of a tool with arguments.
func use(tool, title string, args any) Use {
	text, _ := json.Marshal(args) // arguments are plain values
	return Use{Tool: tool, Title: title, Args: text}
}

// Change is a new text of a file.
type Change struct {
	Path    string // real
	Old     string
	New     string
	Missing bool // there is no such file yet
}

// How long the editor may take for an answer, and a tool with all that it asks the user; and how often an agent that waits hears
// that it is still under way.
const (
	maxTime       = 30 * time.Second
	maxAskTime    = time.Hour
	progressEvery = 10 * time.Second
)

// server is one connection's server, or that of the clients of a [Handler].
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
	sdk.AddTool(s.sdk, spec, func(ctx context.Context, r *sdk.CallToolRequest, in In) (*sdk.CallToolResult, any, error) {
		if err := s.desk.Used(use(t.name, t.title(in), in)); err != nil {
			return nil, nil, err
		}

		ctx, stop := context.WithTimeout(ctx, maxAskTime)
		told := make(chan struct{})
		defer func() { <-told }() // nothing is said of a call that is over
		defer stop()
		caught.Go(func() { // until the call is done
			defer close(told)
			tellProgress(ctx, r)
		})

		text, err := t.run(ctx, in)
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("the user did not answer within %v", maxAskTime)
		}
		if err != nil {
			return nil, nil, err
		}

		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil, nil
	})
}

// tellProgress tells an agent that wants to know it that its call is under way, until ctx ends: agents give a call up that seems
// to hang, and users take their time.
func tellProgress(ctx context.Context, r *sdk.CallToolRequest) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return
	}

	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: float64(n)})
		}
	}
}

// know asks the editor. It gives up if that takes too long.
func (s *server) know(ctx context.Context, question string, args map[string]any, result any) error {
	ctx, stop := context.WithTimeout(ctx, maxTime)
	defer stop()
	err := s.desk.Know(ctx, question, args, result)
	if err == nil || errors.Is(err, context.DeadlineExceeded) {
		return late(err)
	}
	asked, _ := args["path"].(string) // which the agent may read
	text := s.withoutSecrets(s.desk.Quoted(ctx), err.Error(), asked)
	if text != err.Error() || strings.Contains(text, "\n") {
		err = errors.New(strings.ReplaceAll(text, "\n", "\n  ")) // of a language server: no line looks like one of ours
	}
	return err
}

// text returns the text of a file. It gives up if that takes too long.
func (s *server) text(ctx context.Context, path string, line, limit *uint32) (string, error) {
	ctx, stop := context.WithTimeout(ctx, maxTime)
	defer stop()
	text, err := s.desk.Read(ctx, path, line, limit)
	return text, late(err)
}

// late says in words that the editor took too long.
func late(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the editor did not answer within %v: it may wait for a key of the user's", maxTime)
	}
	return err
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

// short returns a path as agents read it: relative to the session's folder if it is below it, and on one line.
func (s *server) short(path string) string {
	return plain(paths.Short(path, s.desk.Cwd()))
}

// plain returns a name as it is, or quoted if it is not one line of plain characters: no name may look like other lines of an answer.
func plain(name string) string {
	if strings.ContainsFunc(name, unicode.IsControl) {
		return strconv.Quote(name)
	}
	return name
}

// plural returns a number of things.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// withoutSecrets returns a text, or what is said instead if it quotes a file that may hold secrets, another one than path.
func (s *server) withoutSecrets(quoted func(text string) []string, text, path string) string {
	for _, real := range quoted(text) {
		if real != path {
			return "(not shown: it quotes " + s.short(real) + ", which may hold secrets)"
		}
	}
	return text
}

// Question is what an agent asks the user.
type Question struct {
	Text    string
	Options []string // to choose from; without them the answer is a text
	Several bool     // of the options may be chosen
}

// Answer is what the user says.
type Answer struct {
	Declined bool // they do not want to answer …
	Later    bool // … or not now
	Chosen   []string
	Text     string // in their own words
}
