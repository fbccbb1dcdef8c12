package acp

// ProtocolVersion is the version this package speaks.
const ProtocolVersion = 1

// InitializeRequest is initialize, the first message.
type InitializeRequest struct {
	ProtocolVersion    uint16             `json:"protocolVersion" acp:"required"`
	ClientCapabilities ClientCapabilities `json:"clientCapabilities" acp:"lax"`
	ClientInfo         *Implementation    `json:"clientInfo,omitzero" acp:"lax"`
	Meta               Meta               `json:"_meta,omitzero" acp:"lax"`
}

// InitializeResponse describes the agent. The caller must check its version.
type InitializeResponse struct {
	ProtocolVersion   uint16            `json:"protocolVersion" acp:"required"`
	AgentCapabilities AgentCapabilities `json:"agentCapabilities,omitzero" acp:"lax"`
	AuthMethods       []AuthMethod      `json:"authMethods,omitzero" acp:"lax"`
	AgentInfo         *Implementation   `json:"agentInfo,omitzero" acp:"lax"`
	Meta              Meta              `json:"_meta,omitzero" acp:"lax"`
}

// Implementation is a program's name and version.
type Implementation struct {
	Name    string `json:"name" acp:"required"`
	Title   string `json:"title,omitzero" acp:"lax"`
	Version string `json:"version" acp:"required"`
	Meta    Meta   `json:"_meta,omitzero" acp:"lax"`
}

// Display returns the name to show.
func (i *Implementation) Display() string {
	if i.Title != "" {
		return i.Title
	}
	return i.Name
}

// Supported is an object whose presence alone says that something is supported; nil means it is not.
type Supported struct {
	Meta Meta `json:"_meta,omitzero" acp:"lax"`
}

// ClientCapabilities are the capabilities of the client. Subagents is not in the stable schema.
type ClientCapabilities struct {
	FS          FileSystemCapabilities     `json:"fs" acp:"lax"`
	Terminal    bool                       `json:"terminal" acp:"lax"`
	Session     *ClientSessionCapabilities `json:"session,omitzero" acp:"lax"`
	Auth        AuthCapabilities           `json:"auth" acp:"lax"`
	Elicitation *ElicitationCapabilities   `json:"elicitation,omitzero" acp:"lax"`
	Subagents   *Supported                 `json:"subagents,omitzero" acp:"lax"`
	Meta        Meta                       `json:"_meta,omitzero" acp:"lax"`
}

// FileSystemCapabilities are the fs/* methods that the client serves.
type FileSystemCapabilities struct {
	ReadTextFile  bool `json:"readTextFile" acp:"lax"`
	WriteTextFile bool `json:"writeTextFile" acp:"lax"`
	Meta          Meta `json:"_meta,omitzero" acp:"lax"`
}

// ClientSessionCapabilities are the optional updates that the client shows.
type ClientSessionCapabilities struct {
	Compaction    *Supported                        `json:"compaction,omitzero" acp:"lax"`
	ConfigOptions *SessionConfigOptionsCapabilities `json:"configOptions,omitzero" acp:"lax"`
	Notices       *Supported                        `json:"notices,omitzero" acp:"lax"`
	Meta          Meta                              `json:"_meta,omitzero" acp:"lax"`
}

// SessionConfigOptionsCapabilities are the optional kinds of option that the client shows.
type SessionConfigOptionsCapabilities struct {
	Boolean *Supported `json:"boolean,omitzero" acp:"lax"`
	Meta    Meta       `json:"_meta,omitzero" acp:"lax"`
}

// AuthCapabilities are the optional kinds of login that the client supports.
type AuthCapabilities struct {
	Terminal bool `json:"terminal" acp:"lax"`
	Meta     Meta `json:"_meta,omitzero" acp:"lax"`
}

// ElicitationCapabilities are the modes of elicitation that the client shows; an empty one has none.
type ElicitationCapabilities struct {
	Form *Supported `json:"form,omitzero" acp:"lax"`
	URL  *Supported `json:"url,omitzero" acp:"lax"`
	Meta Meta       `json:"_meta,omitzero" acp:"lax"`
}

// AgentCapabilities are the capabilities of the agent.
type AgentCapabilities struct {
	LoadSession         bool                  `json:"loadSession,omitzero" acp:"lax"`
	PromptCapabilities  PromptCapabilities    `json:"promptCapabilities,omitzero" acp:"lax"`
	MCPCapabilities     MCPCapabilities       `json:"mcpCapabilities,omitzero" acp:"lax"`
	SessionCapabilities SessionCapabilities   `json:"sessionCapabilities,omitzero" acp:"lax"`
	Auth                AgentAuthCapabilities `json:"auth,omitzero" acp:"lax"`
	Meta                Meta                  `json:"_meta,omitzero" acp:"lax"`
}

// PromptCapabilities are the blocks that a prompt may have beside text and links.
type PromptCapabilities struct {
	Image           bool `json:"image,omitzero" acp:"lax"`
	Audio           bool `json:"audio,omitzero" acp:"lax"`
	EmbeddedContext bool `json:"embeddedContext,omitzero" acp:"lax"`
	Meta            Meta `json:"_meta,omitzero" acp:"lax"`
}

// MCPCapabilities are the transports of servers that the agent supports beside stdio.
type MCPCapabilities struct {
	HTTP bool `json:"http,omitzero" acp:"lax"`
	SSE  bool `json:"sse,omitzero" acp:"lax"`
	Meta Meta `json:"_meta,omitzero" acp:"lax"`
}

// SessionCapabilities are the optional session methods of the agent. Fork and SystemPrompt are not in the stable schema.
type SessionCapabilities struct {
	List                  *Supported `json:"list,omitzero" acp:"lax"`
	Delete                *Supported `json:"delete,omitzero" acp:"lax"`
	AdditionalDirectories *Supported `json:"additionalDirectories,omitzero" acp:"lax"`
	Resume                *Supported `json:"resume,omitzero" acp:"lax"`
	Close                 *Supported `json:"close,omitzero" acp:"lax"`
	Fork                  *Supported `json:"fork,omitzero" acp:"lax"`
	SystemPrompt          *Supported `json:"systemPrompt,omitzero" acp:"lax"`
	Meta                  Meta       `json:"_meta,omitzero" acp:"lax"`
}

// AgentAuthCapabilities says whether the agent has logout.
type AgentAuthCapabilities struct {
	Logout *Supported `json:"logout,omitzero" acp:"lax"`
	Meta   Meta       `json:"_meta,omitzero" acp:"lax"`
}
