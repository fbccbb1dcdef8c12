package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// The exit status of a command is read from the raw output of a completed call, in the forms of four agents.
func TestRawExit(t *testing.T) {
	tests := []struct {
		name, raw string
		want      exit
	}{
		{"qwen", `{"exitCode": 3, "signal": null}`, exit{known: true, text: "exit 3"}},
		{"qwen, killed", `{"exitCode": 0, "signal": 15}`, exit{known: true, text: "SIGTERM", killed: true}},
		{"opencode", `{"output": "x", "metadata": {"exit": 3}}`, exit{known: true, text: "exit 3"}},
		{"opencode, killed", `{"metadata": {"exit": null}}`, exit{}},
		{"codex", `{"exit_code": 3}`, exit{known: true, text: "exit 3"}},
		{"copilot", `{"contents": [{"type": "text"}, {"type": "shell_exit", "exitCode": 3}]}`, exit{known: true, text: "exit 3"}},
		{"success", `{"exitCode": 0}`, exit{known: true}},
		{"claude", `"Exit code 2\nout"`, exit{known: true, text: "exit 2"}},
		{"text", `"See Exit code 2"`, exit{}},
		{"another shape", `{"exitCode": "three", "contents": {}}`, exit{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := rawExit(acp.Raw(tt.raw)); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

// command applies a call that runs a command, then an update with a status and a raw output.
func command(tr *Transcript, id string, stop bool, status acp.ToolCallStatus, output string) *item {
	tr.Apply(&acp.ToolCall{
		ToolCallID: id, Kind: acp.ToolKindExecute, Title: id, Status: acp.ToolCallInProgress, RawInput: acp.Raw(`{"command": "sleep 9"}`),
	})
	if stop {
		tr.calls.CancelCalls()
	}
	u := &acp.ToolCallUpdate{ToolCallID: id, Status: status, Content: acp.Some([]acp.ToolCallContent{&acp.Content{Content: acp.Text("out")}})}
	if output != "" {
		u.RawOutput = acp.Raw(output)
	}
	tr.Apply(u)
	return tr.calls.byID[id]
}

// A command that failed stays open and is counted as failed, although its agent reports it as completed.
func TestFailedCommandsShow(t *testing.T) {
	tr := newTest()
	tr.Prompt("go", nil)
	it := command(tr, "a", false, acp.ToolCallCompleted, `{"exitCode": 3}`)
	if text := fmt.Sprint(tr.drawing.painter.callStatus(it)); !tr.opts.showsItem(it) || !strings.Contains(text, "exit 3") {
		t.Errorf("got %t, %s, want it open with exit 3", tr.opts.showsItem(it), text)
	}
	if it := command(tr, "b", false, acp.ToolCallCompleted, `{"exitCode": 0}`); tr.opts.showsItem(it) || tr.drawing.painter.outcome(it) != "completed" {
		t.Errorf("got %t, %s, want it folded", tr.opts.showsItem(it), tr.drawing.painter.outcome(it))
	}
	if got := tr.drawing.painter.outcome(it); got != "failed" {
		t.Errorf("in a group: got %q, want failed", got)
	}
}

// The line of a group says only what has happened: what was rejected, stopped or has failed is not counted as done, and is in the words,
// which are never cut (behaviour 673).
func TestSummaries(t *testing.T) {
	done := func(kind acp.ToolKind) func(*Transcript, string) {
		return func(tr *Transcript, id string) {
			tr.Apply(&acp.ToolCall{ToolCallID: id, Kind: kind, Title: id, Status: acp.ToolCallCompleted})
		}
	}
	failed := func(kind acp.ToolKind) func(*Transcript, string) {
		return func(tr *Transcript, id string) {
			tr.Apply(&acp.ToolCall{ToolCallID: id, Kind: kind, Title: id, Status: acp.ToolCallFailed})
		}
	}
	rejected := func(kind acp.ToolKind) func(*Transcript, string) {
		return func(tr *Transcript, id string) {
			tr.calls.Permission("", &acp.ToolCallUpdate{ToolCallID: id, Kind: kind, Title: &id})
			tr.calls.PermissionDone(id, true)
			tr.Apply(&acp.ToolCallUpdate{ToolCallID: id, Status: acp.ToolCallFailed})
		}
	}
	run, edit, read, other := acp.ToolKindExecute, acp.ToolKindEdit, acp.ToolKindRead, acp.ToolKindOther
	tests := []struct {
		want  string
		calls []func(*Transcript, string)
	}{
		{"Ran 2 commands", []func(*Transcript, string){done(run), done(run)}},
		{"2 commands rejected", []func(*Transcript, string){rejected(run), rejected(run)}},
		{"Ran 1 command · 1 command rejected", []func(*Transcript, string){rejected(run), done(run)}},
		{"Ran 2 commands", []func(*Transcript, string){failed(run), done(run)}}, // "1 failed" is at the right
		{"Edited 1 file · 1 edit failed", []func(*Transcript, string){done(edit), failed(edit)}},
		{"2 edits failed", []func(*Transcript, string){failed(edit), failed(edit)}},
		{"Explored 1 file · 1 search · 1 read failed", []func(*Transcript, string){done(read), done(acp.ToolKindSearch), failed(read)}},
		{"Used 1 tool · thought once", []func(*Transcript, string){done(other), done(acp.ToolKindThink)}},
		{"1 read rejected · 1 call rejected", []func(*Transcript, string){rejected(read), rejected(other)}},
	}

	for _, tt := range tests {
		tr := newTest()
		tr.Prompt("go", nil)
		var group []*item
		for i, call := range tt.calls {
			id := fmt.Sprint("c", i)
			call(tr, id)
			group = append(group, tr.calls.byID[id])
		}
		if got := strings.TrimSpace(tr.drawing.painter.groupRow(group).text); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// Of a call whose end the agent has not told, the turn's end says so; one that was stopped is cancelled.
func TestUnfinishedCalls(t *testing.T) {
	for reason, want := range map[acp.StopReason]string{acp.StopEndTurn: "**Look** (no result)", acp.StopCancelled: "**Look** (cancelled)"} {
		tr := newTest()
		tr.Prompt("go", nil)
		tr.Apply(&acp.ToolCall{ToolCallID: "c", Title: "Look", Kind: acp.ToolKindRead, Status: acp.ToolCallInProgress})
		tr.EndTurn(reason, "")
		if got := tr.Blocks().Markdown(Head{}); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q in it", reason, got, want)
		}
	}
}

// A call that has failed with some words shows them, unless the user has rejected it, who knows why.
func TestFailedStaysOpen(t *testing.T) {
	for _, rejected := range []bool{false, true} {
		tr, id := newTest(), "c"
		tr.Prompt("go", nil)
		tr.calls.Permission("", &acp.ToolCallUpdate{ToolCallID: id, Kind: acp.ToolKindExecute, Title: &id})
		tr.calls.PermissionDone(id, rejected)
		why := []acp.ToolCallContent{&acp.Content{Content: acp.Text("The user doesn't want to proceed.")}}
		tr.Apply(&acp.ToolCallUpdate{ToolCallID: id, Status: acp.ToolCallFailed, Content: acp.Some(why)})
		if got := tr.drawing.painter.opts.showsItem(tr.calls.byID[id]); got == rejected {
			t.Errorf("rejected %v: its words are shown: %v", rejected, got)
		}
	}
}

// A call that a stop ended is cancelled, whatever status the agent reports; a call that finished first keeps its own
// (behaviours 72, 138).
func TestStoppedCommands(t *testing.T) {
	tests := []struct {
		name   string
		status acp.ToolCallStatus
		output string
		want   string
	}{
		{"called completed", acp.ToolCallCompleted, "", cancelled},
		{"called failed", acp.ToolCallFailed, "", cancelled},
		{"killed", acp.ToolCallCompleted, `{"exitCode": 0, "signal": 15}`, cancelled},
		{"came to its end", acp.ToolCallCompleted, `{"exit_code": 0}`, "completed"},
		{"failed by itself", acp.ToolCallFailed, `{"exit_code": 1}`, "failed"},
		{"runs on", acp.ToolCallInProgress, "", "in_progress"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTest()
			tr.Prompt("go", nil)
			it := command(tr, "a", true, tt.status, tt.output)
			if it.call.Status != tt.want {
				t.Errorf("got %q, want %q", it.call.Status, tt.want)
			}
		})
	}
	tr := newTest()
	tr.Prompt("go", nil)
	if it := command(tr, "a", false, acp.ToolCallCompleted, ""); it.call.Status != "completed" {
		t.Errorf("without a stop: got %q", it.call.Status)
	}
}

// A call that runs on after its turn is counted until its end, and the next turn does not end it (behaviour 138).
func TestApart(t *testing.T) {
	tr := newTest()
	tr.Prompt("go", nil)
	command(tr, "a", true, "", "")
	tr.EndTurn(acp.StopCancelled, "")
	step := func(want int, u *acp.ToolCallUpdate) {
		t.Helper()
		if u != nil {
			tr.Apply(u)
		}
		if got := tr.calls.Apart(); got != want {
			t.Fatalf("got %d calls that run on, want %d", got, want)
		}
	}
	step(0, nil)
	step(1, &acp.ToolCallUpdate{ToolCallID: "a", Meta: acp.Meta{"terminal_output_delta": acp.Raw(`{"data": "x"}`)}})
	tr.Prompt("next", nil)
	step(1, nil)
	tr.EndTurn(acp.StopEndTurn, "")
	step(1, nil)
	step(0, &acp.ToolCallUpdate{ToolCallID: "a", Status: acp.ToolCallCompleted, RawOutput: acp.Raw(`{"exit_code": 0}`)})
	step(1, &acp.ToolCallUpdate{ToolCallID: "a", Status: acp.ToolCallInProgress})
	tr.FailCalls()
	step(0, nil)
}

// A plan that is repeated in a later turn is a new one only if it has changed (behaviour 79).
func TestPlanAgain(t *testing.T) {
	tr := newTest()
	plan := func(status acp.PlanEntryStatus) {
		tr.Apply(&acp.Plan{Entries: []acp.PlanEntry{{Content: "do it", Status: status}}})
	}
	for i, want := range []int{1, 1, 1, 2} {
		tr.Prompt("go", nil)
		plan([]acp.PlanEntryStatus{"pending", "pending", "pending", "completed"}[i])
		tr.EndTurn(acp.StopEndTurn, "")
		got := 0
		for _, b := range tr.blocks.list {
			if b.Kind == Plan {
				got++
			}
		}
		if got != want {
			t.Errorf("turn %d: got %d plans, want %d", i+1, got, want)
		}
	}
}

// A plan without steps is none: the one before it stays as it was, and is over (behaviour 1673).
func TestPlanEmptied(t *testing.T) {
	tr := newTest()
	plan := func(steps ...string) {
		u := &acp.Plan{}
		for _, s := range steps {
			u.Entries = append(u.Entries, acp.PlanEntry{Content: s, Status: acp.PlanInProgress})
		}
		tr.Apply(u)
	}
	plans := func(want string) {
		t.Helper()
		got := ""
		for _, b := range tr.blocks.list {
			if b.Kind == Plan {
				got += fmt.Sprint(b.plan)
			}
		}
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}

	tr.Prompt("go", nil)
	plan()
	plans("")
	plan("one", "two")
	before := tr.Point()
	plan()
	plans("[{one in_progress} {two in_progress}]")
	if p := tr.Pinned(); p != nil {
		t.Errorf("%v is pinned", p)
	}
	plan("one", "two")
	plans("[{one in_progress} {two in_progress}][{one in_progress} {two in_progress}]")
	tr.TakeBack(before)
	plans("[{one in_progress} {two in_progress}]")
	if p := tr.Pinned(); len(p) != 2 {
		t.Errorf("%v is pinned", p)
	}
}

// Messages without an id after one that has an id, and messages marked as discrete, are separate (behaviour 78).
func TestMessagesApart(t *testing.T) {
	single := acp.Meta{"qwenDiscreteMessage": acp.Raw("true")}
	tests := []struct {
		name   string
		chunks []*acp.ContentChunk
		want   []string
	}{
		{"one message", []*acp.ContentChunk{{Content: acp.Text("a"), MessageID: "m"}, {Content: acp.Text("b"), MessageID: "m"}}, []string{"ab"}},
		{"none has an id", []*acp.ContentChunk{chunkOf("a"), chunkOf("b")}, []string{"ab"}},
		{"two ids", []*acp.ContentChunk{{Content: acp.Text("a"), MessageID: "m"}, {Content: acp.Text("b"), MessageID: "n"}}, []string{"a", "b"}},
		{"then none", []*acp.ContentChunk{{Content: acp.Text("a"), MessageID: "m"}, chunkOf("b"), chunkOf("c")}, []string{"a", "bc"}},
		{"single ones", []*acp.ContentChunk{chunkOf("a"), {Content: acp.Text("b"), Meta: single}, chunkOf("c")}, []string{"a", "b", "c"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTest()
			for _, c := range tt.chunks {
				tr.Apply((*acp.AgentMessageChunk)(c))
			}
			var got []string
			for _, b := range tr.blocks.list {
				got = append(got, b.text.String())
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// The names of a tool and its server come from _meta, the questions of a call from its input.
func TestNamesAndQuestions(t *testing.T) {
	tr := newTest()
	tr.Apply(&acp.ToolCall{ToolCallID: "a", Meta: acp.Meta{"claudeCode": acp.Raw(`{"toolName": "mcp__fake__echo", "mcpServer": {"name": "fake"}}`)}})
	tr.Apply(&acp.ToolCallUpdate{ToolCallID: "a", Meta: acp.Meta{"claudeCode": acp.Raw(`{"toolName": "other"}`)}})
	if c := tr.calls.Call("a"); c.Name != "mcp__fake__echo" || c.Server != "fake" {
		t.Errorf("got %q of %q", c.Name, c.Server)
	}
	tr.Apply(&acp.ToolCall{
		ToolCallID: "b", Meta: acp.Meta{"toolName": acp.Raw(`"ask_user_question"`)},
		RawInput: acp.Raw(`{"questions": [{"question": "Which color?", "options": [{"label": "Red", "description": "like fire"}, {"label": "Blue"}]}]}`),
	})
	c := tr.calls.Call("b")
	if got, want := strings.Join(c.Questions(), "|"), "Which color?|  Red: like fire|  Blue"; c.Name != "ask_user_question" || got != want {
		t.Errorf("got %q, %q, want %q", c.Name, got, want)
	}
}

// A diff or text is not repeated as raw input; a file that only the diff names is in the heading.
func TestInputsAreNotRepeated(t *testing.T) {
	tr := newTest()
	tr.Apply(&acp.ToolCall{
		ToolCallID: "a", Title: "edit", Kind: acp.ToolKindEdit,
		RawInput: acp.Raw(`{"diff": "@@ -1 +1 @@\n-a\n+b", "filePath": "/w/f", "plan": "1. do it\n2. rest"}`),
		Content: []acp.ToolCallContent{
			&acp.Diff{Path: "/w/f", NewText: "b"}, &acp.Content{Content: acp.Text("The plan:\n1. do it\n2. rest")},
		},
	})
	c := tr.calls.Call("a")
	nothing := func(string, bool) bool { return false }
	shown := func(text string, old bool) bool {
		return old && text == "a" || !old && (text == "b" || strings.Contains("The plan:\n1. do it\n2. rest", text))
	}
	if got := fmt.Sprint(c.Inputs(shown)); got != "[{filePath /w/f true}]" {
		t.Errorf("got %s", got)
	}
	if got, want := c.Heading(), "edit /w/f"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	tr.Apply(&acp.ToolCall{ToolCallID: "b", RawInput: acp.Raw(`{"diff": "+b", "plan": "do it"}`)})
	if got := len(tr.calls.Call("b").Inputs(nothing)); got != 2 {
		t.Errorf("where nothing else shows them: got %d inputs, want 2", got)
	}
}

// An edit of one place needs no word for it; one of all places has one, and so has what is no edit (behaviour 1224).
func TestReplacesOne(t *testing.T) {
	for _, tt := range []struct {
		kind        acp.ToolKind
		value, want string
	}{
		{acp.ToolKindEdit, "false", "[]"},
		{acp.ToolKindEdit, "true", "[{replace_all true true}]"},
		{acp.ToolKindEdit, `"false"`, "[{replace_all false true}]"},
		{acp.ToolKindOther, "false", "[{replace_all false true}]"},
	} {
		tr := newTest()
		tr.Apply(&acp.ToolCall{ToolCallID: "a", Kind: tt.kind, RawInput: acp.Raw(`{"replace_all": ` + tt.value + `}`)})
		if got := fmt.Sprint(tr.calls.Call("a").Inputs(func(string, bool) bool { return false })); got != tt.want {
			t.Errorf("%s, %s: got %s, want %s", tt.kind, tt.value, got, tt.want)
		}
	}
}

// Text that comes after the end of its turn is a block of its own, also with the same message id (behaviour 16).
func TestAfterTheTurn(t *testing.T) {
	for _, id := range []string{"", "m"} {
		tr := newTest()
		tr.Prompt("go", nil)
		tr.Apply(&acp.AgentMessageChunk{Content: acp.Text("in time"), MessageID: id})
		tr.EndTurn(acp.StopEndTurn, "")
		tr.Apply(&acp.AgentMessageChunk{Content: acp.Text("too late"), MessageID: id})

		var got []string
		for _, b := range tr.blocks.list {
			if b.Kind == Agent {
				got = append(got, b.text.String())
			}
		}
		if want := []string{"in time", "too late"}; !slices.Equal(got, want) {
			t.Errorf("id %q: got %q, want %q", id, got, want)
		}
	}
}

// An agent cannot send the kinds that stand for what is no call.
func TestOwnKinds(t *testing.T) {
	for _, kind := range []acp.ToolKind{runKind, asking, "_new"} {
		tr := newTest()
		tr.Apply(&acp.ToolCall{ToolCallID: "a", Title: "x", Kind: kind, RawInput: acp.Raw(`{"command": "rm x"}`)})
		if got := tr.calls.Call("a").Kind; got != acp.ToolKindOther {
			t.Errorf("%s: got %s", kind, got)
		}
	}
}
