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
	t.running.turn, t.running.plan, t.running.prompt = true, nil, t.last()
	t.running.turns++
	return t.running.prompt.key()
}

// Steer shows a prompt that is sent into the running turn.
func (t *Transcript) Steer(text string, mentions []string) {
	t.words(text, mentions)
	t.last().steer = true
}

func (t *Transcript) words(text string, mentions []string) {
	t.endText()
	b := t.add(User)
	text = strings.TrimRight(text, "\n")
	b.text.append(text)
	b.words = len(text)
	if len(mentions) > 0 {
		b.text.append("\n@" + strings.Join(mentions, "  @"))
	}
	b.closed = true
	t.echo = text
}

// Words returns the user's own text of a prompt.
func (t *Transcript) Words(id string) (text string, ok bool) {
	b := t.byID[id]
	if b == nil || b.Kind != User {
		return "", false
	}
	text = b.text.String()
	if b.words > 0 && b.words <= len(text) {
		text = text[:b.words]
	}
	return strings.TrimRight(text, "\n"), true
}

// EndTurn ends a turn with the agent's stop reason, shown where it is not the ordinary one. spent is what it has taken,
// money and tokens, in words for the user; "" is nothing known.
func (t *Transcript) EndTurn(reason acp.StopReason, spent ...string) {
	t.finishTurn(reason == acp.StopCancelled)
	switch reason {
	case acp.StopEndTurn:
		if !t.answered() {
			t.Say("no answer", "AcpDone")
			return
		}
		t.sumUp(spent)
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
}

// PauseTurn ends a turn whose prompt is sent again, without a notice.
func (t *Transcript) PauseTurn() { t.finishTurn(false) }

// FailTurn ends a turn that failed.
func (t *Transcript) FailTurn(err error) {
	t.finishTurn(false)
	t.Fault(err.Error())
}

func (t *Transcript) finishTurn(stopped bool) {
	t.endCalls(stopped)
	t.endText()
	t.running.turn, t.echo, t.running.plan = false, "", nil
}

func (t *Transcript) endText() {
	if b := t.last(); b != nil {
		t.close(b)
	}
}

// Say shows a notice.
func (t *Transcript) Say(text, group string) {
	b := t.add(Notice)
	b.text.append(text)
	b.tone = group
	b.closed = true
}

// Says reports whether a notice after the latest prompt is a text.
func (t *Transcript) Says(text string) bool {
	for _, b := range slices.Backward(t.blocks) {
		if b.Kind == User {
			return false
		}
		if b.Kind == Notice && b.text.String() == text {
			return true
		}
	}
	return false
}

// Mark shows a notice that is not recorded.
func (t *Transcript) Mark(text, group string) {
	t.Say(text, group)
	b := t.last()
	b.unrecorded, b.restored = false, true
	t.unrecorded.blocks = slices.DeleteFunc(t.unrecorded.blocks, func(k *Block) bool { return k == b })
}

// Fault shows an error, its first line with the rest folded, unless it is what the last block says.
func (t *Transcript) Fault(text string) {
	text = strings.TrimSpace(text)
	if b := t.last(); b != nil && b.Kind == Fault && b.text.String() == text {
		return
	}
	b := t.add(Fault)
	b.text.append(text)
	b.closed = true
}

// BeginLoad clears the transcript and begins a replay.
func (t *Transcript) BeginLoad() {
	t.clear()
	t.loading = true
}

// EndLoad ends a replay. Later updates of it (some agents answer first) are still in order.
func (t *Transcript) EndLoad() {
	t.endText()
	t.loading = false
}

// Permission applies the tool call of a permission request and shows it as waiting, below a run if that is not "". It returns
// what was known of the call before, nil if nothing was.
func (t *Transcript) Permission(run string, u *acp.ToolCallUpdate) (before *Call) {
	t.below = t.calls[run]
	defer func() { t.below = nil }()
	t.again(u.ToolCallID)
	if c := t.Call(u.ToolCallID); c != nil {
		before = c.Clone()
	}
	it := t.toolCallUpdate(u)
	it.call.asking++
	it.call.asked = true
	it.waits(true, t.opts.Now())
	return before
}

// Allowed shows an allowed call as running: many agents send no update of it until it is over.
func (t *Transcript) Allowed(toolCallID string) {
	if it := t.calls[toolCallID]; it != nil && it.call.Status == string(acp.ToolCallPending) {
		it.call.Status = string(acp.ToolCallInProgress)
		t.touchItem(it)
	}
}

// PermissionDone shows that a call no longer waits; rejected says how it was answered.
func (t *Transcript) PermissionDone(toolCallID string, rejected bool) {
	it := t.calls[toolCallID]
	if it == nil {
		return
	}
	it.call.asking = max(it.call.asking-1, 0)
	it.call.rejected = rejected
	it.waits(it.call.asking > 0, t.opts.Now())
	t.touchItem(it)
}

// Answered shows that a request was not shown, since somebody else has answered it: "rule: kind = read", "your permission function".
func (t *Transcript) Answered(allowed bool, by string) {
	what := "Rejected"
	if allowed {
		what = "Allowed"
	}
	t.Say(what+" by "+by, "AcpDone")
}

// TerminalChanged redraws the calls that show a terminal.
func (t *Transcript) TerminalChanged(id string) {
	for _, it := range t.viewers[id] {
		if it.call.hasTerminal(id) { // its content may have changed
			t.settle(it)
			t.touchItem(it)
		}
	}
}
