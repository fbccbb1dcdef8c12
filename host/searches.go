package host

import (
	"context"
	"sync"

	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// searches look for what turns have made in sandboxes that programs outside run. They end with the host. It is safe for concurrent
// use.
type searches struct {
	ctx   context.Context // ends with the host
	leave context.CancelFunc
	busy  sync.WaitGroup

	mu    sync.Mutex // guards ended
	ended bool       // no search begins any more
}

func newSearches() *searches {
	s := new(searches)
	s.ctx, s.leave = context.WithCancel(context.Background())
	return s
}

// run runs a search in a goroutine, which ends with it, or soon after the host begins to close.
func (s *searches) run(search func(context.Context)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.busy.Go(func() { search(s.ctx) })
	}
}

// stop ends all searches, and waits for them.
func (s *searches) stop() {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.leave()
	s.busy.Wait()
}

// mentionRuns says which Git repositories a turn has made in a sandbox, and what it has changed that programs outside run, when after
// is closed; at once if it is nil. It does not wait.
func (s *Session) mentionRuns(a *agents.Agent, after <-chan struct{}) {
	place := a.Place()
	if !place.Sandbox() {
		return
	}
	s.host.searches.run(func(ctx context.Context) {
		if after != nil {
			select {
			case <-after:
			case <-ctx.Done():
				return
			}
		}
		for _, text := range place.Changed(ctx) {
			s.do(func(st *session.State) { st.Say(text, "AcpWarning") })
		}
	})
}
