package session

import (
	"errors"
	"fmt"

	"github.com/nvim-acp/nvim-acp/host/edit"
)

// Check returns what is impossible of the session as it is, nil if nothing is. It holds after each step.
func (s *State) Check() error {
	return errors.Join(s.link.check(), s.checkTurn(), s.checkPending(), s.checkLogs())
}

func (l *Link) check() error {
	switch at := l.at.(type) {
	case detached:
		if at.shown != Starting && at.shown != Login && at.shown != Disconnected {
			return fmt.Errorf("a session without an agent is shown as %s", at.shown)
		}
	case starting:
		if at.agent == nil {
			return errors.New("a session is started without an agent")
		}
	case ready:
		if at.agent == nil {
			return errors.New("a session is ready without an agent")
		}
	case closed:
	default:
		return fmt.Errorf("a link is %T", at)
	}

	return nil
}

func (s *State) checkTurn() error {
	t := s.turn
	switch {
	case s.Closed():
		return nil // its turn ends with its agent
	case t == nil && s.at.edit.Snapshot().Phase == edit.Working:
		return errors.New("an edit goes on without a turn")
	case t == nil:
		return nil
	case t.Connection != s.link.agent():
		return errors.New("a turn runs with an agent that does not serve the session")
	case !s.link.takesPrompts():
		return fmt.Errorf("a turn runs in a session that is %s", s.link.idlePhase())
	case t.sent != (t.briefed != nil):
		return fmt.Errorf("a turn was sent: %v; has told the agent something: %v", t.sent, t.briefed != nil)
	case t.Prompt.Edit == nil && s.at.edit.Snapshot().Phase == edit.Working:
		return errors.New("an edit goes on in the turn of another prompt")
	}

	return nil
}

func (s *State) checkPending() error {
	switch {
	case s.link.takesOptions() && (s.options.pending != nil || s.options.saved != nil):
		return errors.New("options are kept for an agent that is there")
	case s.requests.Stale(s.turn):
		return errors.New("a request is pending of a turn that is over")
	case s.Closed() && s.requests.Len() > 0:
		return errors.New("a closed session has requests pending")
	case s.Closed() && len(s.queue.list) > 0:
		return errors.New("a closed session has prompts waiting")
	}

	seen := map[string]bool{}
	for _, p := range s.queue.list {
		if p.ID != "" && seen[p.ID] {
			return fmt.Errorf("prompt %s waits twice", p.ID)
		}
		seen[p.ID] = true
	}

	return nil
}

func (s *State) checkLogs() error {
	_, starts := s.link.at.(starting)
	switch {
	case s.log == nil:
		return errors.New("nothing is shown of the session")
	case s.replay.log != nil && !starts && !s.replay.ending:
		return errors.New("a replay goes on in a session that is not being started")
	case s.replay.ending && s.replay.lateLog == nil:
		return errors.New("a late replay goes on without a transcript")
	case s.replay.before != nil && s.replay.log == nil:
		return errors.New("what was shown before a replay is kept without one")
	}
	return nil
}
