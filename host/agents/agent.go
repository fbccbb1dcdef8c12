package agents

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/elsewhere"
	"github.com/nvim-acp/nvim-acp/host/guard"
	"github.com/nvim-acp/nvim-acp/host/install"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// Agent is one agent process and the sessions it serves. It is safe for concurrent use.
type Agent struct {
	Spec  Spec
	Key   string // the same for specs that one process can serve
	Log   *acp.Log
	Began time.Time
	Ready chan struct{} // closed when initialize has been answered, or Err is set
	Over  chan struct{} // closed when the process has ended and the sessions know

	// Set before Ready is closed, and never changed.
	Err  error
	Proc *acp.Agent // nil if it could not be started
	Info *acp.InitializeResponse

	place *elsewhere.Place // where it runs; nil: here

	Relogin atomic.Bool // it is ended because a new process is to know of a login
	Refuses Refusals    // what it was sent and does not take

	pool     *Pool
	stopped  atomic.Bool     // the user wants it to end
	starting context.Context // of initialize; giveUp ends it
	giveUp   context.CancelFunc

	delivering sync.Mutex // held while an update is handed on

	mu       sync.Mutex // guards all below
	sessions map[string]Session
	children map[string]child // by id
	known    map[string]bool  // ids of sessions and children, also of those that are over
	opening  int              // session/new, load and the like on their way
	early    early
	closing  map[string]chan struct{} // by session id: the agent is being told that it is over; closed when it has answered
	used     time.Time                // when somebody last asked for it, or a session was begun or forgotten
}

// Refusals are what an agent has refused, and is not sent again.
type Refusals struct {
	SystemPrompt atomic.Bool
	Stdio        atomic.Bool // MCP servers
}

// What is kept of updates for sessions that are being opened, and while none is, for children that are not announced yet.
const (
	maxEarly  = 10_000
	maxStrays = 256
)

// hidden are the variables of Neovim that would let an agent drive the editor past every permission (behaviour 226).
var hidden = []string{"NVIM", "NVIM_LISTEN_ADDRESS", "VIM", "VIMRUNTIME", "MYVIMRC", "CLAUDECODE", guard.RunVar}

// Can is what the agent said it can do; nothing until it has been started.
func (a *Agent) Can() acp.AgentCapabilities {
	select {
	case <-a.Ready:
	default:
		return acp.AgentCapabilities{}
	}
	if a.Info == nil {
		return acp.AgentCapabilities{}
	}
	return a.Info.AgentCapabilities
}

// Implementation is what the agent calls itself, nil until it has said so.
func (a *Agent) Implementation() *acp.Implementation {
	select {
	case <-a.Ready:
	default:
		return nil
	}
	if a.Info == nil {
		return nil
	}
	return a.Info.AgentInfo
}

// take notes that somebody is about to use the agent, and reports false if it is gone.
func (a *Agent) take() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used = time.Now()
	return !a.Gone()
}

// Gone reports that the agent could not be started or has ended.
func (a *Agent) Gone() bool {
	if a.stopped.Load() {
		return true
	}
	select {
	case <-a.Ready:
	default:
		return false
	}

	if a.Err != nil {
		return true
	}
	select {
	case <-a.Proc.Done():
		return true
	default:
		return false
	}
}

// Crashed reports that the agent ended, and not because the user wanted it.
func (a *Agent) Crashed() bool { return a.Gone() && !a.stopped.Load() }

// run starts the process, and tells the sessions when it has ended.
func (a *Agent) run(cwd string, l Logging) {
	defer close(a.Over)
	defer a.pool.drop(a)
	defer install.Hold(a.Spec.Command)()
	a.Err = a.start(cwd, l)
	a.take() // who waits for it uses it from now on, however long the start took
	close(a.Ready)
	if a.Err != nil {
		if a.Proc != nil {
			a.Proc.Stop(context.Background())
		}
		a.place.Close()
		return
	}

	<-a.Proc.Done()
	why := a.lost()
	a.mu.Lock()
	sessions := slices.Collect(maps.Values(a.sessions))
	a.sessions, a.children, a.early.updates = map[string]Session{}, map[string]child{}, nil // what is kept of the agent is its log
	a.mu.Unlock()

	for _, s := range sessions {
		s.Lost(a, cmp.Or(why, a.Proc.Err()))
	}

	a.Proc.Stop(context.Background())
	a.place.Close()
	if why != nil && !a.stopped.Load() {
		caught.Go(func() { a.awaitReturn(sessions) }) // until the place can be reached again, or the host closes
	}
}

// Terminate ends the process without waiting: its pipe is closed and its group told to end; the guard does the rest.
func (a *Agent) Terminate() {
	select {
	case <-a.Ready:
	default:
		return // not yet started; the end of our process ends its pipe, and the guard knows its group
	}

	if a.Proc == nil {
		return
	}
	select {
	case <-a.Proc.Exited(): // its group's number may be another's by now; the guard knows what is left of it
	default:
		_ = syscall.Kill(-a.Proc.Pgid(), syscall.SIGTERM)
	}

	a.place.Leave()
}

// Opens notes that a session is being opened, so that updates for an id that is not known yet are kept. The first call of opened ends that:
// the session has an id, and what came early for it is given to it; or it failed, with s nil. It is called on the read goroutine, before
// the next update is read.
func (a *Agent) Opens() (opened func(id string, s Session)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.opening++
	a.used = time.Now()

	var once sync.Once
	return func(id string, s Session) { once.Do(func() { a.opened(id, s) }) }
}

func (a *Agent) opened(id string, s Session) {
	a.mu.Lock()
	a.opening--
	var early []acp.SessionUpdate
	if s != nil {
		a.sessions[id] = s
		a.known[id] = true
		early = a.early.take(id)
	}
	if a.opening == 0 && (a.early.count > maxStrays || !a.Spec.Subagents()) {
		a.early.clear()
	}

	a.mu.Unlock()

	if s != nil && !s.Serves(a) { // closed this very moment
		a.Forget(id, s)
		return
	}
	for _, u := range early {
		a.Deliver(&acp.SessionNotification{SessionID: id, Update: u})
	}
}

// Delete has the agent delete a session. It waits for the answer.
func (a *Agent) Delete(ctx context.Context, id string) error {
	_, err := a.Proc.DeleteSession(ctx, &acp.DeleteSessionRequest{SessionID: id})
	return err
}

// Forget has the updates of a session go nowhere, unless its id is another session's by now.
func (a *Agent) Forget(id string, s Session) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sessions[id] == s {
		delete(a.sessions, id)
		a.disown(id, s)
	}
	a.used = time.Now()
}

// Session is the session that the agent has under an id, nil if that is none.
func (a *Agent) Session(id string) Session {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sessions[id]
}

// Sessions are all that the agent serves.
func (a *Agent) Sessions() []Session {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Collect(maps.Values(a.sessions))
}

// Stop ends the process because the user wants it. Its sessions let go of it first, so that whatever is sent from here on
// goes to another. It waits for the end.
func (a *Agent) Stop() {
	a.delivering.Lock() // what is under way is what the user sees as they stop it
	a.stopped.Store(true)
	a.delivering.Unlock()
	a.giveUp()
	for _, s := range a.pool.host.Sessions() {
		s.Lost(a, nil)
	}
	<-a.Ready
	if a.Err != nil {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	a.Proc.Stop(ctx)
}
