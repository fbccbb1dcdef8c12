package host

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/records"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// Session is one conversation: what joins its [session.State] to Neovim, to its agent and to its record. Its methods may be
// called from any goroutine; none waits, unless it says so.
//
// Locks are taken in this order: records.Keeper's, Session.wire, the state's, terminals.Set and its terminals. Those of Host, of the
// pool and its agents, of files and the dirty lists are taken alone.
type Session struct {
	host  *Host
	id    string // local
	cwd   string
	dirs  []string // further folders
	roots []string // real paths of all folders
	kept  *records.Keeper

	asked  atomic.Pointer[agents.Spec] // how its agent is to be started; a restart may change it
	guard  guarded
	viewer permission.Viewer // used outside of the guard
	timers timers
	placed bool         // it is for lines of a buffer
	cut    atomic.Bool  // it was said that a list of the agent's was longer than what is taken
	width  atomic.Int32 // cells of a row of the transcript; 0: no window has shown it

	told <-chan struct{} // closed when the agent knows of all stops; nil before the first. Only stop uses it, with the state.

	steers buffers.Queue // words for the turn that runs, which reach the agent in the order in which they were sent

	// wire orders what is sent to the agent about turns: a prompt is never overtaken by its cancellation. It is held across
	// calls that only enqueue.
	wire sync.Mutex
}

// guarded is a state that cannot be reached but through do.
type guarded struct {
	mu    sync.Mutex
	state *session.State
}

// do hands the state to a function and returns its effects.
func (g *guarded) do(step func(*session.State)) session.Effects {
	g.mu.Lock()
	defer g.mu.Unlock()
	step(g.state)
	e := g.state.Take()
	if checked != "" {
		check(g.state)
	}
	return e
}

// checked is a file for what is impossible of a state, after any step; "": nothing is checked. Tests name one.
var checked = os.Getenv("NVIM_ACP_CHECK")

func check(st *session.State) {
	if err := st.Check(); err != nil {
		if f, failed := regular.OpenFile(checked, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); failed == nil {
			fmt.Fprintf(f, "%v\n%s\n", err, debug.Stack())
			_ = f.Close()
		}
	}
}

// timers are those of a session. They are safe for concurrent use.
type timers struct {
	mu   sync.Mutex  // guards all below
	hint *time.Timer // says that the agent is silent; nil before the first start
	late *time.Timer // ends a replay that came late
}

// whySilent says why an agent may not have opened a session for a while.
func whySilent(a *agents.Agent) string {
	if line := a.Stray(); line != "" {
		return ", but a line that is no message: " + line
	}
	select {
	case <-a.Ready:
		return ": it has started, and the session is not ready"
	default:
		return ": it may be installing or unpacking itself"
	}
}

// hintAfter has a function called after a while, by [Session.after], unless the timer is stopped. It replaces the previous one.
func (t *timers) hintAfter(after func(time.Duration, func()) *time.Timer, wait time.Duration, do func(wait time.Duration)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.hint != nil {
		t.hint.Stop()
	}
	t.hint = after(wait, func() { do(wait) })
}

// LocalID is the session's id in this Neovim.
func (s *Session) LocalID() string { return s.id }

// described is what a session says of an agent.
func described(s agents.Spec) session.Agent {
	return session.Agent{Name: s.Name, Title: s.Title, EditsThroughEditor: s.Quirk("edits_through_editor"), Where: s.Where()}
}

// spec is how the session's agent is started.
func (s *Session) spec() agents.Spec {
	spec := *s.asked.Load()
	spec.Dirs, spec.Session = s.dirs, s.id
	return spec
}
