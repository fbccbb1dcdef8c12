package agents

import (
	"context"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// CloseSession tells the agent that a session is over, where it wants to know. It waits for the answer.
func (a *Agent) CloseSession(id string) { a.CloseWithin(context.Background(), id) }

func (a *Agent) CloseWithin(ctx context.Context, id string) {
	if a.Can().SessionCapabilities.Close != nil {
		_, _ = a.Proc.CloseSession(ctx, &acp.CloseSessionRequest{SessionID: id}) // it is over anyway
	}
}

// AwaitClose waits until the agent knows that a session is over, but not for long.
func (a *Agent) AwaitClose(id string) {
	a.mu.Lock()
	done := a.closing[id]
	a.mu.Unlock()
	if done == nil {
		return
	}
	select {
	case <-done:
	case <-time.After(5 * time.Second):
	}
}

// Close tells the agent that a session is over, once told is closed. The channel that it returns is closed when the agent has
// answered, or nobody is to be told.
func (a *Agent) Close(remote string, s Session, told <-chan struct{}) <-chan struct{} {
	done := make(chan struct{})
	a.mu.Lock()
	a.closing[remote] = done
	a.mu.Unlock()

	caught.Go(func() { // ends when the agent answers or ends, and if it was its only session's a moment later
		<-told
		a.Forget(remote, s)
		a.CloseSession(remote)
		a.mu.Lock()
		if a.closing[remote] == done {
			delete(a.closing, remote)
		}
		a.mu.Unlock()
		close(done)
		if a.Spec.Quirk("process_per_session") {
			a.restSoon()
		}
	})
	return done
}

// Expect has updates of a session go to it whose id is known before the answer to the request that opens it.
func (a *Agent) Expect(remote string, s Session) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sessions[remote] = s
	a.known[remote] = true
}

// Steers reports whether the agent takes words for a turn that runs.
func (a *Agent) Steers() bool {
	select {
	case <-a.Ready:
		return a.Info != nil && a.Info.Steers()
	default:
		return false
	}
}
