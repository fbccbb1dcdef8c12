package transcript

import (
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
)

// setStatus applies the status of an update to a call.
func (s *Calls) setStatus(it *item, u *acp.ToolCallUpdate) {
	c := it.call
	prints := u.Meta["terminal_output"] != nil || u.Meta["terminal_output_delta"] != nil
	if u.Status != "" {
		c.reported = string(u.Status)
		c.Status = c.reported
		if u.Status == acp.ToolCallInProgress {
			c.exit, it.apart = rawExit(u.RawOutput), it.apart || !s.belongs(it)
		}
	} else if prints && (c.Status == cancelled || c.Status == untold) { // its agent does not know of the stop
		c.Status, it.apart = string(acp.ToolCallInProgress), !s.belongs(it)
	}

	s.settle(it)
	if c.finished() {
		s.finish(it)
	} else {
		it.ended = time.Time{}
	}
}

// belongs reports whether a call is of the running turn, or of a replay.
func (s *Calls) belongs(it *item) bool {
	if r := it.run(); r != nil && !r.call.finished() {
		return true
	}
	return s.blocks.loading || s.running.turn && it.turn == s.running.turns
}

// settle decides the status of a call whose turn was stopped or is over, once its command has ended. A command that the stop ended is
// cancelled, whatever status its agent reports; one that ended by itself keeps its own, also if its agent reports none.
func (s *Calls) settle(it *item) {
	c := it.call
	if !it.halted && !it.apart || s.opts.runs(c) || c.command == "" && c.Kind != acp.ToolKindExecute && len(c.terminals()) == 0 {
		return
	}

	over := c.reported == string(acp.ToolCallCompleted) || c.reported == string(acp.ToolCallFailed)
	exit := s.opts.exit(c)
	switch {
	case it.halted && !c.exit.known && c.reported == string(acp.ToolCallFailed): // whatever a display terminal says
		c.Status = cancelled
	case exit.known && !exit.killed && over:
		c.Status = c.reported
	case exit.known && !exit.killed:
		c.Status = string(acp.ToolCallCompleted)
	case over && it.halted, exit.known && !over:
		c.Status = cancelled
	}

	if c.finished() {
		s.finish(it)
	}
}

// CancelCalls shows the unfinished calls as cancelled, since the user stops the turn. A call that runs on is shown as running
// until its own end.
func (s *Calls) CancelCalls() { s.endCalls(true) }

// endCalls ends the unfinished calls of the turn.
func (s *Calls) endCalls(halted bool) {
	for it := range s.live {
		if !it.apart && !it.endsWithRun() {
			s.leave(it, halted)
		}
	}
}

// leave ends a call with its turn or run, unless its command runs on; halted says that those were stopped.
func (s *Calls) leave(it *item, halted bool) {
	c := it.call
	if c.finished() { // its status is one that we do not know: that is its last
		delete(s.live, it)
		return
	}

	it.halted = it.halted || halted
	switch exit := s.opts.exit(c); {
	case s.opts.runs(c):
		it.apart = true
	case exit.known && !exit.killed:
		s.endCall(it, string(acp.ToolCallCompleted))
	case it.halted:
		s.endCall(it, cancelled)
	default:
		s.endCall(it, untold)
	}
}

func (s *Calls) endCall(it *item, status string) {
	it.call.Status = status
	s.finish(it)
	s.touchItem(it)
}

// Apart returns the number of calls that run outside of the running turn.
func (s *Calls) Apart() int {
	n := 0
	for it := range s.live {
		if r := it.run(); it.call.Status != string(acp.ToolCallInProgress) || r != nil && !r.call.finished() {
			continue // it is counted with its run
		}
		if it.apart && it.call.Kind != runKind {
			n++
		}
	}
	return n
}
