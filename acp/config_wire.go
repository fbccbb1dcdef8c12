package acp

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// wireConfigOption is a [SessionConfigOption] as it is sent. CurrentValue and Options have two shapes each.
type wireConfigOption struct {
	Type         string `json:"type" acp:"required"`
	ID           string `json:"id" acp:"required"`
	Name         string `json:"name" acp:"required"`
	Description  string `json:"description,omitzero" acp:"lax"`
	Category     string `json:"category,omitzero" acp:"lax"`
	CurrentValue Raw    `json:"currentValue" acp:"required"`
	Options      Raw    `json:"options,omitzero"`
	Meta         Meta   `json:"_meta,omitzero" acp:"lax"`
}

func (o *SessionConfigOption) decodeRaw(raw Raw) error {
	var w wireConfigOption
	if err := Unmarshal(raw, &w); err != nil {
		return err
	}

	*o = SessionConfigOption{Type: w.Type, ID: w.ID, Name: w.Name, Description: w.Description, Category: w.Category, Meta: w.Meta}
	switch w.Type {
	case ConfigBoolean:
		return Unmarshal(w.CurrentValue, &o.CurrentBool)
	case ConfigSelect:
		if err := Unmarshal(w.CurrentValue, &o.CurrentValue); err != nil {
			return err
		}
		return o.decodeOptions(w.Options)
	}

	return fmt.Errorf("unknown type %q", w.Type)
}

// decodeOptions reads the values of a select, which are groups if the first of them is one.
func (o *SessionConfigOption) decodeOptions(raw Raw) error {
	var groups struct {
		Options []SessionConfigSelectGroup `json:"options" acp:"lax"`
	}
	var values struct {
		Options []SessionConfigSelectOption `json:"options" acp:"lax"`
	}
	if raw.Kind() != '[' {
		return fmt.Errorf("options: missing")
	}

	wrapped := append(append([]byte(`{"options":`), raw...), '}')
	if err := Unmarshal(wrapped, &groups); err != nil {
		return err
	}
	if err := Unmarshal(wrapped, &values); err != nil {
		return err
	}
	if len(groups.Options) > 0 {
		o.Groups = groups.Options
	} else {
		o.Options = values.Options
	}

	return nil
}

// MarshalJSONTo writes the option in the shape of its type.
func (o *SessionConfigOption) MarshalJSONTo(e *jsontext.Encoder) error {
	w := wireConfigOption{Type: o.Type, ID: o.ID, Name: o.Name, Description: o.Description, Category: o.Category, Meta: o.Meta}
	var err error
	if o.Type == ConfigBoolean {
		w.CurrentValue, err = Marshal(o.CurrentBool)
	} else if w.CurrentValue, err = Marshal(o.CurrentValue); err == nil {
		if len(o.Groups) > 0 {
			w.Options, err = Marshal(o.Groups)
		} else {
			w.Options, err = Marshal(o.Options)
		}
	}
	if err != nil {
		return err
	}

	return encodeTo(e, w)
}

// wireSetConfig is a [SetSessionConfigOptionRequest] as it is sent: only a boolean has a type.
type wireSetConfig struct {
	SessionID string `json:"sessionId"`
	ConfigID  string `json:"configId"`
	Type      string `json:"type,omitzero"`
	Value     any    `json:"value"`
	Meta      Meta   `json:"_meta,omitzero"`
}

// MarshalJSONTo writes the request in the shape of its value.
func (r *SetSessionConfigOptionRequest) MarshalJSONTo(e *jsontext.Encoder) error {
	w := wireSetConfig{SessionID: r.SessionID, ConfigID: r.ConfigID, Value: r.Value, Meta: r.Meta}
	if r.Bool != nil {
		w.Type, w.Value = ConfigBoolean, *r.Bool
	}
	return encodeTo(e, w)
}
