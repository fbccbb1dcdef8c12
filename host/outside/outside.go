// Package outside warns of what turns in sandboxes have made or changed that programs outside of these run.
//
// What that is finds host/elsewhere. Package host says when a turn ends, and stops the searches as it ends.
package outside

import (
	"context"
	"sync"

	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// Searches are those that run. They are safe for concurrent use.
type Searches struct {
	ctx  context.Context // ends with Stop
	stop context.CancelFunc
	busy caught.Group

	mu    sync.Mutex // guards ended
	ended bool       // no search begins any more
}

// New returns searches of which none runs.
func New() *Searches {
	s := new(Searches)
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

// run runs a search in a goroutine, which ends with it, or soon after Stop.
func (s *Searches) run(search func(context.Context)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.busy.Go(func() { search(s.ctx) })
	}
}

// Stop ends all searches and waits for them. None begins after it.
func (s *Searches) Stop() {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.stop()
	s.busy.Wait()
}

// Warn says in a session's transcript which Git repositories its agent has made in a sandbox, and what it has changed that programs
// outside run, once after is closed; at once if it is nil. It does not wait.
func (s *Searches) Warn(of feature.Session, a *agents.Agent, after <-chan struct{}) {
	place := a.Place()
	if !place.Sandbox() {
		return
	}

	s.run(func(ctx context.Context) {
		if after != nil {
			select {
			case <-after:
			case <-ctx.Done():
				return
			}
		}
		for _, text := range place.Changed(ctx) {
			of.Do(func(st *session.State) { st.Screen().Say(text, "AcpWarning") })
		}
	})
}
