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
	} else if prints && c.Status == cancelled { // its agent does not know of the stop
		c.Status, it.apart = string(acp.ToolCallInProgress), !t.belongs(it)
	}
	if it.halted {
		t.settle(it)
	}
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
	return t.loading || t.turn && it.turn == t.turns
}

// settle decides the status of a call whose turn was stopped. A command that the stop ended is cancelled, whatever status its
// agent reports; one that ended by itself keeps its own.
func (t *Transcript) settle(it *item) {
	c := it.call
	if !it.halted || t.runs(c) || c.command == "" && c.Kind != acp.ToolKindExecute && len(c.terminals()) == 0 {
		return
	}
	over := c.reported == string(acp.ToolCallCompleted) || c.reported == string(acp.ToolCallFailed)
	exit := t.exit(c)
	switch {
	case exit.known && !exit.killed && over:
		c.Status = c.reported
	case exit.known && !exit.killed:
		c.Status = string(acp.ToolCallCompleted)
	case over || exit.known:
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
func (t *Transcript) CancelCalls() { t.endCalls(cancelled, true) }

// FailCalls shows the unfinished calls as failed, since their agent has ended.
func (t *Transcript) FailCalls() {
	for it := range t.live {
		it.halted = false
		t.endCall(it, string(acp.ToolCallFailed))
	}
}

func (t *Transcript) endCalls(status string, halted bool) {
	for it := range t.live {
		if it.apart || it.endsWithRun() {
			continue
		}
		it.halted = it.halted || halted
		if t.runs(it.call) {
			it.apart = true
			continue
		}
		t.endCall(it, status)
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
