package host

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/guard"
)

// agent is one agent process and the sessions it serves. It is what the process's connection calls; what concerns a session
// goes on to it.
type agent struct {
	host  *Host
	spec  AgentSpec
	key   string
	log   *acp.Log
	began time.Time
	ready chan struct{} // closed when initialize has been answered, or err is set
	over  chan struct{} // closed when the process has ended and the sessions know

	// Set before ready is closed, and never changed.
	err  error
	proc *acp.Agent
	info *acp.InitializeResponse

	stopped  atomic.Bool     // the user wants it to end …
	relogin  atomic.Bool     // … because a new one is to know of a login
	starting context.Context // of initialize; giveUp ends it
	giveUp   context.CancelFunc

	mu       sync.Mutex // guards all below
	sessions map[string]*Session
	opening  int                            // session/new, load and the like on their way
	early    map[string][]acp.SessionUpdate // of sessions whose id is not known yet
	earlyN   int
	closing  map[string]chan struct{} // by session id: the agent is being told that it is over; closed when it has answered
	used     time.Time                // when somebody last asked for it, or a session was begun or forgotten
}

// mostRecent is how many earlier agents' logs are kept.
const mostRecent = 8

// mostEarly bounds the updates kept for sessions that are being opened.
const mostEarly = 10_000

// hidden are the variables of Neovim that would let an agent drive the editor past every permission (DECISIONS 26).
var hidden = []string{"NVIM", "NVIM_LISTEN_ADDRESS", "VIM", "VIMRUNTIME", "MYVIMRC", "CLAUDECODE", guard.RunVar}

// agent returns the process for a spec, started if there is none. It does not wait.
func (h *Host) agent(spec AgentSpec, cwd string) *agent {
	if spec.Cwd != "" {
		cwd = spec.Cwd
	}
	key := spec.key()
	h.mu.Lock()
	defer h.mu.Unlock()
	if a := h.agents[key]; a != nil && a.take() {
		return a
	}
	a := &agent{
		host: h, spec: spec, key: key, log: acp.NewLog(int(h.settings().Log.Messages)), ready: make(chan struct{}), over: make(chan struct{}),
		began: time.Now(), sessions: map[string]*Session{}, early: map[string][]acp.SessionUpdate{},
		closing: map[string]chan struct{}{}, used: time.Now(),
	}
	for _, v := range spec.Env {
		a.log.Mask(v)
	}
	a.starting, a.giveUp = context.WithCancel(context.Background())
	h.agents[key] = a
	h.recent = append(h.recent[max(len(h.recent)-mostRecent, 0):], a)
	go a.run(cwd) // until the process has ended and its sessions know
	return a
}

// drop forgets an agent that has ended.
func (h *Host) drop(a *agent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.agents[a.key] == a {
		delete(h.agents, a.key)
	}
}

// key is the same for specs that one process can serve.
func (s AgentSpec) key() string {
	parts := append([]string{s.Name, s.Command, s.Cwd}, s.Args...)
	for _, k := range slices.Sorted(maps.Keys(s.Env)) {
		parts = append(parts, k+"="+s.Env[k])
	}
	return strings.Join(parts, "\x00")
}

func (s AgentSpec) quirk(name string) bool {
	on, _ := s.Quirks[name].(bool)
	return on
}

// can is what the agent said it can do; nothing until it has been started.
func (a *agent) can() acp.AgentCapabilities {
	select {
	case <-a.ready:
	default:
		return acp.AgentCapabilities{}
	}
	if a.info == nil {
		return acp.AgentCapabilities{}
	}
	return a.info.AgentCapabilities
}

// implementation is what the agent calls itself, nil until it has said so.
func (a *agent) implementation() *acp.Implementation {
	select {
	case <-a.ready:
	default:
		return nil
	}
	if a.info == nil {
		return nil
	}
	return a.info.AgentInfo
}

// take notes that somebody is about to use the agent, and reports false if it is gone.
func (a *agent) take() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used = time.Now()
	return !a.gone()
}

// gone reports that the agent could not be started or has ended.
func (a *agent) gone() bool {
	if a.stopped.Load() {
		return true
	}
	select {
	case <-a.ready:
	default:
		return false
	}
	if a.err != nil {
		return true
	}
	select {
	case <-a.proc.Done():
		return true
	default:
		return false
	}
}

// crashed reports that the agent ended, and not because the user wanted it.
func (a *agent) crashed() bool { return a.gone() && !a.stopped.Load() }

// run starts the process, and tells the sessions when it has ended.
func (a *agent) run(cwd string) {
	defer close(a.over)
	defer a.host.drop(a)
	a.err = a.start(cwd)
	close(a.ready)
	if a.err != nil {
		if a.proc != nil {
			a.proc.Stop(context.Background())
		}
		return
	}
	<-a.proc.Done()
	a.mu.Lock()
	sessions := slices.Collect(maps.Values(a.sessions))
	a.sessions, a.early = map[string]*Session{}, nil // what is kept of the agent is its log
	a.mu.Unlock()
	for _, s := range sessions {
		s.disconnected(a, a.proc.Err())
	}
	a.proc.Stop(context.Background())
}

// capabilities are what this client can do, and nothing that it cannot.
func (h *Host) capabilities() acp.ClientCapabilities {
	return acp.ClientCapabilities{
		FS:       acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true},
		Terminal: true,
		Session: &acp.ClientSessionCapabilities{
			ConfigOptions: &acp.SessionConfigOptionsCapabilities{Boolean: &acp.Supported{}},
			Notices:       &acp.Supported{},
			Compaction:    &acp.Supported{},
		},
		Auth:        acp.AuthCapabilities{Terminal: true},
		Elicitation: &acp.ElicitationCapabilities{Form: &acp.Supported{}, URL: &acp.Supported{}},
		Meta: acp.Meta{
			"terminal_output": acp.Raw("true"), "terminal-auth": acp.Raw("true"), "github.com/copilot": acp.Raw(subagentEvents),
		},
	}
}

// terminate ends the process without waiting: its pipe is closed and its group told to end; the guard does the rest.
func (a *agent) terminate() {
	select {
	case <-a.ready:
	default:
		return // not yet started; the end of our process ends its pipe, and the guard knows its group
	}
	if a.proc == nil {
		return
	}
	select {
	case <-a.proc.Exited(): // its group's number may be another's by now; the guard knows what is left of it
	default:
		_ = syscall.Kill(-a.proc.Pgid(), syscall.SIGTERM)
	}
}

// opens notes that a session is being opened, so that updates for an id that is not known yet are kept.
func (a *agent) opens() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.opening++
	a.used = time.Now()
}

// opened ends what opens began: the session has an id, and what came early for it is given to it; or it failed, with s nil.
// Called on the read goroutine, before the next update is read.
func (a *agent) opened(id string, s *Session) {
	a.mu.Lock()
	a.opening--
	var early []acp.SessionUpdate
	if s != nil {
		a.sessions[id] = s
		early = a.early[id]
		delete(a.early, id)
	}
	if a.opening == 0 {
		clear(a.early)
		a.earlyN = 0
	}
	a.mu.Unlock()
	if s != nil && !s.serves(a) { // closed this very moment
		a.forget(id, s)
		return
	}
	for _, u := range early {
		s.update(u)
	}
}

// delete has the agent delete a session. It waits for the answer.
func (a *agent) delete(ctx context.Context, id string) error {
	_, err := a.proc.DeleteSession(ctx, &acp.DeleteSessionRequest{SessionID: id})
	return err
}

// forget has the updates of a session go nowhere, unless its id is another session's by now.
func (a *agent) forget(id string, s *Session) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sessions[id] == s {
		delete(a.sessions, id)
	}
	a.used = time.Now()
}

func (a *agent) session(id string) *Session {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sessions[id]
}

// stop ends the process because the user wants it. Its sessions let go of it first, so that whatever is sent from here on
// goes to another. It waits for the end.
func (a *agent) stop() {
	a.stopped.Store(true)
	a.giveUp()
	for _, s := range a.host.all() {
		s.disconnected(a, nil)
	}
	<-a.ready
	if a.err != nil {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	a.proc.Stop(ctx)
}
