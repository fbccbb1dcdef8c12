package acp

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// ToolCall announces a call, or replaces all of one that was announced before. An absent Kind means other, an absent
// Status pending; [ToolCall.Defaults] fills them in.
type ToolCall struct {
	ToolCallID string             `json:"toolCallId" acp:"required,id"`
	Title      string             `json:"title" acp:"required,waived"`
	Name       string             `json:"name,omitzero" acp:"lax"`
	Kind       ToolKind           `json:"kind,omitzero" acp:"lax"`
	Status     ToolCallStatus     `json:"status,omitzero" acp:"lax"`
	Content    []ToolCallContent  `json:"content,omitzero" acp:"lax"`
	Locations  []ToolCallLocation `json:"locations,omitzero" acp:"lax"`
	RawInput   Raw                `json:"rawInput,omitzero" acp:"lax"`
	RawOutput  Raw                `json:"rawOutput,omitzero" acp:"lax"`
	Meta       Meta               `json:"_meta,omitzero" acp:"lax"`
}

// Defaults sets the kind and status that the protocol means by their absence.
func (c *ToolCall) Defaults() {
	if c.Kind == "" {
		c.Kind = ToolKindOther
	}
	if c.Status == "" {
		c.Status = ToolCallPending
	}
}

// Update returns the announcement as the patch that has all of its fields. Of a call that is announced again, what is absent stays.
func (c *ToolCall) Update() *ToolCallUpdate {
	c.Defaults()
	u := &ToolCallUpdate{
		ToolCallID: c.ToolCallID, Kind: c.Kind, Status: c.Status, RawInput: c.RawInput, RawOutput: c.RawOutput, Meta: c.Meta,
	}
	if c.Title != "" {
		u.Title = &c.Title
	}
	if c.Content != nil {
		u.Content = Some(c.Content)
	}
	if c.Locations != nil {
		u.Locations = Some(c.Locations)
	}
	if c.Name != "" {
		u.Name = &c.Name
	}

	return u
}

// ToolCallUpdate patches the call of that id, which may never have been announced. Kind, Status, Title and Name are
// unchanged when absent (empty or nil), RawInput and RawOutput when nil. Content and Locations replace the whole list;
// for them a null is kept apart from an absence, though version 1 means the same by both.
type ToolCallUpdate struct {
	ToolCallID string                  `json:"toolCallId" acp:"required,id"`
	Kind       ToolKind                `json:"kind,omitzero" acp:"lax"`
	Status     ToolCallStatus          `json:"status,omitzero" acp:"lax"`
	Title      *string                 `json:"title,omitzero" acp:"lax"`
	Name       *string                 `json:"name,omitzero" acp:"lax"`
	Content    Opt[[]ToolCallContent]  `json:"content,omitzero" acp:"lax"`
	Locations  Opt[[]ToolCallLocation] `json:"locations,omitzero" acp:"lax"`
	RawInput   Raw                     `json:"rawInput,omitzero" acp:"lax"`
	RawOutput  Raw                     `json:"rawOutput,omitzero" acp:"lax"`
	Meta       Meta                    `json:"_meta,omitzero" acp:"lax"`
}

// ToolKind is the category of a tool; empty when absent.
type ToolKind string

// The known kinds.
const (
	ToolKindRead       ToolKind = "read"
	ToolKindEdit       ToolKind = "edit"
	ToolKindDelete     ToolKind = "delete"
	ToolKindMove       ToolKind = "move"
	ToolKindSearch     ToolKind = "search"
	ToolKindExecute    ToolKind = "execute"
	ToolKindThink      ToolKind = "think"
	ToolKindFetch      ToolKind = "fetch"
	ToolKindSwitchMode ToolKind = "switch_mode"
	ToolKindOther      ToolKind = "other"
)

// ToolCallStatus is the status of a call; empty when absent.
type ToolCallStatus string

// The known states.
const (
	ToolCallPending    ToolCallStatus = "pending"
	ToolCallInProgress ToolCallStatus = "in_progress"
	ToolCallCompleted  ToolCallStatus = "completed"
	ToolCallFailed     ToolCallStatus = "failed"
)

// ToolCallLocation is a place a call works on; Line counts from 1.
type ToolCallLocation struct {
	Path string  `json:"path" acp:"required"`
	Line *uint32 `json:"line,omitzero" acp:"lax"`
	Meta Meta    `json:"_meta,omitzero" acp:"lax"`
}

// ToolCallContent is a result of a call: [*Content], [*Diff], [*Terminal] or [*UnknownToolContent].
type ToolCallContent interface{ toolCallContent() }

// Content is an ordinary block.
type Content struct {
	Content ContentBlock `json:"content" acp:"required"`
	Meta    Meta         `json:"_meta,omitzero" acp:"lax"`
}

// Diff is a change to a file. OldText is nil for a new file; agents also leave it out, or send a snippet (behaviour 147).
type Diff struct {
	Path    string  `json:"path" acp:"required,waived"`
	OldText *string `json:"oldText,omitzero" acp:"lax"`
	NewText string  `json:"newText" acp:"required,waived"`
	Meta    Meta    `json:"_meta,omitzero" acp:"lax"`
}

// check refuses a diff that says nothing.
func (c *Diff) check() error {
	if c.Path == "" && c.OldText == nil && c.NewText == "" {
		return errors.New("path: missing")
	}
	return nil
}

// Terminal shows a terminal's live output. The id may be one that the agent made up (behaviour 134).
type Terminal struct {
	TerminalID string `json:"terminalId" acp:"required,id"`
	Meta       Meta   `json:"_meta,omitzero" acp:"lax"`
}

// UnknownToolContent is content of a type that this version does not know.
type UnknownToolContent struct {
	Type string
	Raw  Raw
}

func (*Content) toolCallContent()            {}
func (*Diff) toolCallContent()               {}
func (*Terminal) toolCallContent()           {}
func (*UnknownToolContent) toolCallContent() {}

// The wire forms: each without its methods, beside its tag.
type (
	contentWire  Content
	diffWire     Diff
	terminalWire Terminal
)

// MarshalJSONTo writes the content with its type.
func (c *Content) MarshalJSONTo(e *jsontext.Encoder) error {
	return encodeTo(e, typed[contentWire]{"content", (*contentWire)(c)})
}

// MarshalJSONTo writes the diff with its type.
func (c *Diff) MarshalJSONTo(e *jsontext.Encoder) error {
	return encodeTo(e, typed[diffWire]{"diff", (*diffWire)(c)})
}

// MarshalJSONTo writes the terminal with its type.
func (c *Terminal) MarshalJSONTo(e *jsontext.Encoder) error {
	return encodeTo(e, typed[terminalWire]{"terminal", (*terminalWire)(c)})
}

// MarshalJSONTo writes the content as it came.
func (c *UnknownToolContent) MarshalJSONTo(e *jsontext.Encoder) error { return e.WriteValue(c.Raw) }
