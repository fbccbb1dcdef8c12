package acp

// PromptRequest is session/prompt. Text and links are always allowed, other blocks by the agent's [PromptCapabilities].
type PromptRequest struct {
	SessionID string         `json:"sessionId" acp:"required"`
	Prompt    []ContentBlock `json:"prompt" acp:"required"`
	Meta      Meta           `json:"_meta,omitzero" acp:"lax"`
}

// PromptResponse ends the turn. A StopReason that is not known here ends it too.
type PromptResponse struct {
	StopReason StopReason `json:"stopReason" acp:"required"`
	Usage      *Usage     `json:"usage,omitzero" acp:"lax"` // not in the stable schema
	Meta       Meta       `json:"_meta,omitzero" acp:"lax"`
}

// Usage is the tokens of a turn.
type Usage struct {
	TotalTokens       uint64  `json:"totalTokens" acp:"required"`
	InputTokens       uint64  `json:"inputTokens" acp:"required"`
	OutputTokens      uint64  `json:"outputTokens" acp:"required"`
	ThoughtTokens     *uint64 `json:"thoughtTokens,omitzero" acp:"lax"`
	CachedReadTokens  *uint64 `json:"cachedReadTokens,omitzero" acp:"lax"`
	CachedWriteTokens *uint64 `json:"cachedWriteTokens,omitzero" acp:"lax"`
	Meta              Meta    `json:"_meta,omitzero" acp:"lax"`
}

// StopReason is why a turn ended.
type StopReason string

// The known reasons.
const (
	StopEndTurn         StopReason = "end_turn"
	StopMaxTokens       StopReason = "max_tokens"
	StopMaxTurnRequests StopReason = "max_turn_requests"
	StopRefusal         StopReason = "refusal"
	StopCancelled       StopReason = "cancelled"
)

// CancelNotification is session/cancel: stop the turn that runs in the session.
type CancelNotification struct {
	SessionID string `json:"sessionId" acp:"required"`
	Meta      Meta   `json:"_meta,omitzero" acp:"lax"`
}

// CancelRequestNotification is $/cancel_request, which either side may send.
type CancelRequestNotification struct {
	RequestID Raw  `json:"requestId" acp:"required"`
	Meta      Meta `json:"_meta,omitzero" acp:"lax"`
}
