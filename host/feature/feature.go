// Package feature is the seam between package host and what it can do: what a feature is given of a session and of the program, and
// what it registers.
//
// A feature is a package of its own. It never sees the types of package host, which knows it by one line of its list.
package feature

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/settings"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// ErrNobody says that no Neovim was there to be asked, or that it has left before it has answered.
var ErrNobody = errors.New("no Neovim is attached")

// Why nobody has answered a question to the user.
var (
	ErrStopped   error = acp.Errorf(acp.CodeCancelled, "the user has stopped the turn")
	ErrWithdrawn error = acp.Errorf(acp.CodeCancelled, "the question was withdrawn: the turn or the session has ended")
)

// Session is a session as features see it. It may be used from any goroutine, also after it was closed. No method waits but Await and
// Start.
type Session interface {
	LocalID() string
	Cwd() string
	Roots() []string          // real paths of its folders
	Merging() bool            // changes on the disk below its roots are merged into buffers …
	Writing() bool            // … and count as its agent's
	AtWork() bool             // its agent is at work, or was until a moment ago
	Runs() bool               // a turn, a subagent or a command of its agent's runs now
	Spec() agents.Spec        // how its agent is started
	Short(path string) string // a path, for the user
	There(path string) string // a path where its agent is
	Prompt(p session.Prompt)  // queues a prompt, and starts its agent if it does not run

	// Start connects it to its agent, unless it is connected or that is under way, and waits for the agent.
	Start()
	// Do takes a step. The function must not block, nor call a method of the session.
	Do(step func(*session.State))
	// Spawn calls a function in a goroutine. A panic in it fails the session.
	Spawn(do func())
	// Within calls a function. A panic in it fails the session; place names it.
	Within(place string, do func())
	// Await waits for the user's answer to a request, or for ctx, which takes the request back.
	Await(ctx context.Context, t *permission.Ticket) (permission.Outcome, error)
}

// Ask is Do for a step that returns something.
func Ask[R any](s Session, step func(*session.State) R) (result R) {
	s.Do(func(st *session.State) { result = step(st) })
	return result
}

// ShortList names files for the user, not all if they are many.
func ShortList(s Session, paths []string) string {
	const most = 5
	var names []string
	for _, path := range paths[:min(len(paths), most)] {
		names = append(names, s.Short(path))
	}
	if more := len(paths) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// Host is the program as features see it. It is safe for concurrent use.
type Host interface {
	Editor

	Settings() *settings.Settings // must not be changed
	Done() <-chan struct{}        // closed when the program begins to end
	Session(id string) Session    // nil: there is none, or none any more
	Sessions() []Session
	Say(level, text string)           // a message that belongs to no session; it does not wait
	Show(name, text, filetype string) // opens text in a window of its own; it does not wait
	Saw(n int)                        // notes that a verb has come; see Target
	SessionDir(id string) string      // the folder for what is kept of a session's changes; "": nothing is recorded

	// Answering returns a context for calls into Neovim that a prompt waits for. It ends soon where Neovim waits for a key and answers
	// nothing, with [context.Canceled] then, and later where it is only held up.
	Answering(ctx context.Context) (context.Context, context.CancelFunc)
}

// SessionFile is a file in the folder for what is kept of a session's changes, "" if nothing is recorded. The review's own files end in
// ".json".
func SessionFile(h Host, id, name string) string {
	dir := h.SessionDir(id)
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, name)
}

// Target is the session that a verb is about, by its local id, and the number of the verb.
type Target struct {
	Session string `msgpack:"session"`
	N       int    `msgpack:"n"`
}

// About returns the target of a verb's arguments, in which it is embedded.
func (t Target) About() Target { return t }

// OnSession makes a verb of a session. The verb is noted as seen when it is done: a frame that says it was seen shows it.
func OnSession[A interface{ About() Target }](h Host, do func(Session, A)) func(A) {
	return func(a A) {
		t := a.About()
		h.Saw(t.N)
		s := h.Session(t.Session)
		if s == nil {
			return // closed meanwhile
		}
		do(s, a)
		s.Do(func(st *session.State) { st.Screen().Saw(t.N) })
	}
}

// Editor is all that the program knows of Neovim. A call may never return: Neovim does not answer while it waits for a key.
type Editor interface {
	ExecLua(code string, result any, args ...any) error
}

// Call calls Lua for one who must not wait for ever: it returns when the call does or when ctx ends. In the latter case the
// call goes on by itself, and its effect may still come.
func Call[R any](ctx context.Context, ed Editor, code string, args ...any) (R, error) {
	type answer struct {
		result R
		err    error
	}
	got := make(chan answer, 1)
	caught.Go(func() { // ends when Neovim answers or goes away
		var a answer
		a.err = ed.ExecLua(code, &a.result, args...)
		got <- a
	})
	select {
	case a := <-got:
		return a.result, a.err
	case <-ctx.Done():
		var zero R
		return zero, ctx.Err()
	}
}

// Answer waits until ctx ends for the answer to a question that another call has asked, and decodes it into result. If asked is false it
// returns an error at once.
type Answer func(ctx context.Context, asked bool, result any) error

// Over reports that the program is ending.
func Over(h Host) bool {
	select {
	case <-h.Done():
		return true
	default:
		return false
	}
}

// Agent returns the agent that serves a session, nil if none does.
func Agent(s Session) *agents.Agent {
	return Ask(s, func(st *session.State) *agents.Agent { return st.Link().Agent() })
}

// Choose asks the user a question of our own, and waits for the answer: the id of an option. The error is
// [ErrStopped] or [ErrWithdrawn] if there is none.
func Choose(ctx context.Context, s Session, n permission.New) (string, error) {
	for i, line := range n.Lines {
		n.Lines[i] = "  " + line
	}
	ticket := Ask(s, func(st *session.State) *permission.Ticket { return session.ShowQuestion(st, n) })
	if ticket == nil {
		return "", ErrStopped
	}
	got, err := s.Await(ctx, ticket)
	if err == nil && got.Option == "" {
		err = ErrWithdrawn
	}
	return got.Option, err
}
