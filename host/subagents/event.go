package subagents

import "github.com/nvim-acp/nvim-acp/acp"

// eventMethod is the notification by which one agent says what was asked of it in our capabilities.
const eventMethod = "github.com/copilot/sessionEvent"

// Event is what that agent says of a subagent.
type Event struct {
	Session string // the agent's id of the session
	Agent   string // id of the subagent
	Started bool   // by a call, else it speaks
	Call    string
	Text    string
}

// ReadEvent reads a notification that is not in the protocol. It reports false if that says nothing of a subagent.
func ReadEvent(method string, params acp.Raw) (Event, bool) {
	var event struct {
		SessionID string `json:"sessionId"`
		Type      string `json:"type"`
		Agent     string `json:"agentId"`
		Data      struct {
			Call string `json:"toolCallId"`
			Text string `json:"deltaContent"`
		} `json:"data"`
	}
	if method != eventMethod || acp.Unmarshal(params, &event) != nil {
		return Event{}, false
	}

	e := Event{Session: event.SessionID, Agent: event.Agent, Call: event.Data.Call, Text: event.Data.Text}
	switch event.Type {
	case "subagent.started":
		e.Started = true
	case "assistant.message_delta", "assistant.reasoning_delta":
	default:
		return Event{}, false
	}

	return e, true
}
