package transcript

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Prompt shows a prompt and begins a turn. It returns the id of the prompt in the record.
func (t *Transcript) Prompt(text string, mentions []string) (key string) {
	t.words(text, mentions)
	t.running.turn, t.running.plan, t.running.prompt = true, nil, t.blocks.last()
	t.running.turns++
	return t.running.prompt.key()
}

// Steer shows a prompt that is sent into the running turn.
func (t *Transcript) Steer(text string, mentions []string) {
	t.words(text, mentions)
	t.blocks.last().steer = true
}

func (t *Transcript) words(text string, mentions []string) {
	t.blocks.endText()
	b := t.blocks.add(User)
	text = strings.TrimRight(text, "\n")
	b.text.append(text)
	b.words = len(text)
	if len(mentions) > 0 {
		b.text.append("\n@" + strings.Join(mentions, "  @"))
	}
	b.closed = true
	t.echo = text
}

// EndTurn ends a turn with the agent's stop reason, shown where it is not the ordinary one. spent is what it has taken,
// money and tokens, in words for the user; "" is nothing known.
func (t *Transcript) EndTurn(reason acp.StopReason, spent ...string) {
	t.finishTurn(reason == acp.StopCancelled)
	switch reason {
	case acp.StopEndTurn:
		if t.answered() {
			t.sumUp(spent)
			return
		}
		t.Say("no answer", "AcpDone")
	case acp.StopCancelled:
		t.Say("stopped", "AcpDone")
	case acp.StopMaxTokens:
		t.Say("stopped: the limit of tokens was reached", "AcpWarning")
	case acp.StopMaxTurnRequests:
		t.Say("stopped: the limit of requests of one turn was reached", "AcpWarning")
	case acp.StopRefusal:
		t.Say("refused: the agent does not continue; this prompt and its answer are not in its context", "AcpWarning")
	default:
		t.Say("stopped: "+plain.Brief(string(reason)), "AcpWarning")
	}
	t.ExpectChanges()
}

// PauseTurn ends a turn whose prompt is sent again, without a notice.
func (t *Transcript) PauseTurn() { t.finishTurn(false) }

// FailTurn ends a turn that failed.
func (t *Transcript) FailTurn(err error) {
	t.finishTurn(false)
	t.Fault(err.Error())
	t.ExpectChanges()
}

func (t *Transcript) finishTurn(stopped bool) {
	t.calls.endCalls(stopped)
	t.blocks.endText()
	t.running.turn, t.echo, t.running.plan = false, "", nil
}

// FailCalls shows the unfinished calls as failed, since their agent has ended, with those of which it has said what nobody knows. It
// ends the turn.
func (t *Transcript) FailCalls() {
	for it := range t.calls.live {
		it.halted = false
		t.calls.endCall(it, string(acp.ToolCallFailed))
	}
	t.running.turn, t.echo, t.running.plan = false, "", nil
}

// answered reports whether something of the agent follows the running turn's prompt.
func (t *Transcript) answered() bool {
	for _, b := range slices.Backward(t.blocks.list) {
		if b.Kind != Message {
			return b != t.running.prompt
		}
	}
	return true
}

// Pinned returns the steps of the running turn's plan, nil if there is none or it is complete.
func (t *Transcript) Pinned() []PlanEntry {
	if t.running.plan == nil {
		return nil
	}
	for _, e := range t.running.plan.plan {
		if e.Status != string(acp.PlanCompleted) {
			return t.running.plan.plan
		}
	}
	return nil
}

// Say shows a notice.
func (t *Transcript) Say(text, group string) {
	b := t.blocks.add(Notice)
	b.text.append(text)
	b.tone = group
	b.closed = true
}

// Filled shows what the user has answered to a form, in parts.
func (t *Transcript) Filled(parts []string) {
	if len(parts) > 0 {
		t.Say("Answered: "+strings.Join(parts, t.opts.Icons.Between()), "AcpDone")
	}
}

// Mark shows a notice that is not recorded.
func (t *Transcript) Mark(text, group string) {
	t.Say(text, group)
	b := t.blocks.last()
	b.unrecorded, b.restored = false, true
	t.unrecorded.blocks = slices.DeleteFunc(t.unrecorded.blocks, func(k *Block) bool { return k == b })
}

// Fault shows an error, its first line with the rest folded, unless it is what the last block says.
func (t *Transcript) Fault(text string) {
	text = strings.TrimSpace(text)
	if b := t.blocks.last(); b != nil && b.Kind == Fault && b.text.String() == text {
		return
	}
	b := t.blocks.add(Fault)
	b.text.append(text)
	b.closed = true
}

// BeginLoad clears the transcript and begins a replay.
func (t *Transcript) BeginLoad() {
	t.clear()
	t.blocks.loading = true
}

// EndLoad ends a replay. Later updates of it (some agents answer first) are still in order.
func (t *Transcript) EndLoad() {
	t.blocks.endText()
	t.blocks.loading = false
}

// Answered shows that a request was not shown, since somebody else has answered it: "rule: kind = read", "your permission function".
func (t *Transcript) Answered(allowed bool, by string) {
	what := "Rejected"
	if allowed {
		what = "Allowed"
	}
	t.Say(what+" by "+by, "AcpDone")
}
