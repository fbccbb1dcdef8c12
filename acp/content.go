package acp

import "github.com/go-json-experiment/json/jsontext"

// ContentBlock is a piece of a message: [*TextContent], [*ImageContent], [*AudioContent], [*ResourceLink],
// [*EmbeddedResource] or [*UnknownContent].
type ContentBlock interface{ contentBlock() }

// TextContent is text, Markdown by custom. Text may be empty.
type TextContent struct {
	Text        string       `json:"text" acp:"required"`
	Annotations *Annotations `json:"annotations,omitzero" acp:"lax"`
	Meta        Meta         `json:"_meta,omitzero" acp:"lax"`
}

// Text returns a text block.
func Text(s string) *TextContent { return &TextContent{Text: s} }

// ImageContent is an image; Data is base64.
type ImageContent struct {
	Data        string       `json:"data" acp:"required"`
	MimeType    string       `json:"mimeType" acp:"required"`
	URI         string       `json:"uri,omitzero" acp:"lax"`
	Annotations *Annotations `json:"annotations,omitzero" acp:"lax"`
	Meta        Meta         `json:"_meta,omitzero" acp:"lax"`
}

// AudioContent is sound; Data is base64.
type AudioContent struct {
	Data        string       `json:"data" acp:"required"`
	MimeType    string       `json:"mimeType" acp:"required"`
	Annotations *Annotations `json:"annotations,omitzero" acp:"lax"`
	Meta        Meta         `json:"_meta,omitzero" acp:"lax"`
}

// ResourceLink names a resource that the reader can fetch itself.
type ResourceLink struct {
	Name        string       `json:"name" acp:"required"`
	URI         string       `json:"uri" acp:"required"`
	Title       string       `json:"title,omitzero" acp:"lax"`
	Description string       `json:"description,omitzero" acp:"lax"`
	MimeType    string       `json:"mimeType,omitzero" acp:"lax"`
	Size        *int64       `json:"size,omitzero" acp:"lax"`
	Annotations *Annotations `json:"annotations,omitzero" acp:"lax"`
	Meta        Meta         `json:"_meta,omitzero" acp:"lax"`
}

// EmbeddedResource carries a resource along.
type EmbeddedResource struct {
	Resource    ResourceContents `json:"resource" acp:"required"`
	Annotations *Annotations     `json:"annotations,omitzero" acp:"lax"`
	Meta        Meta             `json:"_meta,omitzero" acp:"lax"`
}

// UnknownContent is a block of a type that this version does not know.
type UnknownContent struct {
	Type string
	Raw  Raw
}

// ResourceContents is [*TextResourceContents] or [*BlobResourceContents].
type ResourceContents interface{ resourceContents() }

// TextResourceContents is the text of a resource.
type TextResourceContents struct {
	URI      string `json:"uri" acp:"required"`
	Text     string `json:"text" acp:"required"`
	MimeType string `json:"mimeType,omitzero" acp:"lax"`
	Meta     Meta   `json:"_meta,omitzero" acp:"lax"`
}

// BlobResourceContents is the bytes of a resource, in base64.
type BlobResourceContents struct {
	URI      string `json:"uri" acp:"required"`
	Blob     string `json:"blob" acp:"required"`
	MimeType string `json:"mimeType,omitzero" acp:"lax"`
	Meta     Meta   `json:"_meta,omitzero" acp:"lax"`
}

// Annotations are hints on how to show or route a block.
type Annotations struct {
	Audience     []Role   `json:"audience,omitzero" acp:"lax"`
	LastModified string   `json:"lastModified,omitzero" acp:"lax"`
	Priority     *float64 `json:"priority,omitzero" acp:"lax"`
	Meta         Meta     `json:"_meta,omitzero" acp:"lax"`
}

// Role is a side of the conversation.
type Role string

// The two roles.
const (
	RoleAssistant Role = "assistant"
	RoleUser      Role = "user"
)

func (*TextContent) contentBlock()      {}
func (*ImageContent) contentBlock()     {}
func (*AudioContent) contentBlock()     {}
func (*ResourceLink) contentBlock()     {}
func (*EmbeddedResource) contentBlock() {}
func (*UnknownContent) contentBlock()   {}

func (*TextResourceContents) resourceContents() {}
func (*BlobResourceContents) resourceContents() {}

// The wire forms: each block without its methods, beside its tag.
type (
	textWire     TextContent
	imageWire    ImageContent
	audioWire    AudioContent
	linkWire     ResourceLink
	embeddedWire EmbeddedResource
)

// MarshalJSONTo writes the block with its type.
func (c *TextContent) MarshalJSONTo(e *jsontext.Encoder) error {
	return encodeTo(e, typed[textWire]{"text", (*textWire)(c)})
}

// MarshalJSONTo writes the block with its type.
func (c *ImageContent) MarshalJSONTo(e *jsontext.Encoder) error {
	return encodeTo(e, typed[imageWire]{"image", (*imageWire)(c)})
}

// MarshalJSONTo writes the block with its type.
func (c *AudioContent) MarshalJSONTo(e *jsontext.Encoder) error {
	return encodeTo(e, typed[audioWire]{"audio", (*audioWire)(c)})
}

// MarshalJSONTo writes the block with its type.
func (c *ResourceLink) MarshalJSONTo(e *jsontext.Encoder) error {
	return encodeTo(e, typed[linkWire]{"resource_link", (*linkWire)(c)})
}

// MarshalJSONTo writes the block with its type.
func (c *EmbeddedResource) MarshalJSONTo(e *jsontext.Encoder) error {
	return encodeTo(e, typed[embeddedWire]{"resource", (*embeddedWire)(c)})
}

// MarshalJSONTo writes the block as it came.
func (c *UnknownContent) MarshalJSONTo(e *jsontext.Encoder) error { return e.WriteValue(c.Raw) }
