package transcript

import (
	"encoding/json"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// A use of a tool is the agent's own call of it, by the words of several agents, and one call stands for one use (behaviour 315).
func TestClaimTool(t *testing.T) {
	tests := []struct {
		title string
		tool  string
		want  bool
	}{
		{"mcp__nvim__read", "read", true},
		{"nvim_read", "read", true},
		{"read (nvim MCP Server)", "read", true},
		{"Read notes.txt", "read", false},
		{"mcp__nvim__read", "rename", false},
		{"mcp__other__read", "read", false},
		{"unread in nvim", "read", false},
		{"mcp.nvim.read", "read", true},
		{"Tool: nvim/read", "read", true},
		{"nvim-acp_read", "read", false}, // another server
	}
	for _, test := range tests {
		tr := New(Options{})
		tr.Prompt("go", nil)
		tr.Apply(&acp.ToolCall{ToolCallID: "a", Title: test.title})
		if got := tr.calls.ClaimTool("nvim", test.tool, "Read a.go", nil); got != test.want {
			t.Errorf("%q, %s: got %t, want %t", test.title, test.tool, got, test.want)
		}
		if tr.calls.ClaimTool("nvim", test.tool, "Read a.go", nil) {
			t.Errorf("%q is claimed twice", test.title)
		}
		tr.EndTurn(acp.StopEndTurn, "")
		tr.Apply(&acp.ToolCall{ToolCallID: "b", Title: test.title})
		tr.Prompt("again", nil)
		if tr.calls.ClaimTool("nvim", test.tool, "Read a.go", nil) {
			t.Errorf("%q of an earlier turn is claimed", test.title)
		}
	}
}

// A call whose title is changed while it runs, as by our own request for permission, stays the call of its tool (behaviour 315).
func TestClaimToolRetitled(t *testing.T) {
	tr := New(Options{})
	tr.Prompt("go", nil)
	tr.Apply(&acp.ToolCall{ToolCallID: "a", Title: "nvim_rename", Status: acp.ToolCallPending})
	if got := tr.calls.ToolCall("nvim", "rename", nil); got != "a" {
		t.Fatalf("got %q", got)
	}
	title := "Rename Total to Count"
	tr.Apply(&acp.ToolCallUpdate{ToolCallID: "a", Title: &title})
	if !tr.calls.ClaimTool("nvim", "rename", "Rename it", nil) {
		t.Error("it is not the call of its tool any more")
	}
	if tr.calls.ClaimTool("nvim", "rename", "Rename it", nil) {
		t.Error("it is claimed twice")
	}
}

// What real agents say of a call of a tool of ours makes one line, with our title; one that calls it through a tool of its own
// names it later (behaviour 315).
func TestClaimToolOfAgents(t *testing.T) {
	meta := func(text string) (m acp.Meta) {
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	title := func(s string) *string { return &s }
	for _, test := range []struct {
		agent   string
		call    *acp.ToolCall
		updates []*acp.ToolCallUpdate // before the tool is used
	}{
		{"claude-0.100", &acp.ToolCall{Name: "mcp__nvim__read", Title: "mcp__nvim__read", Meta: meta(`{"claudeCode": {"toolName": "mcp__nvim__read"}}`)}, nil},
		{"claude-0.49", &acp.ToolCall{Title: "mcp__nvim__read", Meta: meta(`{"claudeCode": {"toolName": "mcp__nvim__read"}}`)}, []*acp.ToolCallUpdate{
			{Title: title("mcp__nvim__read")}},
		},
		{"opencode", &acp.ToolCall{Title: "nvim_read"}, []*acp.ToolCallUpdate{{Title: title("nvim_read"), Status: acp.ToolCallInProgress}}},
		{"codex", &acp.ToolCall{Title: "mcp.nvim.read", Kind: acp.ToolKindExecute, RawInput: acp.Raw(`{"server": "nvim", "tool": "read"}`), Meta: meta(`{"is_mcp_tool_call": true}`)}, nil},
		{"qwen", &acp.ToolCall{Title: "ToolCall", Meta: meta(`{"toolName": "tool_call", "provenance": "builtin"}`)}, []*acp.ToolCallUpdate{
			{Title: title(`{"path":"a.go"}`), Kind: acp.ToolKindRead, Meta: meta(`{"toolName": "mcp__nvim__read"}`)}},
		},
	} {
		tr := New(Options{})
		tr.Prompt("go", nil)
		test.call.ToolCallID = "a"
		tr.Apply(test.call)
		for _, u := range test.updates {
			u.ToolCallID = "a"
			tr.Apply(u)
		}
		if !tr.calls.ClaimTool("nvim", "read", "Read a.go", nil) {
			t.Errorf("%s: its call is not taken for the use of the tool", test.agent)
		}
		tr.Apply(&acp.ToolCallUpdate{ToolCallID: "a", Title: &test.call.Title, Status: acp.ToolCallCompleted})
		if got, want := tr.calls.Call("a").Heading(), "Read a.go"; got != want {
			t.Errorf("%s: it is shown as %q, want %q", test.agent, got, want)
		}
		if tr.calls.ClaimTool("nvim", "read", "Read a.go", nil) {
			t.Errorf("%s: it is taken for two", test.agent)
		}
		if tr.calls.Call("a").Kind == acp.ToolKindExecute {
			t.Errorf("%s: it is shown as a command", test.agent)
		}
	}
}

// Of several calls of a tool that are asked for at once each use is the one with its arguments, and shows what it has changed, whatever
// the agent says of it afterwards (behaviours 315, 463).
func TestToolMade(t *testing.T) {
	tr := New(Options{Cwd: "/p"})
	tr.Prompt("go", nil)
	for id, text := range map[string]string{"a": "one", "b": "a\nb"} {
		input, _ := json.Marshal(map[string]any{"tool": "edit", "arguments": map[string]string{"path": id + ".go", "old": text}})
		tr.Apply(&acp.ToolCall{ToolCallID: id, Title: "nvim_edit", Kind: acp.ToolKindOther, RawInput: input})
	}
	for _, id := range []string{"b", "a"} {
		args := []string{map[string]string{"a": "one", "b": "a\nb"}[id], id + ".go"}
		if !tr.calls.ClaimTool("nvim", "edit", "Edit "+id+".go", args) {
			t.Errorf("%s is not claimed", id)
		}
		if got, want := tr.calls.Call(id).Heading(), "Edit "+id+".go"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		old := "x\n"
		if !tr.calls.ToolMade("nvim", "edit", args, []*acp.Diff{{Path: "/p/" + id + ".go", OldText: &old, NewText: "y\nz\n"}}) {
			t.Errorf("%s is not found", id)
		}
		said := []acp.ToolCallContent{&acp.Content{Content: &acp.TextContent{Text: "done"}}}
		tr.Apply(&acp.ToolCallUpdate{ToolCallID: id, Kind: acp.ToolKindOther, Content: acp.Some(said), Status: acp.ToolCallCompleted})
		if got, want := tr.drawing.painter.titleOf(tr.calls.Call(id)), id+".go"; got != want {
			t.Errorf("its title is %q, want %q", got, want)
		}
		if n := len(tr.calls.Call(id).Diffs()); n != 1 || len(tr.calls.Call(id).Texts()) != 1 {
			t.Errorf("%s shows %d diffs, and %q", id, n, tr.calls.Call(id).Texts())
		}
	}
	if got, want := tr.total(tr.calls.announced()), "2 files +4 −2"; got != want {
		t.Errorf("the turn says that it has changed %q, want %q", got, want)
	}
}

// An update of a call that has null for its content or its places leaves them as they are, an empty list removes them (behaviour 1367).
func TestNullLeaves(t *testing.T) {
	type content = acp.Opt[[]acp.ToolCallContent]
	type places = acp.Opt[[]acp.ToolCallLocation]
	for _, tt := range []struct {
		name    string
		content content
		places  places
		want    int
	}{
		{"absent", content{}, places{}, 1},
		{"null", content{Set: true, Null: true}, places{Set: true, Null: true}, 1},
		{"empty", content{Set: true}, places{Set: true}, 0},
	} {
		tr := newTest()
		tr.Apply(&acp.ToolCall{
			ToolCallID: "c", Title: "Look", Content: []acp.ToolCallContent{&acp.Content{Content: acp.Text("found")}},
			Locations: []acp.ToolCallLocation{{Path: "/f"}},
		})
		tr.Apply(&acp.ToolCallUpdate{ToolCallID: "c", Content: tt.content, Locations: tt.places})
		c := tr.Calls().Call("c")
		if len(c.Texts()) != tt.want || len(c.Locations) != tt.want {
			t.Errorf("%s: got %q and %v", tt.name, c.Texts(), c.Locations)
		}
	}
}
