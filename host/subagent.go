package host

import (
	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// subagentMethod is the notification by which one agent says what was asked of it in our capabilities.
const subagentMethod = "github.com/copilot/sessionEvent"

// told takes notifications that are not in the protocol. It runs on the read goroutine.
func (c client) told(method string, params acp.Raw) {
	var event struct {
		SessionID string `json:"sessionId"`
		Type      string `json:"type"`
		Agent     string `json:"agentId"`
		Data      struct {
			Call string `json:"toolCallId"`
			Text string `json:"deltaContent"`
		} `json:"data"`
	}
	if method != subagentMethod || acp.Unmarshal(params, &event) != nil {
		return
	}
	s := c.session(event.SessionID)
	if s == nil {
		return
	}
	switch event.Type {
	case "subagent.started":
		s.do(func(st *session.State) { st.Subagent(event.Agent, event.Data.Call) })
	case "assistant.message_delta", "assistant.reasoning_delta":
		s.do(func(st *session.State) { st.Speaks(event.Agent, event.Data.Text) })
	}
}
