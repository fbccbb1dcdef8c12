package host

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/host/session"
)

// rester ends agents that nobody has used for a while, if the user wants that. It is the goroutine of that, until the host
// closes.
func (h *Host) rester(idle time.Duration) {
	clock := time.NewTicker(max(min(idle/4, 30*time.Second), 10*time.Millisecond))
	defer clock.Stop()
	for {
		select {
		case <-clock.C:
		case <-h.done:
			return
		}
		for _, a := range h.running() {
			a.rest(time.Now().Add(-idle))
		}
	}
}

// rest ends the agent if none of its sessions was used since then and each can be gone on with. It waits for the agent.
func (a *agent) rest(since time.Time) {
	select {
	case <-a.ready:
	default:
		return
	}
	a.mu.Lock()
	sessions := slices.Collect(maps.Values(a.sessions))
	used := a.opening > 0 || a.used.After(since)
	a.mu.Unlock()
	if used || !a.lets(sessions, since) {
		return
	}
	var remotes []string
	for _, s := range sessions {
		remote, ok := s.rest(a, since)
		if !ok {
			return // it is used again; those at rest are gone on with when they are
		}
		remotes = append(remotes, remote)
	}
	if !a.retire(since) {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), listTimeout)
	defer stop()
	for i, remote := range remotes {
		a.forget(remote, sessions[i])
		a.closeWithin(ctx, remote)
	}
	a.stop()
}

// retire makes it sure that nobody begins to use the agent, which somebody may have since it was looked at.
func (a *agent) retire(since time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.opening > 0 || a.used.After(since) {
		return false
	}
	a.stopped.Store(true)
	return true
}

// lets reports that the sessions can rest: nothing of them runs, and the agent can go on with those that have begun.
func (a *agent) lets(sessions []*Session, since time.Time) bool {
	has := a.can()
	goesOn := has.LoadSession || has.SessionCapabilities.Resume != nil
	for _, s := range sessions {
		idle := ask(s, func(st *session.State) bool { return st.IdleSince(a, since, goesOn) })
		if !idle || a.host.terms.Running(s) {
			return false
		}
	}
	return true
}

// rest lets go of an agent that is to end; the next prompt starts it again. Nothing is said but the state.
func (s *Session) rest(a *agent, since time.Time) (remote string, ok bool) {
	s.do(func(st *session.State) { remote, ok = st.Detach(a, since) })
	return remote, ok
}
