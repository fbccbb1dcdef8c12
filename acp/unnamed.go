package acp

import (
	"strconv"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/bounds"
)

// Agents leave out the ids of calls and of messages between sessions, or send "" or null. Such a call is one of its own from its
// announcement on, and not the same as every other one without an id.

// noID begins the ids that are made here, and none that an agent would use itself.
const noID = "(no id) "

// NoID reports whether an id was made here, so that it means nothing in another process of the agent.
func NoID(id string) bool { return strings.Contains(id, noID) }

// unnamed gives ids to what comes without. It is used by the read goroutine only.
type unnamed struct {
	made  int
	calls map[string]*openCall // by session: the last call without an id
	told  map[string]string    // by session: the id of the last message without one
}

// openCall is a call that the agent gave no id.
type openCall struct {
	id    string
	over  bool
	asked bool // for permission
}

// name gives an id to what lacks one in a message of the agent's.
func (n *unnamed) name(message any) {
	switch m := message.(type) {
	case *SessionNotification:
		n.update(m.SessionID, m.Update)
	case *RequestPermissionRequest:
		if u := &m.ToolCall; u.ToolCallID == "" {
			c := n.current(m.SessionID, func(c *openCall) bool { return !c.over && !c.asked })
			u.ToolCallID, c.asked = c.id, true
		}
	}
}

func (n *unnamed) update(session string, u SessionUpdate) {
	switch u := u.(type) {
	case *ToolCall:
		if u.ToolCallID == "" {
			c := n.current(session, func(*openCall) bool { return false })
			u.ToolCallID, c.over = c.id, over(u.Status)
		}
		nameTerminals(u.ToolCallID, u.Content)
	case *ToolCallUpdate:
		if u.ToolCallID == "" {
			c := n.current(session, func(c *openCall) bool { return !c.over })
			u.ToolCallID, c.over = c.id, over(u.Status)
		}
		nameTerminals(u.ToolCallID, u.Content.Value)
	case *SessionMessage:
		if u.MessageID == "" {
			u.MessageID = n.make()
			set(&n.told, session, u.MessageID)
		}
	case *SessionMessageChunk:
		if u.MessageID == "" && n.told[session] == "" {
			set(&n.told, session, n.make())
		}
		if u.MessageID == "" {
			u.MessageID = n.told[session]
		}
	}
}

// current returns a session's last call without an id if it fits, else a new one.
func (n *unnamed) current(session string, fits func(*openCall) bool) *openCall {
	if c := n.calls[session]; c != nil && fits(c) {
		return c
	}
	c := &openCall{id: n.make()}
	set(&n.calls, session, c)
	return c
}

func (n *unnamed) make() string {
	n.made++
	return noID + strconv.Itoa(n.made)
}

// set notes a value of a session. Where an agent names ever more sessions all of them are forgotten, and what they send next is new.
func set[V any](m *map[string]V, key string, value V) {
	if *m == nil || len(*m) >= bounds.Sessions {
		*m = map[string]V{}
	}
	(*m)[key] = value
}

func over(s ToolCallStatus) bool { return s == ToolCallCompleted || s == ToolCallFailed }

// nameTerminals gives the id of their call to terminals without one, as agents do that report terminals of their own.
func nameTerminals(call string, content []ToolCallContent) {
	for _, c := range content {
		if t, ok := c.(*Terminal); ok && t.TerminalID == "" {
			t.TerminalID = call
		}
	}
}
