package acp

// RequestPermissionRequest is session/request_permission. Its tool call may be one that was never announced, and then says
// all there is to know about it (behaviour 135).
type RequestPermissionRequest struct {
	SessionID string             `json:"sessionId" acp:"required"`
	ToolCall  ToolCallUpdate     `json:"toolCall" acp:"required"`
	Options   []PermissionOption `json:"options" acp:"required"`
	Meta      Meta               `json:"_meta,omitzero" acp:"lax"`
}

// PermissionOption is one choice. Kinds repeat; the id is the answer.
type PermissionOption struct {
	OptionID string               `json:"optionId" acp:"required"`
	Name     string               `json:"name" acp:"required"`
	Kind     PermissionOptionKind `json:"kind" acp:"required"`
	Meta     Meta                 `json:"_meta,omitzero" acp:"lax"`
}

// PermissionOptionKind hints at what an option does. One that is not known here is never chosen by a rule.
type PermissionOptionKind string

// The known kinds.
const (
	AllowOnce    PermissionOptionKind = "allow_once"
	AllowAlways  PermissionOptionKind = "allow_always"
	RejectOnce   PermissionOptionKind = "reject_once"
	RejectAlways PermissionOptionKind = "reject_always"
)

// RequestPermissionResponse is the user's choice; see [PermissionSelected] and [PermissionCancelled].
type RequestPermissionResponse struct {
	Outcome RequestPermissionOutcome `json:"outcome" acp:"required"`
	Meta    Meta                     `json:"_meta,omitzero" acp:"lax"`
}

// RequestPermissionOutcome is "selected" with the id of an offered option, or "cancelled".
type RequestPermissionOutcome struct {
	Outcome  string `json:"outcome" acp:"required"`
	OptionID string `json:"optionId,omitzero"`
	Meta     Meta   `json:"_meta,omitzero" acp:"lax"`
}

// PermissionSelected is the answer that chooses an option.
func PermissionSelected(optionID string) *RequestPermissionResponse {
	return &RequestPermissionResponse{Outcome: RequestPermissionOutcome{Outcome: "selected", OptionID: optionID}}
}

// PermissionCancelled is the answer for a turn that was cancelled.
func PermissionCancelled() *RequestPermissionResponse {
	return &RequestPermissionResponse{Outcome: RequestPermissionOutcome{Outcome: "cancelled"}}
}
