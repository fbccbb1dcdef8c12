package acp

// SessionModeState is the older of the three ways to offer modes; config options, where given, replace it.
type SessionModeState struct {
	CurrentModeID  string        `json:"currentModeId" acp:"required"`
	AvailableModes []SessionMode `json:"availableModes" acp:"required,lax"`
	Meta           Meta          `json:"_meta,omitzero" acp:"lax"`
}

// SessionMode is one mode; its id is opaque.
type SessionMode struct {
	ID          string `json:"id" acp:"required"`
	Name        string `json:"name" acp:"required"`
	Description string `json:"description,omitzero" acp:"lax"`
	Meta        Meta   `json:"_meta,omitzero" acp:"lax"`
}

// SessionModelState is the models dialect, gone from the schema and still sent by agents (behaviour 140).
type SessionModelState struct {
	CurrentModelID  string      `json:"currentModelId" acp:"required"`
	AvailableModels []ModelInfo `json:"availableModels" acp:"required,lax"`
	Meta            Meta        `json:"_meta,omitzero" acp:"lax"`
}

// ModelInfo is one model; its id is opaque.
type ModelInfo struct {
	ModelID     string `json:"modelId" acp:"required"`
	Name        string `json:"name" acp:"required"`
	Description string `json:"description,omitzero" acp:"lax"`
	Meta        Meta   `json:"_meta,omitzero" acp:"lax"`
}

// The types of a [SessionConfigOption].
const (
	ConfigSelect  = "select"
	ConfigBoolean = "boolean"
)

// The known categories of a [SessionConfigOption]. They are for show only.
const (
	CategoryMode         = "mode"
	CategoryModel        = "model"
	CategoryModelConfig  = "model_config"
	CategoryThoughtLevel = "thought_level"
)

// SessionConfigOption is something the user can set. Options of a type not known here are skipped in lists.
type SessionConfigOption struct {
	Type        string // ConfigSelect or ConfigBoolean
	ID          string
	Name        string
	Description string
	Category    string // for show only; any string

	CurrentValue string // of a select
	CurrentBool  bool   // of a boolean

	// The values of a select: of Options and Groups at most one is not empty.
	Options []SessionConfigSelectOption
	Groups  []SessionConfigSelectGroup

	Meta Meta
}

// All returns the values of a select in their order, grouped or not.
func (o *SessionConfigOption) All() []SessionConfigSelectOption {
	all := o.Options
	for _, g := range o.Groups {
		all = append(all[:len(all):len(all)], g.Options...)
	}
	return all
}

// SessionConfigSelectOption is one value of a select.
type SessionConfigSelectOption struct {
	Value       string `json:"value" acp:"required"`
	Name        string `json:"name" acp:"required"`
	Description string `json:"description,omitzero" acp:"lax"`
	Meta        Meta   `json:"_meta,omitzero" acp:"lax"`
}

// SessionConfigSelectGroup is a named group of values.
type SessionConfigSelectGroup struct {
	Group   string                      `json:"group" acp:"required"`
	Name    string                      `json:"name" acp:"required"`
	Options []SessionConfigSelectOption `json:"options" acp:"required,lax"`
	Meta    Meta                        `json:"_meta,omitzero" acp:"lax"`
}

// SetSessionModeRequest is session/set_mode.
type SetSessionModeRequest struct {
	SessionID string `json:"sessionId" acp:"required"`
	ModeID    string `json:"modeId" acp:"required"`
	Meta      Meta   `json:"_meta,omitzero" acp:"lax"`
}

// SetSessionModeResponse answers session/set_mode.
type SetSessionModeResponse struct {
	Meta Meta `json:"_meta,omitzero" acp:"lax"`
}

// SetSessionModelRequest is session/set_model, of the models dialect.
type SetSessionModelRequest struct {
	SessionID string `json:"sessionId" acp:"required"`
	ModelID   string `json:"modelId" acp:"required"`
	Meta      Meta   `json:"_meta,omitzero" acp:"lax"`
}

// SetSessionModelResponse answers session/set_model.
type SetSessionModelResponse struct {
	Meta Meta `json:"_meta,omitzero" acp:"lax"`
}

// SetSessionConfigOptionRequest is session/set_config_option: Value for a select, or Bool (not nil) for a boolean.
type SetSessionConfigOptionRequest struct {
	SessionID string
	ConfigID  string
	Value     string
	Bool      *bool
	Meta      Meta
}

// SetSessionConfigOptionResponse carries the complete list of options, which replaces the old one.
type SetSessionConfigOptionResponse struct {
	ConfigOptions []SessionConfigOption `json:"configOptions" acp:"required,lax"`
	Meta          Meta                  `json:"_meta,omitzero" acp:"lax"`
}
