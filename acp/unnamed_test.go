package acp

import (
	"strings"
	"testing"
)

// What an agent leaves without an id is one call from its announcement to its end, asked about once, and one message after another, in each
// session.
func TestUnnamed(t *testing.T) {
	for _, tt := range []struct{ name, steps, want string }{
		{"a call", "call update done", "1 1 1"},
		{"a call that was over", "call done update", "1 1 2"},
		{"a call that fails", "call failed update", "1 1 2"},
		{"a call that is announced over", "over update", "1 2"},
		{"calls that are announced each", "call call update", "1 2 2"},
		{"a call that is asked about", "call ask update done", "1 1 1 1"},
		{"one that is asked about again", "call ask ask update", "1 1 2 2"},
		{"one that was not announced", "ask update", "1 1"},
		{"one that is asked about when it was over", "over ask", "1 2"},
		{"calls of two sessions", "call other:call update other:update", "1 2 1 2"},
		{"messages", "chunk chunk message chunk message", "1 1 2 2 3"},
		{"messages of two sessions", "message other:message chunk other:chunk", "1 2 1 2"},
		{"what has an id", "call update=x ask=x update done=x ask", "1 x x 1 x 1"},
		{"messages that have one", "message chunk=m chunk message=m chunk", "1 m 1 m 1"},
		{"a message and a call", "message call chunk update", "1 2 1 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var n unnamed
			var got []string
			for step := range strings.FieldsSeq(tt.steps) {
				session, what, ok := strings.Cut(step, ":")
				if !ok {
					session, what = "s", step
				}
				what, id, _ := strings.Cut(what, "=")
				got = append(got, strings.TrimPrefix(nameOne(&n, session, what, id), noID))
			}
			if got := strings.Join(got, " "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// nameOne has a message named, and returns the id that it has then.
func nameOne(n *unnamed, session, what, id string) string {
	update := func(u SessionUpdate) { n.name(&SessionNotification{SessionID: session, Update: u}) }
	switch what {
	case "call", "over":
		u := &ToolCall{ToolCallID: id, Status: map[string]ToolCallStatus{"over": ToolCallCompleted}[what]}
		update(u)
		return u.ToolCallID
	case "ask":
		r := &RequestPermissionRequest{SessionID: session, ToolCall: ToolCallUpdate{ToolCallID: id}}
		n.name(r)
		return r.ToolCall.ToolCallID
	case "message":
		u := &SessionMessage{MessageID: id}
		update(u)
		return u.MessageID
	case "chunk":
		u := &SessionMessageChunk{MessageID: id}
		update(u)
		return u.MessageID
	}
	status := map[string]ToolCallStatus{"done": ToolCallCompleted, "failed": ToolCallFailed, "update": ToolCallInProgress}[what]
	u := &ToolCallUpdate{ToolCallID: id, Status: status}
	update(u)
	return u.ToolCallID
}
