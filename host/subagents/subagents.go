// Package subagents knows the child sessions of an agent's session: whose each is, what it does, what it was asked.
//
// A [Tree] is a plain value that a session's state holds and guards. What it is told of it shows in the session's transcript, each
// child as runs (see [transcript.Run]). It starts no goroutine, and knows neither Neovim nor how a child is reached.
package subagents

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Tree is the children of a session, theirs, and so on, over one connection. The zero value has none.
type Tree struct {
	kids     map[string]*kid
	order    []*kid // as they were announced
	messages []*message
	past     map[sum][]*message // that were, and are shown
}

// kid is a child, at whatever depth.
type kid struct {
	id     string
	parent *kid // nil: the session itself
	above  string

	title, about string
	cancel       bool
	state        *acp.SubagentState // nil: not said
	cwd          string

	prompt  string // id of the one that its agent tells it, without an id
	prompts int    // such ones

	run      int  // number of the run that it is in, or was in last
	over     bool // that is over
	stopping bool // the user has stopped it, and it has not said that it is idle
}

func (k *kid) runID() string { return transcript.RunID(k.id, k.run) }

// name is how a child is called, "" if its agent has not said so.
func (k *kid) name() string {
	first, _, _ := strings.Cut(strings.TrimSpace(k.about), "\n")
	return cmp.Or(plain.OneLine(strings.TrimSpace(k.title)), plain.Brief(first))
}

// called is name, or what stands for it.
func (k *kid) called() string { return cmp.Or(k.name(), "Subagent") }

// active reports whether a state is one of work.
func active(s *acp.SubagentState) bool {
	return s != nil && (s.State == acp.SubagentRunning || s.State == acp.SubagentRequiresAction)
}

// works reports whether a child does something, as far as it has said.
func (k *kid) works() bool { return active(k.state) }

// Announce applies what a session, the root or a child of it, says of a child of its own.
func (t *Tree) Announce(log *transcript.Transcript, parent string, u *acp.SubagentUpdate) {
	k := t.kids[u.SessionID]
	if k == nil {
		k = &kid{id: u.SessionID, above: parent, parent: t.kids[parent]}
		if t.kids == nil {
			t.kids = map[string]*kid{}
		}
		t.kids[k.id] = k
		t.order = append(t.order, k)
	}

	k.title, k.about = u.Title.Or(k.title), u.Description.Or(k.about)
	k.cancel = cancels(u.Capabilities, k.cancel)
	k.cwd = u.Cwd.Or(k.cwd)

	if u.State.Set && !u.State.Null {
		t.turns(log, k, u.State.Value)
	} else if u.State.Null {
		t.turns(log, k, acp.SubagentState{State: acp.SubagentUnknown})
	}
	if k.run == 0 {
		t.begin(log, k)
	}

	t.show(log, k)
	if u.Description.Set && k.about != "" && plain.Words(k.about) != plain.Words(k.name()) {
		log.Runs().About(k.runID(), k.about)
	}
}

func cancels(u acp.Opt[acp.SubagentSessionCapabilities], before bool) bool {
	if !u.Set {
		return before
	}
	return u.Value.Cancel != nil
}

// turns applies a state. Work after an end is a run of its own.
func (t *Tree) turns(log *transcript.Transcript, k *kid, state acp.SubagentState) {
	if k.over && state.State != acp.SubagentIdle && !active(&state) {
		return // what is not known now does not change how it ended
	}
	k.state = &state
	switch {
	case k.works() && (k.run == 0 || k.over):
		t.begin(log, k)
		k.prompt = ""
	case state.State == acp.SubagentIdle && k.run > 0 && !k.over:
		log.Runs().EndRunCalls(k.runID(), state.StopReason == acp.StopCancelled)
		k.over, k.stopping, k.prompt = true, false, ""
	}
}

// begin begins a run: a new one for a child that works, else the last one that the transcript has, which may be from a record.
func (t *Tree) begin(log *transcript.Transcript, k *kid) {
	there := func(n int) bool {
		found, _ := log.Runs().HasRun(transcript.RunID(k.id, n))
		return found
	}
	k.run++
	for there(k.run) && (k.works() || there(k.run+1)) {
		k.run++
	}
	k.over = k.state != nil && k.state.State == acp.SubagentIdle
	k.stopping = false
}

// show shows the run that a child is in.
func (t *Tree) show(log *transcript.Transcript, k *kid) {
	if _, over := log.Runs().HasRun(k.runID()); over && k.state == nil {
		return // it is from a record, which knows more
	}

	r := transcript.Run{ID: k.runID(), Title: k.name(), Status: string(acp.ToolCallPending)}
	if k.parent != nil {
		r.Below = k.parent.runID()
	}
	if s := k.state; s != nil {
		r.Status, r.Why = statusOf(s)
		r.Waits = s.State == acp.SubagentRequiresAction && !k.stopping
		r.Stops = k.stopping && k.cancel
	}

	log.Runs().ShowRun(r)
}

// statusOf returns the status of a run whose child is in a state, and why it ended, if it did not end well.
func statusOf(s *acp.SubagentState) (status, why string) {
	switch s.State {
	case acp.SubagentRunning, acp.SubagentRequiresAction:
		return string(acp.ToolCallInProgress), ""
	case acp.SubagentUnknown:
		return transcript.RunUnsure, ""
	case acp.SubagentIdle:
	default:
		return "state: " + plain.Brief(string(s.State)), ""
	}

	switch s.StopReason {
	case "", acp.StopEndTurn:
		return string(acp.ToolCallCompleted), ""
	case acp.StopCancelled:
		return "cancelled", ""
	case acp.StopError:
		if s.Error != nil {
			why = plain.Visible(s.Error.Message)
		}
		return string(acp.ToolCallFailed), why
	case acp.StopMaxTokens:
		why = "the limit of tokens was reached"
	case acp.StopMaxTurnRequests:
		why = "the limit of requests of one turn was reached"
	case acp.StopRefusal:
		why = "the agent does not continue"
	default:
		why = plain.Brief(string(s.StopReason))
	}

	return transcript.RunStopped, why
}

// Apply applies any other update of a child, whose ids of calls are the transcript's. It reports whether the transcript shows it.
func (t *Tree) Apply(log *transcript.Transcript, child string, u acp.SessionUpdate) bool {
	k := t.kids[child]
	if k == nil {
		return false
	}
	switch u := u.(type) {
	case *acp.SessionInfoUpdate:
		if u.Title.Set && u.Title.Value != "" && k.title == "" {
			k.title = u.Title.Value
			t.show(log, k)
		}
		return true
	case *acp.UserMessageChunk:
		if text, ok := u.Content.(*acp.TextContent); ok {
			t.prompt(log, k, u.MessageID, text)
		}
		return true
	}

	k.prompt = ""
	return log.Runs().Under(k.runID(), u)
}

// Has reports whether a session is a child.
func (t *Tree) Has(child string) bool { return t.kids[child] != nil }

// Run returns the id of the run that a child is in, "" if there is no such child.
func (t *Tree) Run(child string) string {
	if k := t.kids[child]; k != nil {
		return k.runID()
	}
	return ""
}

// Name returns how a child is called, "" if there is no such child.
func (t *Tree) Name(child string) string {
	if k := t.kids[child]; k != nil {
		return k.called()
	}
	return ""
}

// Dir returns the folder that a child works in, "" if that is the session's.
func (t *Tree) Dir(child string) string {
	for k := t.kids[child]; k != nil; k = k.parent {
		if k.cwd != "" {
			return k.cwd
		}
	}
	return ""
}

// Stopping reports whether the user has stopped a child, or one above it, and it has not ended yet.
func (t *Tree) Stopping(child string) bool {
	for k := t.kids[child]; k != nil; k = k.parent {
		if k.stopping {
			return true
		}
	}
	return false
}

// Working returns the children that do something, in the order of their announcement.
func (t *Tree) Working() []string {
	var list []string
	for _, k := range t.order {
		if k.works() {
			list = append(list, k.id)
		}
	}
	return list
}

// All returns all children, in the order of their announcement.
func (t *Tree) All() []string {
	list := make([]string, len(t.order))
	for i, k := range t.order {
		list[i] = k.id
	}
	return list
}

// Of returns the child whose run has an id, "" if there is none.
func (t *Tree) Of(run string) string {
	for _, k := range t.order {
		if run == k.runID() {
			return k.id
		}
	}
	return ""
}

// ErrNone says that no subagent runs where one was to be stopped.
var ErrNone = errors.New("no subagent runs here")

// Works reports whether a child does something, as far as it has said.
func (t *Tree) Works(child string) bool {
	k := t.kids[child]
	return k != nil && k.works()
}

// Stop shows that a child is stopped by the user. It returns the child with all below it, and an error if it cannot be stopped.
func (t *Tree) Stop(log *transcript.Transcript, child string) ([]string, error) {
	k := t.kids[child]
	switch {
	case k == nil || !k.works():
		return nil, ErrNone
	case !k.cancel:
		return nil, fmt.Errorf("the agent cannot stop %q alone", k.called())
	}

	t.stop(log, k)
	list := []string{child}
	for _, o := range t.order {
		if o.parent != nil && slices.Contains(list, o.parent.id) {
			list = append(list, o.id)
		}
	}

	return list, nil
}

func (t *Tree) stop(log *transcript.Transcript, k *kid) {
	k.stopping = true
	t.show(log, k)
}

// StopAll shows that the children that do something are stopped. It returns those that are told so one by one, again if they
// were before, and the names of those that cannot be stopped, neither alone nor with one above them.
func (t *Tree) StopAll(log *transcript.Transcript) (told, left []string) {
	for _, k := range t.order {
		if !k.works() {
			continue
		}
		t.stop(log, k)
		if k.cancel {
			told = append(told, k.id)
		} else if !k.stopsAbove() {
			left = append(left, k.called())
		}
	}
	return told, left
}

// stopsAbove reports whether a child above one works and can be stopped.
func (k *kid) stopsAbove() bool {
	for k = k.parent; k != nil; k = k.parent {
		if k.works() && k.cancel {
			return true
		}
	}
	return false
}

// Settle shows what is not known of children as unknown: the turn is over, or the replay.
func (t *Tree) Settle(log *transcript.Transcript) {
	for _, k := range t.order {
		if _, over := log.Runs().HasRun(k.runID()); k.state == nil && !over { // else it is from a record, which knows more
			k.state = &acp.SubagentState{State: acp.SubagentUnknown}
			t.show(log, k)
		}
	}
	for _, m := range t.messages {
		t.place(log, m, true)
	}
}
