// Package agents runs agent processes: one for each way of being started, shared by all sessions that are started so.
//
// Package host calls it. A [Pool] holds the processes of one host; each has a goroutine until it has ended and its sessions
// know. What an agent asks goes to the client that the host gives it, what it says of a session to that [Session].
package agents

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// Session is a session that an agent serves.
type Session interface {
	// Update applies an update. It is called on the read goroutine, and must not block.
	Update(acp.SessionUpdate)
	// UpdateChild applies an update of a child of the session, which an update has announced. It is called as Update is.
	UpdateChild(child string, u acp.SessionUpdate)
	// Misplaced shows why what the agent has sent is not applied. It is called as Update is.
	Misplaced(why string)
	// Lost says that the process has ended, or with no error that the user ends it.
	Lost(a *Agent, err error)
	// Return says that a session that was lost can go on, and why. It must not block.
	Return(why string)
	// Serves reports whether the session is open and that agent's.
	Serves(a *Agent) bool
	// Idle reports whether nothing of the session runs, and nothing has happened since then; where it is not resumable, also
	// that nothing was said in it.
	Idle(a *Agent, since time.Time, resumable bool) bool
	// Detach lets go of the agent if the session is idle, and returns the agent's id of it.
	Detach(a *Agent, since time.Time) (remote string, ok bool)
}

// Watcher is told of the process groups that run.
type Watcher interface {
	Add(pgid int)
	Remove(pgid int)
}

// Host is what a pool needs of its owner.
type Host interface {
	Client(a *Agent) acp.Client                                        // that handles what an agent asks
	Extension(a *Agent, method string, params acp.Raw) acp.Answer[any] // a request that is not in the protocol
	Notice(a *Agent, method string, params acp.Raw)                    // a notification that is not
	Watch() Watcher
	Sessions() []Session // all, also those that are still being opened
	Say(level, text string)
	Tools() (program, folder string) // of the editor's tools: the program that serves them, and the folder of their socket
}

// Config is what all processes of a pool have in common.
type Config struct {
	Version string // of this program
	Run     string // marks the processes
}

// Logging is how messages are kept and written.
type Logging struct {
	Messages int    // kept in memory, of each agent
	Debug    bool   // what goes to and from agents is written to a file, too …
	Path     string // … this one
}

// maxRecent is how many earlier agents' logs are kept.
const maxRecent = 8

// Pool is the agent processes of one host. It is safe for concurrent use.
type Pool struct {
	host   Host
	config Config
	done   <-chan struct{} // closed when the host closes

	mu      sync.Mutex // guards all below
	logging Logging
	agents  map[string]*Agent // by key, until they have ended
	recent  []*Agent          // also those that have ended, for their logs
}

// NewPool returns a pool without processes.
func NewPool(h Host, c Config, done <-chan struct{}) *Pool {
	return &Pool{host: h, config: c, done: done, agents: map[string]*Agent{}}
}

// SetLogging sets how messages of agents that are started later are kept.
func (p *Pool) SetLogging(l Logging) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logging = l
}

// Get returns the process for a spec, started in a folder if there is none. It does not wait. Where each session has a process, it may
// get one that was started for none.
func (p *Pool) Get(spec Spec, cwd string) *Agent {
	if spec.Cwd != "" {
		cwd = spec.Cwd
	}

	key, place := spec.Key(cwd), spec.place(cwd)
	p.mu.Lock()
	defer p.mu.Unlock()

	if a := p.agents[place]; a != nil && a.take() {
		return a
	}
	if a := p.agents[key]; a != nil && a.take() { // warm, or asked for its sessions
		delete(p.agents, key)
		p.agents[place] = a
		return a
	}

	a := &Agent{
		Spec: spec, Key: key, Log: acp.NewLog(p.logging.Messages), Began: time.Now(), Ready: make(chan struct{}), Over: make(chan struct{}),
		pool: p, sessions: map[string]Session{}, early: early{updates: map[string][]acp.SessionUpdate{}},
		closing:  map[string]chan struct{}{},
		children: map[string]child{}, known: map[string]bool{},
		used: time.Now(),
	}
	for _, v := range spec.Env {
		a.Log.Mask(v)
	}

	a.starting, a.giveUp = context.WithCancel(context.Background())
	p.agents[place] = a
	p.recent = append(p.recent[max(len(p.recent)-maxRecent, 0):], a)
	logging := p.logging
	caught.Go(func() { a.run(cwd, logging) }) // until the process has ended and its sessions know
	return a
}

// Find returns the process for a spec in a folder, nil if there is none.
func (p *Pool) Find(spec Spec, cwd string) *Agent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.agents[spec.place(cwd)]
}

// drop forgets an agent that has ended.
func (p *Pool) drop(a *Agent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.agents, func(_ string, o *Agent) bool { return o == a })
}

// All returns the agents that have not been forgotten.
func (p *Pool) All() []*Agent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Values(p.agents))
}

// Running returns the agents whose processes have not ended.
func (p *Pool) Running() []*Agent {
	return slices.DeleteFunc(p.All(), (*Agent).Gone)
}

// Recent returns the agents whose logs are kept, the latest last.
func (p *Pool) Recent() []*Agent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.recent)
}
