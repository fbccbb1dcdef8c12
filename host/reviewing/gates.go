package reviewing

import (
	"maps"
	"slices"
	"sync"

	"github.com/nvim-acp/nvim-acp/host/review"
)

// gates are those that wait for the decisions on sessions' last turns. The zero value with a ledger is ready for use. Safe for concurrent
// use; nothing waits.
type gates struct {
	ledger *review.Desk

	mu    sync.Mutex        // guards waits
	waits map[string]func() // by session, to be called when it is decided
}

// watch has a function called when nothing of a session's last turn waits for a decision any more.
func (g *gates) watch(session string, decided func()) (stop func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waits == nil {
		g.waits = map[string]func(){}
	}
	g.waits[session] = decided

	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.waits, session)
	}
}

// look calls those who wait for decisions that are made.
func (g *gates) look() {
	g.mu.Lock()
	waits := maps.Clone(g.waits)
	g.mu.Unlock()

	for session, decided := range waits {
		if len(g.lastTurn(session)) == 0 {
			decided()
		}
	}
}

// lastTurn returns the files with changes of a session's last turn that wait for a decision.
func (g *gates) lastTurn(session string) []review.Entry {
	return slices.DeleteFunc(g.ledger.List(session), func(e review.Entry) bool { return e.Last.Hunks == 0 })
}
