package reviewing

import (
	"time"

	"github.com/nvim-acp/nvim-acp/host/feature"
)

// TakeNotes takes what the agent of a session is to be told of reverts: text for the agent, and for the transcript. It returns no text
// if there is nothing to tell.
func (r *Review) TakeNotes(s feature.Session) (text, shown string) {
	return describe(s, r.ledger.Notes(s.LocalID()))
}

// Untold returns what the agent of another session, open or not, is still to be told of reverts, in words for the agent of this one and for
// its transcript. It waits for the disk.
func (r *Review) Untold(s feature.Session, other string) (text, shown string) {
	notes, open := r.ledger.Untold(other)
	if !open {
		if changes, err := r.disk.read(other); err == nil && changes != nil { // else the session itself says so once it is opened
			notes = changes.Untold()
		}
	}
	return describe(s, notes)
}

// RevertedSince returns what was reverted of the changes of another session, in words for the agent of this one and for its transcript: of
// those that it has made before cut, what its agent was not told by the time told.
func (r *Review) RevertedSince(s feature.Session, other string, told, cut time.Time) (text, shown string) {
	return describe(s, r.ledger.RevertsSince(other, told, cut))
}

// tell tells the agents whose turns run, and that take it, what was reverted. Others hear of it with the next prompt.
func (r *Review) tell() {
	for _, s := range r.host.Sessions() {
		r.hooks.Steer(s, func() (text, shown string) { return r.TakeNotes(s) })
	}
}
