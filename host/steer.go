package host

import (
	"slices"

	"github.com/nvim-acp/nvim-acp/acp"
)

// steers reports whether the agent takes words for a turn that runs.
func (a *agent) steers() bool {
	select {
	case <-a.ready:
		return a.info != nil && a.info.Steers()
	default:
		return false
	}
}

// steer sends a waiting prompt into the turn that runs. If there is none any more, or the agent does not take it, it is the
// first of the queue again.
func (s *Session) steer(p prompt) {
	s.mu.Lock()
	a, remote, t := s.agent, s.remote, s.turn
	can := a != nil && t != nil && t.sent && !t.cancelled && a.steers()
	s.mu.Unlock()
	if !can {
		s.unsteered(p, t, nil)
		return
	}
	go s.sendSteer(a, remote, t, p) // ends when the words are on their way
}

func (s *Session) sendSteer(a *agent, remote string, t *turn, p prompt) {
	blocks, notes, err := s.content(t.making, p, a.info.AgentCapabilities.PromptCapabilities)
	if err != nil {
		s.unsteered(p, t, err)
		return
	}
	s.wire.Lock()
	defer s.wire.Unlock()
	a.proc.StartSteer(&acp.SteerRequest{SessionID: remote, Prompt: blocks}, func(r *acp.SteerResponse, err error) {
		if err != nil || r.Outcome == acp.SteerPromptRequired {
			s.unsteered(p, t, err)
			return
		}
		s.change(func() {
			s.log.Steer(p.text, names(p.context))
			s.sayAll(notes)
		})
	})
}

// unsteered puts a prompt back to the front of the queue, where it waits for the user if an error kept it from the agent, or
// if the user has stopped the turn meanwhile.
func (s *Session) unsteered(p prompt, t *turn, err error) {
	s.change(func() {
		p.held = err != nil || t != nil && t.cancelled
		s.queue = slices.Insert(s.queue, 0, p)
		s.status = true
		if err != nil {
			s.log.Say("not sent into the turn: "+err.Error(), "AcpWarning")
		}
	})
	s.next()
}
