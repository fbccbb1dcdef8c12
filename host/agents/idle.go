package agents

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// closeTimeout is how long an agent may take to close its sessions before it is ended.
const closeTimeout = 10 * time.Second

// EndIdle ends agents that nobody has used for a while, if the user wants that. It is the goroutine of that, until the host
// closes.
func (p *Pool) EndIdle(idle time.Duration) {
	clock := time.NewTicker(max(min(idle/4, 30*time.Second), 10*time.Millisecond))
	defer clock.Stop()
	for {
		select {
		case <-clock.C:
		case <-p.done:
			return
		}
		for _, a := range p.Running() {
			a.rest(time.Now().Add(-idle))
		}
	}
}

// Rest ends the agents of a name that nobody uses, now or a moment later: a session may be closing. It does not wait.
func (p *Pool) Rest(name string) {
	for _, a := range p.Running() {
		if a.Spec.Name != name {
			continue
		}
		caught.Go(a.restSoon) // ends with the agent, or behind restPatience
	}
}

func (a *Agent) restSoon() {
	for end := time.Now().Add(restPatience); !a.Gone() && time.Now().Before(end); time.Sleep(restPatience / 20) {
		a.rest(time.Now())
	}
}

// restPatience is how long an agent is looked at that is to end once nobody uses it.
const restPatience = time.Second

// rest ends the agent if none of its sessions was used since then and each can be gone on with. It waits for the agent.
func (a *Agent) rest(since time.Time) {
	select {
	case <-a.Ready:
	default:
		return
	}

	a.mu.Lock()
	sessions := slices.Collect(maps.Values(a.sessions))
	used := a.opening > 0 || a.used.After(since)
	a.mu.Unlock()

	if used || !a.resting(sessions, since) {
		return
	}

	var remotes []string
	for _, s := range sessions {
		remote, ok := s.Detach(a, since)
		if !ok {
			return // it is used again; sessions that were detached reconnect on next use
		}
		remotes = append(remotes, remote)
	}

	if !a.retire(since) {
		return
	}

	ctx, stop := context.WithTimeout(context.Background(), closeTimeout)
	defer stop()
	for i, remote := range remotes {
		a.Forget(remote, sessions[i])
		a.CloseWithin(ctx, remote)
	}

	a.Stop()
}

// retire makes it sure that nobody begins to use the agent, which somebody may have since it was looked at.
func (a *Agent) retire(since time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.opening > 0 || a.used.After(since) {
		return false
	}
	a.stopped.Store(true)
	return true
}

// resting reports that the sessions can rest: nothing of them runs, and the agent can go on with those that have begun.
func (a *Agent) resting(sessions []Session, since time.Time) bool {
	has := a.Can()
	goesOn := has.LoadSession || has.SessionCapabilities.Resume != nil
	for _, s := range sessions {
		if !s.Idle(a, since, goesOn) {
			return false
		}
	}
	return true
}
