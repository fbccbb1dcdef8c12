package session

import "github.com/nvim-acp/nvim-acp/host/permission"

// Gate keeps the next turn from beginning until the user has decided on what the last one has changed.
type Gate struct {
	ticket *permission.Ticket // of the question; nil until it is known that there is something to decide
}

// CloseGate keeps further turns from beginning. Whoever calls it calls [State.OpenGate].
func (s *State) CloseGate() *Gate {
	s.queue.gate = &Gate{}
	return s.queue.gate
}

// AskAtGate asks the user to decide, and returns nil if the gate is open by now.
func (s *State) AskAtGate(g *Gate, n permission.New) *permission.Ticket {
	if g == nil || s.queue.gate != g {
		return nil
	}
	if len(s.queue.list) > 0 {
		s.sayGated()
	}
	g.ticket = s.Ask(n)
	return g.ticket
}

// OpenGate lets further turns begin, and takes the question back if it is not answered. A gate that is open already stays so; nil
// is any.
func (s *State) OpenGate(g *Gate) {
	if s.queue.gate == nil || g != nil && s.queue.gate != g {
		return
	}
	if t := s.queue.gate.ticket; t != nil {
		s.requests.WithdrawOne(t.ID, s.log)
	}
	s.queue.gate = nil
	s.Next()
}

// sayGated says why a prompt waits.
func (s *State) sayGated() {
	s.log.Mark("the next prompt waits until you have decided on the changes: :AcpPermit, :AcpReview turn; :AcpStop leaves them", "AcpNotice")
}
