package transcript

import (
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
)

// setStatus takes what an update says of how it is with a call.
func (t *Transcript) setStatus(it *item, u *acp.ToolCallUpdate) {
	c := it.call
	prints := u.Meta["terminal_output"] != nil || u.Meta["terminal_output_delta"] != nil
	if u.Status != "" {
		c.said = string(u.Status)
		c.Status = c.said
		if u.Status == acp.ToolCallInProgress {
			c.exit, it.apart = rawExit(u.RawOutput), it.apart || !t.belongs(it)
		}
	} else if prints && c.Status == cancelled { // it does not know of the stop
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

// belongs reports whether a call is of the turn that runs, or of a replay.
func (t *Transcript) belongs(it *item) bool { return t.loading || t.turn && it.turn == t.turns }

// settle decides how it is with a call whose turn was stopped. A command that was ended by that is cancelled, whatever its agent
// calls it; one that came to its own end has that.
func (t *Transcript) settle(it *item) {
	c := it.call
	if !it.halted || t.runs(c) || c.command == "" && c.Kind != acp.ToolKindExecute && len(c.terminals()) == 0 {
		return
	}
	over := c.said == string(acp.ToolCallCompleted) || c.said == string(acp.ToolCallFailed)
	exit := t.exit(c)
	switch {
	case exit.known && !exit.killed && over:
		c.Status = c.said
	case exit.known && !exit.killed:
		c.Status = string(acp.ToolCallCompleted)
	case over || exit.known:
		c.Status = cancelled
	}
	if c.finished() {
		t.finish(it)
	}
}

// runs reports whether a command of ours runs for a call.
func (t *Transcript) runs(c *Call) bool {
	for _, id := range c.terminals() {
		if cmd, ok := t.opts.Terminal(id); ok && cmd.Running && !cmd.Display {
			return true
		}
	}
	return false
}

// CancelCalls shows the calls that are not finished as cancelled, since the user stops the turn. What runs on is shown as running
// until its own end.
func (t *Transcript) CancelCalls() { t.endCalls(cancelled, true) }

// FailCalls shows the calls that are not finished as failed: their agent is gone.
func (t *Transcript) FailCalls() {
	for it := range t.live {
		it.halted = false
		t.endCall(it, string(acp.ToolCallFailed))
	}
}

func (t *Transcript) endCalls(status string, halted bool) {
	for it := range t.live {
		if it.apart {
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

// Apart is how many calls run outside of the turn that runs, or of any.
func (t *Transcript) Apart() int {
	n := 0
	for it := range t.live {
		if it.apart && it.call.Status == string(acp.ToolCallInProgress) {
			n++
		}
	}
	return n
}
