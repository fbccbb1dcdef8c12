package acp

// Sessions that a session of the agent's creates and owns, its subagents. They are not in the stable schema: an agent says nothing of
// them unless the client has the capability. Their updates and requests carry their own session id.

// SubagentUpdate announces a child of the enclosing session, or patches what is known of it: absent leaves, null clears.
type SubagentUpdate struct {
	SessionID             string                           `json:"sessionId" acp:"required"`
	Title                 Opt[string]                      `json:"title,omitzero" acp:"lax"`
	Description           Opt[string]                      `json:"description,omitzero" acp:"lax"`
	Capabilities          Opt[SubagentSessionCapabilities] `json:"capabilities,omitzero" acp:"lax"`
	State                 Opt[SubagentState]               `json:"state,omitzero" acp:"lax"`
	Cwd                   Opt[string]                      `json:"cwd,omitzero" acp:"lax"`
	AdditionalDirectories Opt[[]string]                    `json:"additionalDirectories,omitzero" acp:"lax"`
	Meta                  Meta                             `json:"_meta,omitzero" acp:"lax"`
}

// SubagentSessionCapabilities are what the client may do to a child. Cancel is [CancelNotification] with the child's id.
type SubagentSessionCapabilities struct {
	Cancel *Supported `json:"cancel,omitzero" acp:"lax"`
	Meta   Meta       `json:"_meta,omitzero" acp:"lax"`
}

// SubagentState is what a child does now. It replaces the state before, whole.
type SubagentState struct {
	State      SubagentActivity `json:"state" acp:"required"`
	StopReason StopReason       `json:"stopReason,omitzero" acp:"lax"` // of an idle one; "" if it is not said
	Error      *Error           `json:"error,omitzero" acp:"lax"`      // of an idle one that has failed
	Meta       Meta             `json:"_meta,omitzero" acp:"lax"`
}

// SubagentActivity is what a child does; other values are allowed.
type SubagentActivity string

// The known activities.
const (
	SubagentRunning        SubagentActivity = "running"
	SubagentIdle           SubagentActivity = "idle"
	SubagentRequiresAction SubagentActivity = "requires_action"
	SubagentUnknown        SubagentActivity = "unknown"
)

// StopError is the reason of a child that has failed.
const StopError StopReason = "error"

// SessionMessage creates or patches a message between two sessions, as one of them has it: absent leaves, null clears.
type SessionMessage struct {
	MessageID          string              `json:"messageId" acp:"required,id"` // unique in the enclosing session
	SenderSessionID    Opt[string]         `json:"senderSessionId,omitzero" acp:"lax"`
	RecipientSessionID Opt[string]         `json:"recipientSessionId,omitzero" acp:"lax"`
	SenderMessageID    Opt[string]         `json:"senderMessageId,omitzero" acp:"lax"`    // the same message, in the sender's session
	RecipientMessageID Opt[string]         `json:"recipientMessageId,omitzero" acp:"lax"` // the same, in the recipient's
	Content            Opt[[]ContentBlock] `json:"content,omitzero" acp:"lax"`
	Meta               Meta                `json:"_meta,omitzero" acp:"lax"`
}

// SessionMessageChunk appends to a message between two sessions, which a [SessionMessage] may describe before or after.
type SessionMessageChunk struct {
	MessageID string       `json:"messageId" acp:"required,id"`
	Content   ContentBlock `json:"content" acp:"required"`
	Meta      Meta         `json:"_meta,omitzero" acp:"lax"`
}
