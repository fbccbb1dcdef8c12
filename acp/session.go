package acp

// SystemPrompt is added to the agent's own instructions, where it has [SessionCapabilities].SystemPrompt. It is not in the stable schema.
type SystemPrompt struct {
	Mode    SystemPromptMode `json:"mode" acp:"required"`
	Content []ContentBlock   `json:"content" acp:"required"` // texts, at least one
	Meta    Meta             `json:"_meta,omitzero" acp:"lax"`
}

// SystemPromptMode is how a system prompt and the agent's own instructions go together.
type SystemPromptMode string

// PromptAppend is the mode that every agent has which takes a system prompt.
const PromptAppend SystemPromptMode = "append"

// NewSessionRequest is session/new. Cwd and AdditionalDirectories are absolute; the latter only where the agent can.
type NewSessionRequest struct {
	Cwd                   string        `json:"cwd" acp:"required"`
	AdditionalDirectories []string      `json:"additionalDirectories,omitempty"`
	MCPServers            []MCPServer   `json:"mcpServers" acp:"required"`
	SystemPrompt          *SystemPrompt `json:"systemPrompt,omitzero"`
	Meta                  Meta          `json:"_meta,omitzero" acp:"lax"`
}

// NewSessionResponse is the new session. ConfigOptions, where given, take the place of Modes and Models.
type NewSessionResponse struct {
	SessionID     string                `json:"sessionId" acp:"required"`
	Modes         *SessionModeState     `json:"modes,omitzero" acp:"lax"`
	Models        *SessionModelState    `json:"models,omitzero" acp:"lax"`
	ConfigOptions []SessionConfigOption `json:"configOptions,omitzero" acp:"lax"`
	Meta          Meta                  `json:"_meta,omitzero" acp:"lax"`
}

// LoadSessionRequest is session/load: the agent replays the conversation, by custom before it answers.
type LoadSessionRequest struct {
	SessionID             string        `json:"sessionId" acp:"required"`
	Cwd                   string        `json:"cwd" acp:"required"`
	AdditionalDirectories []string      `json:"additionalDirectories,omitempty"`
	MCPServers            []MCPServer   `json:"mcpServers" acp:"required"`
	SystemPrompt          *SystemPrompt `json:"systemPrompt,omitzero"`
	Meta                  Meta          `json:"_meta,omitzero" acp:"lax"`
}

// LoadSessionResponse answers session/load; the session keeps the id of the request.
type LoadSessionResponse struct {
	Modes         *SessionModeState     `json:"modes,omitzero" acp:"lax"`
	Models        *SessionModelState    `json:"models,omitzero" acp:"lax"`
	ConfigOptions []SessionConfigOption `json:"configOptions,omitzero" acp:"lax"`
	Meta          Meta                  `json:"_meta,omitzero" acp:"lax"`
}

// ResumeSessionRequest is session/resume: as load, without the replay.
type ResumeSessionRequest struct {
	SessionID             string        `json:"sessionId" acp:"required"`
	Cwd                   string        `json:"cwd" acp:"required"`
	AdditionalDirectories []string      `json:"additionalDirectories,omitempty"`
	MCPServers            []MCPServer   `json:"mcpServers,omitempty"`
	SystemPrompt          *SystemPrompt `json:"systemPrompt,omitzero"`
	Meta                  Meta          `json:"_meta,omitzero" acp:"lax"`
}

// ResumeSessionResponse answers session/resume.
type ResumeSessionResponse struct {
	Modes         *SessionModeState     `json:"modes,omitzero" acp:"lax"`
	Models        *SessionModelState    `json:"models,omitzero" acp:"lax"`
	ConfigOptions []SessionConfigOption `json:"configOptions,omitzero" acp:"lax"`
	Meta          Meta                  `json:"_meta,omitzero" acp:"lax"`
}

// ForkSessionRequest is session/fork, not in the stable schema: a new session with the history of SessionID.
type ForkSessionRequest struct {
	SessionID             string        `json:"sessionId" acp:"required"`
	Cwd                   string        `json:"cwd" acp:"required"`
	AdditionalDirectories []string      `json:"additionalDirectories,omitempty"`
	MCPServers            []MCPServer   `json:"mcpServers,omitempty"`
	SystemPrompt          *SystemPrompt `json:"systemPrompt,omitzero"`
	Meta                  Meta          `json:"_meta,omitzero" acp:"lax"`
}

// ForkSessionResponse is the new session.
type ForkSessionResponse struct {
	SessionID     string                `json:"sessionId" acp:"required"`
	Modes         *SessionModeState     `json:"modes,omitzero" acp:"lax"`
	Models        *SessionModelState    `json:"models,omitzero" acp:"lax"`
	ConfigOptions []SessionConfigOption `json:"configOptions,omitzero" acp:"lax"`
	Meta          Meta                  `json:"_meta,omitzero" acp:"lax"`
}

// ListSessionsRequest is session/list; Cursor is the NextCursor of the page before, unchanged.
type ListSessionsRequest struct {
	Cwd    string `json:"cwd,omitzero"`
	Cursor string `json:"cursor,omitzero"`
	Meta   Meta   `json:"_meta,omitzero" acp:"lax"`
}

// ListSessionsResponse is one page; NextCursor is empty on the last.
type ListSessionsResponse struct {
	Sessions   []SessionInfo `json:"sessions" acp:"required,lax"`
	NextCursor string        `json:"nextCursor,omitzero" acp:"lax"`
	Meta       Meta          `json:"_meta,omitzero" acp:"lax"`
}

// SessionInfo is a session of the agent's; UpdatedAt is ISO 8601 where the agent keeps to the protocol.
type SessionInfo struct {
	SessionID             string   `json:"sessionId" acp:"required"`
	Cwd                   string   `json:"cwd" acp:"required"`
	AdditionalDirectories []string `json:"additionalDirectories,omitempty" acp:"lax"`
	Title                 string   `json:"title,omitzero" acp:"lax"`
	UpdatedAt             string   `json:"updatedAt,omitzero" acp:"lax"`
	Meta                  Meta     `json:"_meta,omitzero" acp:"lax"`
}

// DeleteSessionRequest is session/delete.
type DeleteSessionRequest struct {
	SessionID string `json:"sessionId" acp:"required"`
	Meta      Meta   `json:"_meta,omitzero" acp:"lax"`
}

// DeleteSessionResponse answers session/delete.
type DeleteSessionResponse struct {
	Meta Meta `json:"_meta,omitzero" acp:"lax"`
}

// CloseSessionRequest is session/close: cancel what runs, then free the session.
type CloseSessionRequest struct {
	SessionID string `json:"sessionId" acp:"required"`
	Meta      Meta   `json:"_meta,omitzero" acp:"lax"`
}

// CloseSessionResponse answers session/close.
type CloseSessionResponse struct {
	Meta Meta `json:"_meta,omitzero" acp:"lax"`
}
