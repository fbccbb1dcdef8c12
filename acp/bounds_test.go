package acp

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/bounds"
)

// many returns a JSON list of n items.
func many(n int, item string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
}

// Of a long list in a message the beginning is taken, at any depth, and that is known (behaviour 759).
func TestListsAreBounded(t *testing.T) {
	const entry = `{"content": "c", "priority": "low", "status": "pending"}`
	for _, c := range []struct {
		name, update string
		count        func(u SessionUpdate) int
	}{
		{"plan", `{"sessionUpdate": "plan", "entries": ` + many(MaxItems+7, entry) + `}`, func(u SessionUpdate) int { return len(u.(*Plan).Entries) }},
		{"commands", `{"sessionUpdate": "available_commands_update", "availableCommands": ` + many(MaxItems+7, `{"name": "n", "description": "d"}`) + `}`,
			func(u SessionUpdate) int { return len(u.(*AvailableCommandsUpdate).AvailableCommands) }},
		{"locations", `{"sessionUpdate": "tool_call", "toolCallId": "c", "title": "t", "locations": ` + many(MaxItems+7, `{"path": "/a"}`) + `}`,
			func(u SessionUpdate) int { return len(u.(*ToolCall).Locations) }},
		{"content of a change", `{"sessionUpdate": "tool_call_update", "toolCallId": "c", "content": ` +
			many(MaxItems+7, `{"type": "content", "content": {"type": "text", "text": "x"}}`) + `}`,
			func(u SessionUpdate) int { return len(u.(*ToolCallUpdate).Content.Or(nil)) }},
	} {
		var n SessionNotification
		if err := Unmarshal([]byte(`{"sessionId": "s", "update": `+c.update+`}`), &n); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := c.count(n.Update); got != MaxItems || !Cut(n.Update) {
			t.Errorf("%s: %d items, known %v; want %d", c.name, got, Cut(n.Update), MaxItems)
		}
	}
	if Cut(&Plan{Entries: make([]PlanEntry, MaxItems-1)}) {
		t.Error("a shorter list counts as cut")
	}
}

// A form with more fields than a user fills in is refused (behaviour 759).
func TestFormsAreBounded(t *testing.T) {
	form := func(n int) error {
		var fields []string
		for i := range n {
			fields = append(fields, fmt.Sprintf(`"f%d": {"type": "string"}`, i))
		}
		var r CreateElicitationRequest
		return Unmarshal([]byte(`{"sessionId": "s", "message": "m", "mode": "form", "requestedSchema": {"properties": {`+strings.Join(fields, ",")+`}}}`), &r)
	}
	if err := form(maxProperties); err != nil {
		t.Errorf("%d fields: %v", maxProperties, err)
	}
	if err := form(maxProperties + 1); err == nil || !strings.Contains(err.Error(), "more than 200") {
		t.Errorf("one more: %v", err)
	}
}

// Of a long error the beginning is shown, with its size (behaviour 759).
func TestErrorsAreBounded(t *testing.T) {
	long := strings.Repeat("word ", 1<<18)
	for _, e := range []*Error{{Code: CodeInternal, Message: long}, {Code: 7, Data: Raw(`"` + long + `"`)}} {
		if got := e.Error(); len(got) > maxText+100 || !strings.HasPrefix(got, "word word") || !strings.Contains(got, " KiB: the log has all of it") {
			t.Errorf("%d bytes: %.20q … %q", len(got), got, got[max(0, len(got)-60):])
		}
	}
}

// An agent that names ever more sessions in what it sends without ids takes no more memory for each (behaviour 759).
func TestUnnamedIsBounded(t *testing.T) {
	var n unnamed
	for i := range 3 * bounds.Sessions {
		session := strconv.Itoa(i)
		n.name(&SessionNotification{SessionID: session, Update: &ToolCall{}})
		n.name(&SessionNotification{SessionID: session, Update: &SessionMessageChunk{}})
	}
	if len(n.calls) > bounds.Sessions || len(n.told) > bounds.Sessions {
		t.Errorf("%d calls and %d messages are remembered, want at most %d", len(n.calls), len(n.told), bounds.Sessions)
	}
}
