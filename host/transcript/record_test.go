package transcript

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/record"
)

// restored is the transcript that a record of lines gives.
func restored(t *testing.T, lines []byte) *Transcript {
	t.Helper()
	rec, err := record.Read(bytes.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	back := New(Options{Prefix: "y"})
	back.Restore(rec.Entries)
	return back
}

// A record of any steps restores the same transcript (behaviours 217, 218).
func TestRecordRestore(t *testing.T) {
	now := time.Unix(1000, 0)
	tr := New(Options{Prefix: "x", Now: func() time.Time { return now }})
	old := "a\nb\n"
	long := strings.Repeat("Wörter und mehr\n", 20_000)
	steps := []func(){
		func() { tr.Prompt("do it", []string{"f.go"}) },
		func() { tr.Apply((*acp.AgentThoughtChunk)(chunkOf("hm"))) },
		func() { tr.Apply((*acp.AgentMessageChunk)(chunkOf("I do "))) },
		func() { tr.Apply((*acp.AgentMessageChunk)(chunkOf("it.\n```\ncode\n```"))) },
		func() {
			tr.Apply(&acp.ToolCall{ToolCallID: "c", Title: "Edit f.go", Kind: acp.ToolKindEdit, Status: acp.ToolCallInProgress})
		},
		func() {
			tr.Apply(&acp.ToolCallUpdate{ToolCallID: "c", Status: acp.ToolCallCompleted, Content: acp.Some([]acp.ToolCallContent{
				&acp.Content{Content: acp.Text("out\n\nmore")}, &acp.Diff{Path: "f.go", OldText: &old, NewText: "a\nc\n"},
			})})
		},
		func() {
			meta := acp.Meta{"claudeCode": acp.Raw(`{"parentToolUseId": "c"}`)}
			tr.Apply(&acp.ToolCall{ToolCallID: "below", Title: "Look", Kind: acp.ToolKindSearch, Status: acp.ToolCallCompleted, Meta: meta})
		},
		func() {
			tr.calls.Subagent("helper", "c")
			tr.calls.Speaks("helper", "I look\n\nand ")
			tr.calls.Speaks("helper", "look.")
		},
		func() {
			for id, status := range map[string]acp.ToolCallStatus{"no": acp.ToolCallFailed, "yet": acp.ToolCallCompleted} {
				tr.calls.Permission("", &acp.ToolCallUpdate{ToolCallID: id, Title: &id, Kind: acp.ToolKindExecute})
				tr.calls.PermissionDone(id, true)
				tr.Apply(&acp.ToolCallUpdate{ToolCallID: id, Status: status})
			}
		},
		func() { tr.Apply((*acp.AgentMessageChunk)(chunkOf("I look\n\nand "))) },
		func() { tr.Apply((*acp.AgentMessageChunk)(chunkOf("look."))) },
		func() { tr.Apply(&acp.Plan{Entries: []acp.PlanEntry{{Content: "one", Status: "pending"}}}) },
		func() {
			tr.Apply(&acp.Plan{Entries: []acp.PlanEntry{{Content: "one", Status: "completed"}, {Content: "two"}}})
		},
		func() { tr.Apply((*acp.AgentMessageChunk)(chunkOf(long[:100_001]))) },
		func() { tr.Apply((*acp.AgentMessageChunk)(chunkOf(long[100_001:]))) },
		func() { tr.EndTurn(acp.StopCancelled, "") },
		func() { tr.Fault("it broke\nbadly") },
	}
	for _, every := range []time.Duration{0, 300 * time.Millisecond, time.Second, time.Hour} {
		tr = New(Options{Prefix: "x", Now: func() time.Time { return now }})
		var lines []byte
		keep := func(all bool) {
			entries, _ := tr.unrecorded.Unsaved(all)
			for _, e := range entries {
				lines = record.Append(lines, e)
			}
		}
		for _, step := range steps {
			step()
			now = now.Add(every)
			keep(false)
		}
		keep(true)
		if got, want := restored(t, lines).blocks.Markdown(Head{}), tr.blocks.Markdown(Head{}); got != want {
			t.Errorf("every %v: got\n%.2000s\nwant\n%.2000s", every, got, want)
		}
		if len(lines) > 3*len(long) {
			t.Errorf("every %v: %d bytes for %d", every, len(lines), len(long))
		}
		if entries, wait := tr.unrecorded.Unsaved(true); len(entries) > 0 || wait != 0 {
			t.Errorf("every %v: recorded twice: %v", every, entries)
		}
	}
}

// Of a prompt that only a replay has brought it is not known when it was sent, also not after a restart: the time since which what came after
// it was done here is that of the next one.
func TestRecordUndated(t *testing.T) {
	now := time.Unix(1000, 0)
	tr := New(Options{Prefix: "x", Now: func() time.Time { return now }})
	tr.Prompt("first", nil)
	tr.Apply((*acp.AgentMessageChunk)(chunkOf("I do.")))
	tr.EndTurn(acp.StopEndTurn)
	now = now.Add(time.Hour)
	third := now
	tr.Prompt("third", nil)
	tr.EndTurn(acp.StopEndTurn)

	now = now.Add(time.Hour)
	tr.Add(replayOf([]said{{"user", "first"}, {"agent", "I do."}, {"user", "second"}, {"agent", "I did."}, {"user", "third"}}), false)
	var lines []byte
	entries, _ := tr.unrecorded.Unsaved(true)
	for _, e := range entries {
		lines = record.Append(lines, e)
	}

	for name, list := range map[string][]Moment{"live": tr.blocks.Moments(), "restored": restored(t, lines).blocks.Moments()} {
		if len(list) != 3 || list[1].Text != "second" || !list[1].Time.IsZero() || !list[0].Time.Equal(time.Unix(1000, 0)) {
			t.Fatalf("%s: got %v", name, list)
		}
		if since := Since(list, 1); !since.Equal(third) {
			t.Errorf("%s: behind it is what was done since %v, want %v", name, since, third)
		}
	}
}

func chunkOf(text string) *acp.ContentChunk { return &acp.ContentChunk{Content: acp.Text(text)} }

// Of several blocks that grow the one that is due first decides how long the rest may wait, whichever has changed last.
func TestRecordPaceOfSeveral(t *testing.T) {
	plan := func(tr *Transcript) {
		tr.Apply(&acp.Plan{Entries: []acp.PlanEntry{{Content: "a", Status: acp.PlanInProgress}}})
	}
	text := func(tr *Transcript) { tr.Apply((*acp.AgentMessageChunk)(chunkOf("word "))) }
	for name, order := range map[string][]func(*Transcript){"the first": {plan, text}, "the last": {text, plan}} {
		now := time.Unix(1000, 0)
		tr := New(Options{Now: func() time.Time { return now }})
		tr.Prompt("go", nil)
		for _, begin := range []func(*Transcript){plan, text} {
			begin(tr)
			if entries, wait := tr.unrecorded.Unsaved(false); len(entries) == 0 || wait != 0 {
				t.Fatalf("%s: %d entries, wait %v", name, len(entries), wait)
			}
			now = now.Add(400 * time.Millisecond)
		}
		for _, change := range order {
			change(tr)
		}
		if entries, wait := tr.unrecorded.Unsaved(false); len(entries) != 0 || wait != 200*time.Millisecond {
			t.Errorf("%s: %d entries, wait %v, want none, and 200ms", name, len(entries), wait)
		}
		now = now.Add(200 * time.Millisecond)
		if entries, wait := tr.unrecorded.Unsaved(false); len(entries) != 1 || wait != 400*time.Millisecond {
			t.Errorf("%s: %d entries, wait %v, want one, and 400ms", name, len(entries), wait)
		}
	}
}

// Growing text is recorded at most once a second until it is complete.
func TestRecordPace(t *testing.T) {
	now := time.Unix(1000, 0)
	tr := New(Options{Now: func() time.Time { return now }})
	n := 0
	for range 50 {
		tr.Apply((*acp.AgentMessageChunk)(chunkOf("word ")))
		entries, wait := tr.unrecorded.Unsaved(false)
		n += len(entries)
		if len(entries) == 0 && (wait <= 0 || wait > time.Second) {
			t.Fatalf("wait is %v", wait)
		}
		now = now.Add(100 * time.Millisecond)
	}
	if n != 5 {
		t.Errorf("got %d lines in 5 seconds, want 5", n)
	}
	tr.EndTurn(acp.StopEndTurn, "")
	if entries, _ := tr.unrecorded.Unsaved(false); len(entries) != 1 {
		t.Errorf("got %d lines at its end, want 1", len(entries))
	}
}

// A call is recorded again for another diff of the same size and status, and not for output of its running command.
func TestRecordCalls(t *testing.T) {
	now := time.Unix(1000, 0)
	command := Command{ID: "1", Line: "make", Running: true}
	tr := New(Options{Prefix: "x", Now: func() time.Time { return now }, Terminal: func(string) (Command, bool) { return command, true }})
	diff := func(text string) []acp.ToolCallContent {
		return []acp.ToolCallContent{&acp.Diff{Path: "f", NewText: text}, &acp.Terminal{TerminalID: "t"}}
	}
	kept := func(do func()) (texts []string) {
		do()
		now = now.Add(2 * time.Second)
		entries, _ := tr.unrecorded.Unsaved(false)
		for _, e := range entries {
			texts = append(texts, e.Data.Diffs[0].New+" "+e.Text)
		}
		return texts
	}
	prints := func(line string) {
		command.Tail = append(command.Tail, line)
		tr.calls.TerminalChanged("t")
	}
	steps := []struct {
		name string
		do   func()
		want string
	}{
		{"begun", func() {
			tr.Apply(&acp.ToolCall{ToolCallID: "c", Title: "Make", Status: acp.ToolCallInProgress, Content: diff("a\n")})
		}, "a\n Make\n\n$ make\n"},
		{"it prints", func() { prints("one") }, ""},
		{"another diff", func() {
			tr.Apply(&acp.ToolCallUpdate{ToolCallID: "c", Content: acp.Some(diff("b\n"))})
		}, "b\n Make\n\n$ make\none"},
		{"the same diff", func() { tr.Apply(&acp.ToolCallUpdate{ToolCallID: "c", Content: acp.Some(diff("b\n"))}) }, ""},
		{"it prints and ends", func() { command.Running = false; prints("two") }, "b\n Make\n\n$ make\none\ntwo"},
	}
	for _, step := range steps {
		if got := strings.Join(kept(step.do), "|"); got != step.want {
			t.Errorf("%s: got %q, want %q", step.name, got, step.want)
		}
	}
}

// A prompt with names of its context behind the user's words is known by these also where it is restored: a replay of it is none beside it, and
// who goes back to it has the words (behaviour 1586).
func TestRecordOwnWords(t *testing.T) {
	for _, long := range []string{"explain", strings.Repeat("explain this ", 10_000) + "too"} {
		tr := New(Options{Prefix: "x"})
		tr.Prompt(long, []string{"f.go:2", "g.go"})
		tr.Apply((*acp.AgentMessageChunk)(chunkOf("It is.")))
		tr.EndTurn(acp.StopEndTurn)
		var lines []byte
		entries, _ := tr.unrecorded.Unsaved(true)
		for _, e := range entries {
			lines = record.Append(lines, e)
		}
		back := restored(t, lines)
		if got, ok := back.Blocks().Words(back.blocks.list[0].ID); !ok || got != long {
			t.Errorf("the words are %.100q", got)
		}
		if got := back.blocks.list[0].text.String(); got != long+"\n@f.go:2  @g.go" {
			t.Errorf("shown is %.100q", got)
		}

		replay := New(Options{})
		replay.BeginLoad()
		replay.Apply((*acp.UserMessageChunk)(chunkOf(long)))
		replay.Apply((*acp.AgentMessageChunk)(chunkOf("It is.")))
		back.Add(replay, false)
		if got := len(back.blocks.split()); got != 1 {
			t.Errorf("%.20q: %d prompts: %s", long, got, back.Blocks().Markdown(Head{}))
		}
	}
}

// A moment is behind the message with which the turn before has ended, and behind none where calls, or words into the turn, came after that.
func TestMomentsBehind(t *testing.T) {
	tr := New(Options{})
	say := func(id, text string) {
		tr.Apply(&acp.AgentMessageChunk{MessageID: id, Content: acp.Text(text)})
	}
	tr.Prompt("first", nil)
	say("m1", "done")
	tr.EndTurn(acp.StopEndTurn)
	tr.Prompt("second", nil)
	say("m2", "I begin")
	tr.Apply(&acp.ToolCall{ToolCallID: "c", Title: "edit", Kind: acp.ToolKindEdit, Status: acp.ToolCallCompleted})
	tr.EndTurn(acp.StopEndTurn)
	tr.Prompt("third", nil)
	var got []string
	for _, m := range tr.blocks.Moments() {
		got = append(got, m.Behind)
	}
	if want := []string{"", "m1", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
