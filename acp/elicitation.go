package acp

// The modes of an elicitation.
const (
	ElicitationForm = "form"
	ElicitationURL  = "url"
)

// CreateElicitationRequest is elicitation/create. Of SessionID (with ToolCallID, if any) and RequestID exactly one is
// there. A Mode that is not known, or was not advertised, must be answered with CodeInvalidParams.
type CreateElicitationRequest struct {
	Message    string `json:"message" acp:"required"`
	Mode       string `json:"mode" acp:"required"`
	SessionID  string `json:"sessionId,omitzero"`
	ToolCallID string `json:"toolCallId,omitzero" acp:"lax"`
	RequestID  Raw    `json:"requestId,omitzero"`

	RequestedSchema *ElicitationSchema `json:"requestedSchema,omitzero"` // of ElicitationForm
	ElicitationID   string             `json:"elicitationId,omitzero"`   // of ElicitationURL
	URL             string             `json:"url,omitzero"`             // of ElicitationURL

	Meta Meta `json:"_meta,omitzero" acp:"lax"`
}

// CompleteElicitationNotification is elicitation/complete; unknown ids must be ignored.
type CompleteElicitationNotification struct {
	ElicitationID string `json:"elicitationId" acp:"required"`
	Meta          Meta   `json:"_meta,omitzero" acp:"lax"`
}

// The actions of a [CreateElicitationResponse].
const (
	ElicitationAccept  = "accept"
	ElicitationDecline = "decline"
	ElicitationCancel  = "cancel"
)

// CreateElicitationResponse is the user's answer. Content is for an accepted form: string, int64, float64, bool or
// []string by property.
type CreateElicitationResponse struct {
	Action  string         `json:"action" acp:"required"`
	Content map[string]any `json:"content,omitzero"`
	Meta    Meta           `json:"_meta,omitzero" acp:"lax"`
}

// ElicitationSchema describes a flat form.
type ElicitationSchema struct {
	Type        string                `json:"type,omitzero" acp:"lax"` // always "object"
	Title       string                `json:"title,omitzero" acp:"lax"`
	Description string                `json:"description,omitzero" acp:"lax"`
	Properties  ElicitationProperties `json:"properties"`
	Required    []string              `json:"required,omitzero"`
	Meta        Meta                  `json:"_meta,omitzero" acp:"lax"`
}

// ElicitationProperties are the fields of a form in the agent's order; on the wire, an object.
type ElicitationProperties []ElicitationProperty

// ElicitationProperty is a named field.
type ElicitationProperty struct {
	Name   string
	Schema ElicitationPropertySchema
}

// ElicitationPropertySchema is [*StringPropertySchema], [*NumberPropertySchema], [*IntegerPropertySchema],
// [*BooleanPropertySchema], [*MultiSelectPropertySchema] or [*UnknownPropertySchema].
type ElicitationPropertySchema interface{ propertySchema() }

// StringPropertySchema is a line of text, or a choice of one if Enum or OneOf is not empty. Format is a hint.
type StringPropertySchema struct {
	Title       string       `json:"title,omitzero" acp:"lax"`
	Description string       `json:"description,omitzero" acp:"lax"`
	MinLength   *uint32      `json:"minLength,omitzero"`
	MaxLength   *uint32      `json:"maxLength,omitzero"`
	Pattern     string       `json:"pattern,omitzero"`
	Format      string       `json:"format,omitzero"`
	Default     *string      `json:"default,omitzero" acp:"lax"`
	Enum        []string     `json:"enum,omitzero"`
	OneOf       []EnumOption `json:"oneOf,omitzero"`
	Meta        Meta         `json:"_meta,omitzero" acp:"lax"`
}

// The known values of StringPropertySchema.Format.
const (
	FormatEmail    = "email"
	FormatURI      = "uri"
	FormatDate     = "date"
	FormatDateTime = "date-time"
)

// NumberPropertySchema is a number.
type NumberPropertySchema struct {
	Title       string   `json:"title,omitzero" acp:"lax"`
	Description string   `json:"description,omitzero" acp:"lax"`
	Minimum     *float64 `json:"minimum,omitzero"`
	Maximum     *float64 `json:"maximum,omitzero"`
	Default     *float64 `json:"default,omitzero" acp:"lax"`
	Meta        Meta     `json:"_meta,omitzero" acp:"lax"`
}

// IntegerPropertySchema is a whole number.
type IntegerPropertySchema struct {
	Title       string `json:"title,omitzero" acp:"lax"`
	Description string `json:"description,omitzero" acp:"lax"`
	Minimum     *int64 `json:"minimum,omitzero"`
	Maximum     *int64 `json:"maximum,omitzero"`
	Default     *int64 `json:"default,omitzero" acp:"lax"`
	Meta        Meta   `json:"_meta,omitzero" acp:"lax"`
}

// BooleanPropertySchema is yes or no.
type BooleanPropertySchema struct {
	Title       string `json:"title,omitzero" acp:"lax"`
	Description string `json:"description,omitzero" acp:"lax"`
	Default     *bool  `json:"default,omitzero" acp:"lax"`
	Meta        Meta   `json:"_meta,omitzero" acp:"lax"`
}

// MultiSelectPropertySchema is a multi-select field.
type MultiSelectPropertySchema struct {
	Title       string           `json:"title,omitzero" acp:"lax"`
	Description string           `json:"description,omitzero" acp:"lax"`
	MinItems    *uint64          `json:"minItems,omitzero"`
	MaxItems    *uint64          `json:"maxItems,omitzero"`
	Items       MultiSelectItems `json:"items" acp:"required"`
	Default     []string         `json:"default,omitzero" acp:"lax"`
	Meta        Meta             `json:"_meta,omitzero" acp:"lax"`
}

// MultiSelectItems are the values to choose from: AnyOf with titles, or Enum for Type "string". With neither, the items
// are of a type that this version does not know.
type MultiSelectItems struct {
	Type  string       `json:"type,omitzero"`
	Enum  []string     `json:"enum,omitzero"`
	AnyOf []EnumOption `json:"anyOf,omitzero"`
	Meta  Meta         `json:"_meta,omitzero" acp:"lax"`
}

// EnumOption is a value with a title.
type EnumOption struct {
	Const       string `json:"const" acp:"required"`
	Title       string `json:"title" acp:"required"`
	Description string `json:"description,omitzero" acp:"lax"`
	Meta        Meta   `json:"_meta,omitzero" acp:"lax"`
}

// UnknownPropertySchema is a field of a type that this version does not know, and cannot be filled in.
type UnknownPropertySchema struct {
	Type string
	Raw  Raw
}
