package host

import (
	"encoding/json"

	"github.com/nvim-acp/nvim-acp/acp"
)

// subagentEvents asks one agent to say which call a subagent is, and of each piece of text, before it comes, who says it: the
// updates of the protocol have only the subagent's id, and texts have nothing. subagentMethod is the notification by which it does.
const (
	subagentEvents = `{"events": ["subagent.started", "assistant.message_delta", "assistant.reasoning_delta"]}`
	subagentMethod = "github.com/copilot/sessionEvent"
)

// told takes notifications that are not in the protocol. It runs on the read goroutine.
func (a *agent) told(method string, params acp.Raw) {
	var event struct {
		SessionID string `json:"sessionId"`
		Type      string `json:"type"`
		Agent     string `json:"agentId"`
		Data      struct {
			Call string `json:"toolCallId"`
			Text string `json:"deltaContent"`
		} `json:"data"`
	}
	if method != subagentMethod || json.Unmarshal(params, &event) != nil {
		return
	}
	s := a.session(event.SessionID)
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch event.Type {
	case "subagent.started":
		s.log.Subagent(event.Agent, event.Data.Call)
	case "assistant.message_delta", "assistant.reasoning_delta":
		s.log.Speaks(event.Agent, event.Data.Text)
	}
}
