package acp

import (
	"reflect"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

func (*UserMessageChunk) sessionUpdate()        {}
func (*AgentMessageChunk) sessionUpdate()       {}
func (*AgentThoughtChunk) sessionUpdate()       {}
func (*ToolCall) sessionUpdate()                {}
func (*ToolCallUpdate) sessionUpdate()          {}
func (*Plan) sessionUpdate()                    {}
func (*AvailableCommandsUpdate) sessionUpdate() {}
func (*CurrentModeUpdate) sessionUpdate()       {}
func (*ConfigOptionUpdate) sessionUpdate()      {}
func (*SessionInfoUpdate) sessionUpdate()       {}
func (*UsageUpdate) sessionUpdate()             {}
func (*Notice) sessionUpdate()                  {}
func (*CompactionUpdate) sessionUpdate()        {}
func (*CompactionSummaryChunk) sessionUpdate()  {}
func (*SubagentUpdate) sessionUpdate()          {}
func (*SessionMessage) sessionUpdate()          {}
func (*SessionMessageChunk) sessionUpdate()     {}
func (*UnknownUpdate) sessionUpdate()           {}

// UpdateKind names the kind of an update as the protocol, or for one that is unknown its agent does.
func UpdateKind(u SessionUpdate) string {
	if u, ok := u.(*UnknownUpdate); ok {
		return u.Kind
	}
	return updateKinds()[reflect.TypeOf(u).Elem()]
}

var updateKinds = sync.OnceValue(func() map[reflect.Type]string {
	kinds := map[reflect.Type]string{}
	for kind, t := range updateUnion.variants {
		kinds[t] = kind
	}
	return kinds
})

// wireNotification is a [SessionNotification] whose update is written with its tag. The tag is not written by the update
// types themselves, because a [ToolCallUpdate] is also sent without one, in a permission request.
type wireNotification struct {
	SessionID string `json:"sessionId"`
	Update    any    `json:"update"`
	Meta      Meta   `json:"_meta,omitzero"`
}

// MarshalJSONTo writes the notification and the kind of its update.
func (n *SessionNotification) MarshalJSONTo(e *jsontext.Encoder) error {
	return encodeTo(e, wireNotification{n.SessionID, taggedUpdate(n.Update), n.Meta})
}

func taggedUpdate(u SessionUpdate) any {
	switch u := u.(type) {
	case *UserMessageChunk:
		return updated[UserMessageChunk]{"user_message_chunk", u}
	case *AgentMessageChunk:
		return updated[AgentMessageChunk]{"agent_message_chunk", u}
	case *AgentThoughtChunk:
		return updated[AgentThoughtChunk]{"agent_thought_chunk", u}
	case *ToolCall:
		return updated[ToolCall]{"tool_call", u}
	case *ToolCallUpdate:
		return updated[ToolCallUpdate]{"tool_call_update", u}
	case *Plan:
		return updated[Plan]{"plan", u}
	case *AvailableCommandsUpdate:
		return updated[AvailableCommandsUpdate]{"available_commands_update", u}
	case *CurrentModeUpdate:
		return updated[CurrentModeUpdate]{"current_mode_update", u}
	case *ConfigOptionUpdate:
		return updated[ConfigOptionUpdate]{"config_option_update", u}
	case *SessionInfoUpdate:
		return updated[SessionInfoUpdate]{"session_info_update", u}
	case *UsageUpdate:
		return updated[UsageUpdate]{"usage_update", u}
	case *Notice:
		return updated[Notice]{"notice", u}
	case *CompactionUpdate:
		return updated[CompactionUpdate]{"compaction_update", u}
	case *CompactionSummaryChunk:
		return updated[CompactionSummaryChunk]{"compaction_summary_chunk", u}
	case *SubagentUpdate:
		return updated[SubagentUpdate]{"subagent_update", u}
	case *SessionMessage:
		return updated[SessionMessage]{"session_message", u}
	case *SessionMessageChunk:
		return updated[SessionMessageChunk]{"session_message_chunk", u}
	case *UnknownUpdate:
		return u.Raw
	}

	return nil
}
