package subagents

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

func state(s acp.SubagentActivity, why acp.StopReason) acp.Opt[acp.SubagentState] {
	return acp.Some(acp.SubagentState{State: s, StopReason: why})
}

func chunk(text string) *acp.AgentMessageChunk {
	return &acp.AgentMessageChunk{Content: acp.Text(text)}
}

// A message that both sessions tell is shown once, whatever they say of each other's ids; one that was said before is not repeated (behaviour 603).
func TestMessages(t *testing.T) {
	asked := func(id, text, there, here string) *acp.SessionMessage {
		m := &acp.SessionMessage{MessageID: id, SenderSessionID: acp.Some("s"), RecipientSessionID: acp.Some("k")}
		m.Content = acp.Some([]acp.ContentBlock{acp.Text(text)})
		if there != "" {
			m.RecipientMessageID = acp.Some(there)
		}
		if here != "" {
			m.SenderMessageID = acp.Some(here)
		}
		return m
	}
	answer := func(text string) *acp.SessionMessage {
		m := &acp.SessionMessage{MessageID: "r", SenderSessionID: acp.Some("k"), RecipientSessionID: acp.Some("s")}
		m.Content = acp.Some([]acp.ContentBlock{acp.Text(text)})
		return m
	}
	type sent struct {
		view string
		u    acp.SessionUpdate
	}
	tests := []struct {
		name string
		sent []sent
		want map[string]int // how often a text is shown
	}{
		{"both, linked", []sent{{"s", asked("m", "Do it", "n", "")}, {"k", asked("n", "Do it", "", "m")}}, map[string]int{"Do it": 1}},
		{"both, linked by one", []sent{{"k", asked("n", "Do it", "", "")}, {"s", asked("m", "Do it now", "n", "")}}, map[string]int{"Do it": 1}},
		{"both, not linked", []sent{{"s", asked("m", "Do it", "", "")}, {"k", asked("n", "Do it", "", "")}}, map[string]int{"Do it": 1}},
		{"both, linked, in other words", []sent{{"s", asked("m", "Do it", "n", "")}, {"k", asked("n", "Please", "", "m")}}, map[string]int{"Do it": 1, "Please": 0}},
		{"linked by its sender, in other words", []sent{{"s", asked("m", "Do it", "n", "")}, {"k", asked("n", "Please", "", "")}}, map[string]int{"Do it": 1, "Please": 0}},
		{"linked by its recipient, in other words", []sent{{"s", asked("m", "Do it", "", "")}, {"k", asked("n", "Please", "", "m")}}, map[string]int{"Do it": 1, "Please": 0}},
		{"linked late", []sent{
			{"s", asked("m", "Do it", "n", "")}, {"s", &acp.SessionMessage{MessageID: "m", Content: acp.Some([]acp.ContentBlock{acp.Text("Go")})}},
			{"k", asked("n", "Please", "", "")},
		}, map[string]int{"Do it": 0, "Go": 1, "Please": 0}},
		{"linked to another", []sent{{"s", asked("m", "Do it", "x", "")}, {"k", asked("n", "Do it", "", "")}}, map[string]int{"Do it": 2}},
		{"linked to another by its recipient", []sent{{"s", asked("m", "Do it", "", "")}, {"k", asked("n", "Do it", "", "x")}}, map[string]int{"Do it": 2}},
		{"their own ids link nothing", []sent{{"s", asked("m", "Do it", "", "n")}, {"k", asked("n", "Do it", "m", "")}}, map[string]int{"Do it": 1}},
		{"their own ids link nothing, in other words", []sent{{"s", asked("m", "Do it", "", "n")}, {"k", asked("n", "Please", "m", "")}}, map[string]int{"Do it": 1, "Please": 1}},
		{"one only", []sent{{"s", asked("m", "Do it", "", "")}}, map[string]int{"Do it": 1}},
		{"twice", []sent{{"s", asked("m", "Go on", "n", "")}, {"s", asked("m2", "Go on", "n2", "")}}, map[string]int{"Go on": 2}},
		{"an answer that was said", []sent{{"k", chunk("Done here.")}, {"s", answer("Done here.")}}, map[string]int{"Done here.": 1}},
		{"another answer", []sent{{"k", chunk("Done here.")}, {"s", answer("It was easy.")}}, map[string]int{"Done here.": 1, "It was easy.": 1}},
		{"prompt, not linked", []sent{{"s", asked("m", "Do it", "", "")}, {"k", prompt("Do it")}}, map[string]int{"Do it": 1}},
		{"prompt, linked elsewhere", []sent{{"s", asked("m", "Do it", "n", "")}, {"k", prompt("Do it")}}, map[string]int{"Do it": 1}},
		{"prompt first", []sent{{"k", prompt("Do ")}, {"s", asked("m", "Do it", "", "")}, {"k", prompt("it")}}, map[string]int{"Do ": 1, "Do it": 1}},
		{"prompt and both", []sent{
			{"s", asked("m", "Do it", "n", "")}, {"k", asked("n", "Do it", "", "m")}, {"k", prompt("Do it")},
		}, map[string]int{"Do it": 1}},
		{"prompt and one of its own", []sent{{"k", prompt("Do it")}, {"k", asked("n", "Do it", "", "")}}, map[string]int{"Do it": 1}},
		{"prompt of the same id", []sent{
			{"k", asked("n", "Do it", "", "")}, {"k", &acp.UserMessageChunk{Content: acp.Text("Do it"), MessageID: "n"}},
		}, map[string]int{"Do it": 1}},
		{"prompt that becomes another", []sent{
			{"s", asked("m", "Do it", "", "")}, {"k", prompt("Do ")}, {"k", prompt("that")},
		}, map[string]int{"Do it": 1, "Do that": 1}},
		{"one that becomes another", []sent{
			{"k", prompt("Do ")}, {"s", asked("m", "Do it", "", "")}, {"k", prompt("that")},
		}, map[string]int{"Do it": 1, "Do that": 1}},
		{"prompts twice", []sent{
			{"s", asked("m", "Go on", "", "")}, {"k", prompt("Go on")}, {"k", chunk("Yes.")}, {"s", asked("m2", "Go on", "", "")}, {"k", prompt("Go on")},
		}, map[string]int{"Go on": 2}},
		{"replaced", []sent{{"s", asked("m", "Do it", "", "")}, {"s", asked("m", "Leave it", "", "")}}, map[string]int{"Do it": 0, "Leave it": 1}},
		{"to nobody known", []sent{{"s", &acp.SessionMessage{
			MessageID: "x", SenderSessionID: acp.Some("s"), RecipientSessionID: acp.Some("far"),
			Content: acp.Some([]acp.ContentBlock{acp.Text("Hello")}),
		}}}, map[string]int{"Hello": 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			log, tree := transcript.New(transcript.Options{}), &Tree{}
			tree.Announce(log, "s", &acp.SubagentUpdate{SessionID: "k", Title: acp.Some("K"), State: state(acp.SubagentRunning, "")})
			for _, m := range tt.sent {
				if u, ok := m.u.(*acp.SessionMessage); ok {
					tree.Message(log, m.view, u)
				} else {
					tree.Apply(log, m.view, m.u)
				}
			}
			tree.Settle(log)
			shown := log.Blocks().Markdown(transcript.Head{})
			for text, want := range tt.want {
				if got := strings.Count(shown, text); got != want {
					t.Errorf("%q is shown %d times, want %d:\n%s", text, got, want, shown)
				}
			}
		})
	}
}

// Whatever children say, in any order, with ids that several of them use: all words are shown once, below the child that said them,
// also in a transcript that is restored from the record.
func TestSequences(t *testing.T) {
	seed := seedtest.Of(t)
	for round := range 300 {
		r := rand.New(rand.NewPCG(seed, uint64(round)))
		log, tree := transcript.New(transcript.Options{Prefix: "x"}), &Tree{}
		known, said := []string{"s"}, map[string]string{} // of each word the child
		for i := range 60 {
			who := known[r.IntN(len(known))]
			word := fmt.Sprintf("word%d.", i)
			switch n := r.IntN(6); {
			case n == 0 && len(known) < 8 || len(known) == 1:
				id := fmt.Sprintf("k%d", len(known))
				tree.Announce(log, who, &acp.SubagentUpdate{SessionID: id, Title: acp.Some("T" + id + ";")})
				known = append(known, id)
			case who == "s":
				log.Apply(chunk(word))
			case n == 1:
				tree.Announce(log, "s", &acp.SubagentUpdate{SessionID: who, State: state(acp.SubagentRunning, "")})
			case n == 2:
				tree.Announce(log, "s", &acp.SubagentUpdate{SessionID: who, State: state(acp.SubagentIdle, acp.StopEndTurn)})
			case n == 3:
				u := &acp.ToolCall{ToolCallID: fmt.Sprint(r.IntN(3)), Title: word}
				tree.Apply(log, who, Own(who, u, func(string) bool { return false }))
				said[word] = "" // another with its id may take its place
			default:
				tree.Apply(log, who, chunk(word))
				said[word] = who
			}
		}
		tree.Settle(log)
		entries, _ := log.Unrecorded().Unsaved(true)
		again := transcript.New(transcript.Options{Prefix: "y"})
		again.Restore(entries)
		for _, l := range []*transcript.Transcript{log, again} {
			shown := l.Blocks().Markdown(transcript.Head{})
			for word, who := range said {
				if who == "" {
					continue
				}
				i := strings.Index(shown, word)
				if i < 0 || strings.Count(shown, word) != 1 {
					t.Fatalf("seed %d round %d: %q is shown %d times:\n%s", seed, round, word, strings.Count(shown, word), shown)
				}
				before := shown[:i]
				if head := before[strings.LastIndex(before, "**T"):]; !strings.HasPrefix(head, "**T"+who+";") {
					t.Fatalf("seed %d round %d: %q of %s is below %.20q:\n%s", seed, round, word, who, head, shown)
				}
			}
		}
	}
}

// Who works, and who can be stopped, with whom.
func TestStop(t *testing.T) {
	log, tree := transcript.New(transcript.Options{}), &Tree{}
	can := acp.Some(acp.SubagentSessionCapabilities{Cancel: &acp.Supported{}})
	run := state(acp.SubagentRunning, "")
	tree.Announce(log, "s", &acp.SubagentUpdate{SessionID: "a", Capabilities: can, State: run})
	tree.Announce(log, "a", &acp.SubagentUpdate{SessionID: "b", State: run})
	tree.Announce(log, "s", &acp.SubagentUpdate{SessionID: "c", State: run})
	tree.Announce(log, "s", &acp.SubagentUpdate{SessionID: "d", Capabilities: can, State: state(acp.SubagentIdle, "")})

	if got := tree.Working(); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("%v work", got)
	}
	if _, err := tree.Stop(log, "c"); err == nil {
		t.Error("one that cannot be stopped is stopped")
	}
	if _, err := tree.Stop(log, "d"); err == nil {
		t.Error("one that is idle is stopped")
	}
	got, err := tree.Stop(log, "a")
	if err != nil || !slices.Equal(got, []string{"a", "b"}) || !tree.Stopping("b") || tree.Stopping("c") {
		t.Errorf("stopped %v, %v", got, err)
	}
	tree.Announce(log, "s", &acp.SubagentUpdate{SessionID: "a", State: state(acp.SubagentIdle, acp.StopCancelled)})
	if tree.Stopping("b") {
		t.Error("it is still being stopped after its end")
	}
	tree.Announce(log, "s", &acp.SubagentUpdate{SessionID: "a", Capabilities: acp.Null[acp.SubagentSessionCapabilities](), State: run})
	if _, err := tree.Stop(log, "a"); err == nil {
		t.Error("one is stopped whose capability was taken back")
	}
}

// A child has the title that it had, and ended as it ended, where its agent says less of it later: after a load, or when it closes it.
func TestSaysLess(t *testing.T) {
	log, tree := transcript.New(transcript.Options{Prefix: "x"}), &Tree{}
	tree.Announce(log, "s", &acp.SubagentUpdate{SessionID: "k", Title: acp.Some("Title"), State: state(acp.SubagentRunning, "")})
	tree.Announce(log, "s", &acp.SubagentUpdate{SessionID: "k", State: state(acp.SubagentIdle, acp.StopEndTurn)})
	tree.Announce(log, "s", &acp.SubagentUpdate{SessionID: "k", State: state(acp.SubagentUnknown, "")})
	want := "**Title** (completed)\n\n"
	if got := log.Blocks().Markdown(transcript.Head{}); got != want {
		t.Errorf("closed: got %q, want %q", got, want)
	}
	entries, _ := log.Unrecorded().Unsaved(true)
	for _, last := range []acp.Opt[acp.SubagentState]{{}, state(acp.SubagentIdle, "")} {
		again, tree := transcript.New(transcript.Options{Prefix: "y"}), &Tree{}
		again.Restore(entries)
		tree.Announce(again, "s", &acp.SubagentUpdate{SessionID: "k", State: last})
		tree.Settle(again)
		if got := again.Blocks().Markdown(transcript.Head{}); got != want {
			t.Errorf("restored, then %v: got %q, want %q", last, got, want)
		}
	}
}

func prompt(text string) *acp.UserMessageChunk { return &acp.UserMessageChunk{Content: acp.Text(text)} }

// A prompt without an id belongs to the run that it begins, or is told in.
func TestPromptsOfRuns(t *testing.T) {
	log, tree := transcript.New(transcript.Options{Prefix: "x"}), &Tree{}
	for _, ask := range []string{"First", "Second"} {
		tree.Announce(log, "s", &acp.SubagentUpdate{SessionID: "k", Title: acp.Some("T"), State: state(acp.SubagentRunning, "")})
		tree.Apply(log, "k", prompt(ask))
		tree.Apply(log, "k", prompt(" question."))
		tree.Apply(log, "k", chunk("Answer to "+ask+"."))
		tree.Announce(log, "s", &acp.SubagentUpdate{SessionID: "k", State: state(acp.SubagentIdle, acp.StopEndTurn)})
	}
	tree.Apply(log, "k", prompt("Third"))
	tree.Apply(log, "k", prompt(" question."))
	shown := log.Blocks().Markdown(transcript.Head{})
	at := 0
	for _, want := range []string{"First question.", "Answer to First.", "Second question.", "Answer to Second.", "Third question."} {
		i := strings.Index(shown[at:], want)
		if i < 0 {
			t.Fatalf("%q is not in its place:\n%s", want, shown)
		}
		at += i
	}
}

// Of very many messages none is lost, also if it is not known for long whose it is, or its end comes late.
func TestManyMessages(t *testing.T) {
	log, tree := transcript.New(transcript.Options{Prefix: "x"}), &Tree{}
	tree.Announce(log, "s", &acp.SubagentUpdate{SessionID: "k", Title: acp.Some("T"), State: state(acp.SubagentRunning, "")})
	said := func(id int, text string) {
		tree.Chunk(log, "k", &acp.SessionMessageChunk{MessageID: fmt.Sprint(id), Content: acp.Text(text)})
	}
	for i := range maxMessages + 9 {
		said(i, fmt.Sprintf("<%d begins", i))
	}
	said(0, ", and ends>")
	tree.Settle(log)
	shown := log.Blocks().Markdown(transcript.Head{})
	for i := range maxMessages + 9 {
		if want := fmt.Sprintf("<%d begins", i); strings.Count(shown, want) != 1 {
			t.Fatalf("%q is there %d times", want, strings.Count(shown, want))
		}
	}
	if !strings.Contains(shown, "<0 begins, and ends>") {
		t.Error("the end of a message has replaced its beginning")
	}
}

// A second stop tells the same children again; only those that nothing stops are named.
func TestStopAll(t *testing.T) {
	log, tree := transcript.New(transcript.Options{}), &Tree{}
	begin := func(parent, id string, cancel bool) {
		u := &acp.SubagentUpdate{SessionID: id, Title: acp.Some("T" + id), State: state(acp.SubagentRunning, "")}
		if cancel {
			u.Capabilities = acp.Some(acp.SubagentSessionCapabilities{Cancel: &acp.Supported{}})
		}
		tree.Announce(log, parent, u)
	}
	begin("s", "a", true)
	begin("a", "below", false)
	begin("s", "b", false)
	for range 2 {
		told, left := tree.StopAll(log)
		if !slices.Equal(told, []string{"a"}) || !slices.Equal(left, []string{"Tb"}) {
			t.Errorf("told %q, left %q, want only a, only Tb", told, left)
		}
	}
}

// Of a child whose agent never says what it does nothing goes on after the turn; of one that works all does.
func TestCallsEnd(t *testing.T) {
	for _, c := range []struct {
		state acp.Opt[acp.SubagentState]
		want  string
	}{
		{acp.Opt[acp.SubagentState]{}, "no result"},
		{state(acp.SubagentRunning, ""), "in_progress"},
	} {
		log, tree := transcript.New(transcript.Options{}), &Tree{}
		log.Prompt("go", nil)
		tree.Announce(log, "s", &acp.SubagentUpdate{SessionID: "k", Title: acp.Some("Title"), State: c.state})
		tree.Apply(log, "k", &acp.ToolCall{ToolCallID: transcript.ChildCall("k", "c"), Title: "Look", Status: acp.ToolCallInProgress})
		tree.Settle(log)
		log.EndTurn(acp.StopEndTurn, "")
		if got := log.Blocks().Markdown(transcript.Head{}); !strings.Contains(got, "Look** ("+c.want+")") {
			t.Errorf("%v: got %q", c.state, got)
		}
	}
}

// Of very many messages that come again from another source none is shown twice, and none is lost (behaviour 603).
func TestManyTwice(t *testing.T) {
	log, tree := transcript.New(transcript.Options{Prefix: "x"}), &Tree{}
	tree.Announce(log, "s", &acp.SubagentUpdate{SessionID: "k", Title: acp.Some("T"), State: state(acp.SubagentRunning, "")})
	const n = maxMessages + 44
	for _, view := range []string{"s", "k"} {
		for i := range n {
			m := &acp.SessionMessage{MessageID: fmt.Sprint(view, i), SenderSessionID: acp.Some("s"), RecipientSessionID: acp.Some("k")}
			m.Content = acp.Some([]acp.ContentBlock{acp.Text(fmt.Sprintf("<%d>", i))})
			tree.Message(log, view, m)
		}
	}
	for i := range n {
		tree.Apply(log, "k", &acp.UserMessageChunk{MessageID: fmt.Sprint(i), Content: acp.Text(fmt.Sprintf("<%d>", i))})
	}
	tree.Settle(log)
	shown := log.Blocks().Markdown(transcript.Head{})
	for i := range n {
		if got := strings.Count(shown, fmt.Sprintf("<%d>", i)); got != 1 {
			t.Fatalf("<%d> is shown %d times", i, got)
		}
	}
}

// What is said of a child is shown unless it is its title, or what it is asked to do, or begins that (behaviour 603).
func TestAbout(t *testing.T) {
	const ask = "Find out how the last line is lost.\nReport."
	for about, want := range map[string]bool{"Find out how the …": false, ask: false, "Title": false, "An explorer": true, ask + " Now.": true} {
		for _, first := range []bool{false, true} {
			log, tree := transcript.New(transcript.Options{Prefix: "x"}), &Tree{}
			u := &acp.SubagentUpdate{SessionID: "k", Title: acp.Some("Title"), State: state(acp.SubagentRunning, "")}
			tree.Announce(log, "s", u)
			steps := []func(){
				func() { tree.Announce(log, "s", &acp.SubagentUpdate{SessionID: "k", Description: acp.Some(about)}) },
				func() { tree.Apply(log, "k", prompt(ask)) },
			}
			if first {
				slices.Reverse(steps)
			}
			for _, step := range steps {
				step()
				log.Drawing().Frame(1 << 20)
			}
			shown := log.Blocks().Markdown(transcript.Head{})
			if got := strings.Count(shown, "**To Title:**"); (got == 2) != want || got == 0 {
				t.Errorf("%q, first %t: there are %d texts:\n%s", about, first, got, shown)
			}
		}
	}
}
