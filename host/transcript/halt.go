package transcript

import (
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
)

// setStatus applies the status of an update to a call.
func (t *Transcript) setStatus(it *item, u *acp.ToolCallUpdate) {
	c := it.call
	prints := u.Meta["terminal_output"] != nil || u.Meta["terminal_output_delta"] != nil
	if u.Status != "" {
		c.reported = string(u.Status)
		c.Status = c.reported
		if u.Status == acp.ToolCallInProgress {
			c.exit, it.apart = rawExit(u.RawOutput), it.apart || !t.belongs(it)
		}
	} else if prints && (c.Status == cancelled || c.Status == untold) { // its agent does not know of the stop
		c.Status, it.apart = string(acp.ToolCallInProgress), !t.belongs(it)
	}

	t.settle(it)
	if c.finished() {
		t.finish(it)
	} else {
		it.ended = time.Time{}
	}
}

// belongs reports whether a call is of the running turn, or of a replay.
func (t *Transcript) belongs(it *item) bool {
	if r := it.run(); r != nil && !r.call.finished() {
		return true
	}
	return t.loading || t.running.turn && it.turn == t.running.turns
}

// settle decides the status of a call whose turn was stopped or is over, once its command has ended. A command that the stop ended is
// cancelled, whatever status its agent reports; one that ended by itself keeps its own, also if its agent reports none.
func (t *Transcript) settle(it *item) {
	c := it.call
	if !it.halted && !it.apart || t.runs(c) || c.command == "" && c.Kind != acp.ToolKindExecute && len(c.terminals()) == 0 {
		return
	}

	over := c.reported == string(acp.ToolCallCompleted) || c.reported == string(acp.ToolCallFailed)
	exit := t.exit(c)
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
		t.finish(it)
	}
}

// runs reports whether one of our terminals runs a command for a call.
func (t *Transcript) runs(c *Call) bool {
	for _, id := range c.terminals() {
		if cmd, ok := t.opts.Terminal(id); ok && cmd.Running && !cmd.Display {
			return true
		}
	}
	return false
}

// CancelCalls shows the unfinished calls as cancelled, since the user stops the turn. A call that runs on is shown as running
// until its own end.
func (t *Transcript) CancelCalls() { t.endCalls(true) }

// FailCalls shows the unfinished calls as failed, since their agent has ended, with those of which it has said what nobody knows, and ends the turn.
func (t *Transcript) FailCalls() {
	for it := range t.live {
		it.halted = false
		t.endCall(it, string(acp.ToolCallFailed))
	}
	t.running.turn, t.echo, t.running.plan = false, "", nil
}

// endCalls ends the unfinished calls of the turn.
func (t *Transcript) endCalls(halted bool) {
	for it := range t.live {
		if !it.apart && !it.endsWithRun() {
			t.leave(it, halted)
		}
	}
}

// leave ends a call with its turn or run, unless its command runs on; halted says that those were stopped.
func (t *Transcript) leave(it *item, halted bool) {
	c := it.call
	if c.finished() { // its status is one that we do not know: that is its last
		delete(t.live, it)
		return
	}

	it.halted = it.halted || halted
	switch exit := t.exit(c); {
	case t.runs(c):
		it.apart = true
	case exit.known && !exit.killed:
		t.endCall(it, string(acp.ToolCallCompleted))
	case it.halted:
		t.endCall(it, cancelled)
	default:
		t.endCall(it, untold)
	}
}

func (t *Transcript) endCall(it *item, status string) {
	it.call.Status = status
	t.finish(it)
	t.touchItem(it)
}

// Apart returns the number of calls that run outside of the running turn.
func (t *Transcript) Apart() int {
	n := 0
	for it := range t.live {
		if r := it.run(); it.call.Status != string(acp.ToolCallInProgress) || r != nil && !r.call.finished() {
			continue // it is counted with its run
		}
		if it.apart && it.call.Kind != runKind {
			n++
		}
	}
	return n
}
