package subagents

import (
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Ids that an agent gives are a child's own, those that it has of us stay, and what came is not changed (behaviour 573).
func TestOwn(t *testing.T) {
	sent := &acp.ToolCallUpdate{
		ToolCallID: "c", Content: acp.Some([]acp.ToolCallContent{&acp.Terminal{TerminalID: "ours"}, &acp.Terminal{TerminalID: "c"}}),
		Meta: acp.Meta{"terminal_exit": acp.Raw(`{"terminal_id":"c","exit_code":3}`), "other": acp.Raw(`{"terminal_id":"c"}`)},
	}
	before, err := acp.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	got := Own("k", sent, func(id string) bool { return id == "ours" }).(*acp.ToolCallUpdate)

	own := transcript.ChildCall("k", "c")
	if got.ToolCallID != own {
		t.Errorf("the call is %q", got.ToolCallID)
	}
	for i, want := range []string{"ours", own} {
		if id := got.Content.Value[i].(*acp.Terminal).TerminalID; id != want {
			t.Errorf("terminal %d is %q, want %q", i, id, want)
		}
	}
	if want := `{"exit_code":3,"terminal_id":"\u0000k\u0000c"}`; string(got.Meta["terminal_exit"]) != want {
		t.Errorf("its exit is %s, want %s", got.Meta["terminal_exit"], want)
	}
	if want := `{"terminal_id":"c"}`; string(got.Meta["other"]) != want {
		t.Errorf("what is not of a terminal is %s", got.Meta["other"])
	}
	if after, _ := acp.Marshal(sent); string(after) != string(before) {
		t.Errorf("it was changed:\n%s\n%s", before, after)
	}
}
