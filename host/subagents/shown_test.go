package subagents

import (
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// How a child ended, and why, is said of its run; a title that it gives itself later does not replace the one it was announced with.
func TestEnds(t *testing.T) {
	failed := acp.SubagentState{State: acp.SubagentIdle, StopReason: acp.StopError, Error: &acp.Error{Message: "no\x1b[2J tokens"}}
	idle := func(why acp.StopReason) acp.Opt[acp.SubagentState] { return state(acp.SubagentIdle, why) }
	tests := []struct {
		state acp.Opt[acp.SubagentState]
		want  string
	}{
		{idle(""), "**K** (completed)"},
		{idle(acp.StopEndTurn), "**K** (completed)"},
		{idle(acp.StopCancelled), "**K** (cancelled)"},
		{idle(acp.StopMaxTokens), "**K** (stopped)\n\n```\nthe limit of tokens was reached\n```"},
		{idle(acp.StopMaxTurnRequests), "**K** (stopped)\n\n```\nthe limit of requests of one turn was reached\n```"},
		{idle(acp.StopRefusal), "**K** (stopped)\n\n```\nthe agent does not continue\n```"},
		{idle("_odd\nreason"), "**K** (stopped)\n\n```\n_odd reason\n```"},
		{idle(acp.StopError), "**K** (failed)"},
		{acp.Some(failed), "**K** (failed)\n\n```\nno^[[2J tokens\n```"},
		{acp.Opt[acp.SubagentState]{Set: true, Null: true}, "**K** (state unknown)"},
		{state("_resting", ""), "**K** (state: _resting)"},
	}
	for _, tt := range tests {
		log, tree := transcript.New(transcript.Options{}), &Tree{}
		tree.Announce(log, "s", &acp.SubagentUpdate{SessionID: "k", Title: acp.Some("K"), State: state(acp.SubagentRunning, "")})
		tree.Apply(log, "k", &acp.SessionInfoUpdate{Title: acp.Some("other")})
		tree.Announce(log, "s", &acp.SubagentUpdate{SessionID: "k", State: tt.state})
		tree.Settle(log)
		if got := strings.TrimSpace(log.Blocks().Markdown(transcript.Head{})); got != tt.want {
			t.Errorf("%+v is shown as\n%s\nwant\n%s", tt.state, got, tt.want)
		}
	}

	log, tree := transcript.New(transcript.Options{}), &Tree{}
	tree.Announce(log, "s", &acp.SubagentUpdate{SessionID: "k", State: state(acp.SubagentRunning, "")})
	tree.Apply(log, "k", &acp.SessionInfoUpdate{Title: acp.Some("its own")})
	if got := log.Blocks().Markdown(transcript.Head{}); !strings.Contains(got, "**its own**") {
		t.Errorf("one that was announced without a title, and has given itself one, is shown as\n%s", got)
	}
}

// What a child thinks and plans, and what its agent says of it, stands below its run: the last plan only, and of a compaction its end.
func TestUnder(t *testing.T) {
	log, tree := transcript.New(transcript.Options{}), &Tree{}
	tree.Announce(log, "s", &acp.SubagentUpdate{SessionID: "k", Title: acp.Some("K"), State: state(acp.SubagentRunning, "")})
	for _, u := range []acp.SessionUpdate{
		&acp.AgentThoughtChunk{Content: acp.Text("Let me ")},
		&acp.AgentThoughtChunk{Content: acp.Text("see.")},
		&acp.Plan{Entries: []acp.PlanEntry{{Content: "one", Status: acp.PlanInProgress}, {Content: "two"}}},
		&acp.Notice{Title: "Slow", Description: "It waits."},
		&acp.CompactionUpdate{CompactionID: "c", Status: acp.CompactionInProgress},
		&acp.Plan{Entries: []acp.PlanEntry{
			{Content: "one", Status: acp.PlanCompleted}, {Content: "two\nwords", Status: acp.PlanInProgress}, {Content: "three"},
		}},
		&acp.CompactionUpdate{CompactionID: "c", Status: acp.CompactionCompleted},
		&acp.CompactionUpdate{CompactionID: "d", Status: acp.CompactionFailed},
		&acp.Notice{Title: "Slow"},
	} {
		if !tree.Apply(log, "k", u) {
			t.Errorf("%T is not shown", u)
		}
	}
	if tree.Apply(log, "k", &acp.AvailableCommandsUpdate{}) || tree.Apply(log, "nobody", chunk("lost")) {
		t.Error("what is not shown, or of nobody, is said to be shown")
	}

	var want strings.Builder
	want.WriteString("**K** (in_progress)")
	for _, said := range []string{"Let me see.", "[x] one\n[-] two words\n[ ] three", "Slow\nIt waits.", "Compacted the conversation", "Slow"} {
		want.WriteString("\n\n**K:**\n\n" + said)
	}
	if got := strings.TrimSpace(log.Blocks().Markdown(transcript.Head{})); got != want.String() {
		t.Errorf("got\n%s\nwant\n%s", got, want.String())
	}
}
