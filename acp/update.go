package acp

// SessionNotification is session/update: something happened in a session, known here or not.
type SessionNotification struct {
	SessionID string        `json:"sessionId" acp:"required"`
	Update    SessionUpdate `json:"update" acp:"required"`
	Meta      Meta          `json:"_meta,omitzero" acp:"lax"`
}

// SessionUpdate is one of the update types of this file, [*ToolCall], [*ToolCallUpdate], [*SubagentUpdate], [*SessionMessage],
// [*SessionMessageChunk] or [*UnknownUpdate].
type SessionUpdate interface{ sessionUpdate() }

// ContentChunk is a piece of a message. Chunks with the same MessageID belong together; it is empty when absent.
type ContentChunk struct {
	Content   ContentBlock `json:"content" acp:"required"`
	MessageID string       `json:"messageId,omitzero" acp:"lax,id"`
	Meta      Meta         `json:"_meta,omitzero" acp:"lax"`
}

// UserMessageChunk is part of the user's message, replayed or echoed.
type UserMessageChunk ContentChunk

// AgentMessageChunk is part of the answer.
type AgentMessageChunk ContentChunk

// AgentThoughtChunk is part of the agent's reasoning.
type AgentThoughtChunk ContentChunk

// Plan replaces the whole plan.
type Plan struct {
	Entries []PlanEntry `json:"entries" acp:"required,lax"`
	Meta    Meta        `json:"_meta,omitzero" acp:"lax"`
}

// PlanEntry is one task of a plan.
type PlanEntry struct {
	Content  string            `json:"content" acp:"required"`
	Priority PlanEntryPriority `json:"priority" acp:"required,waived"`
	Status   PlanEntryStatus   `json:"status" acp:"required,waived"`
	Meta     Meta              `json:"_meta,omitzero" acp:"lax"`
}

// PlanEntryPriority is how much a task matters.
type PlanEntryPriority string

// The known priorities.
const (
	PriorityHigh   PlanEntryPriority = "high"
	PriorityMedium PlanEntryPriority = "medium"
	PriorityLow    PlanEntryPriority = "low"
)

// PlanEntryStatus is how far a task is.
type PlanEntryStatus string

// The known states.
const (
	PlanPending    PlanEntryStatus = "pending"
	PlanInProgress PlanEntryStatus = "in_progress"
	PlanCompleted  PlanEntryStatus = "completed"
)

// AvailableCommandsUpdate replaces the list of slash commands.
type AvailableCommandsUpdate struct {
	AvailableCommands []AvailableCommand `json:"availableCommands" acp:"required,lax"`
	Meta              Meta               `json:"_meta,omitzero" acp:"lax"`
}

// AvailableCommand is sent as a prompt that begins with /Name.
type AvailableCommand struct {
	Name        string                 `json:"name" acp:"required"`
	Description string                 `json:"description" acp:"required,waived"`
	Input       *AvailableCommandInput `json:"input,omitzero" acp:"lax"`
	Meta        Meta                   `json:"_meta,omitzero" acp:"lax"`
}

// AvailableCommandInput says what follows the command's name (the schema's UnstructuredCommandInput, its only shape).
type AvailableCommandInput struct {
	Hint string `json:"hint" acp:"required"`
	Meta Meta   `json:"_meta,omitzero" acp:"lax"`
}

// CurrentModeUpdate is the mode the agent is in now. The key modeId, seen in the protocol's own examples, is read too.
type CurrentModeUpdate struct {
	CurrentModeID string `json:"currentModeId" acp:"required,or=modeId"`
	Meta          Meta   `json:"_meta,omitzero" acp:"lax"`
}

// ConfigOptionUpdate replaces all configuration options.
type ConfigOptionUpdate struct {
	ConfigOptions []SessionConfigOption `json:"configOptions" acp:"required,lax"`
	Meta          Meta                  `json:"_meta,omitzero" acp:"lax"`
}

// SessionInfoUpdate patches what session/list would say: absent leaves, null clears.
type SessionInfoUpdate struct {
	Title     Opt[string] `json:"title,omitzero" acp:"lax"`
	UpdatedAt Opt[string] `json:"updatedAt,omitzero" acp:"lax"`
	Meta      Meta        `json:"_meta,omitzero" acp:"lax"`
}

// UsageUpdate is the tokens in context now, and what the session has cost so far.
type UsageUpdate struct {
	Used uint64 `json:"used" acp:"required"`
	Size uint64 `json:"size" acp:"required"`
	Cost *Cost  `json:"cost,omitzero" acp:"lax"`
	Meta Meta   `json:"_meta,omitzero" acp:"lax"`
}

// Cost is in an ISO 4217 currency, or in another unit such as "credits".
type Cost struct {
	Amount   float64 `json:"amount" acp:"required"`
	Currency string  `json:"currency" acp:"required"`
	Meta     Meta    `json:"_meta,omitzero" acp:"lax"`
}

// Notice is a live message beside the conversation; it never changes the turn's state.
type Notice struct {
	Severity    NoticeSeverity `json:"severity" acp:"required,waived"`
	Title       string         `json:"title" acp:"required,waived"`
	Description string         `json:"description,omitzero" acp:"lax"`
	Meta        Meta           `json:"_meta,omitzero" acp:"lax"`
}

// NoticeSeverity is a hint on how to show a notice; other values are allowed.
type NoticeSeverity string

// The known severities.
const (
	NoticeInfo    NoticeSeverity = "info"
	NoticeWarning NoticeSeverity = "warning"
	NoticeError   NoticeSeverity = "error"
)

// CompactionUpdate creates or patches a compaction. Summary, Error and Meta leave when absent and clear when null; an empty
// Summary clears too, and so does an empty Meta that is not nil.
type CompactionUpdate struct {
	CompactionID string              `json:"compactionId" acp:"required,id"`
	Status       CompactionStatus    `json:"status" acp:"required,waived"`
	Summary      Opt[[]ContentBlock] `json:"summary,omitzero" acp:"lax"`
	Error        Opt[string]         `json:"error,omitzero" acp:"lax"`
	Meta         Meta                `json:"_meta,omitzero" acp:"lax"`
}

// CompactionStatus is how far a compaction is; other values are allowed.
type CompactionStatus string

// The known states.
const (
	CompactionInProgress CompactionStatus = "in_progress"
	CompactionCompleted  CompactionStatus = "completed"
	CompactionFailed     CompactionStatus = "failed"
	CompactionCancelled  CompactionStatus = "cancelled"
)

// CompactionSummaryChunk appends to the summary; an id not seen before starts a compaction.
type CompactionSummaryChunk struct {
	CompactionID string       `json:"compactionId" acp:"required,id"`
	Content      ContentBlock `json:"content" acp:"required"`
	Meta         Meta         `json:"_meta,omitzero" acp:"lax"`
}

// UnknownUpdate is an update of a kind that this version does not know, or one that cannot be read, whole.
type UnknownUpdate struct {
	Kind string
	Raw  Raw
	Why  string // it cannot be read
}
