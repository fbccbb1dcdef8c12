package elsewhere

import (
	"bytes"
	"path"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/input"
)

// input maps the paths in a raw input: those in the members by which the rest of the host knows files. Of another shape, or with
// more values than are read, it stays as it is.
func (m messages) input(raw acp.Raw) acp.Raw {
	if raw.Kind() != '{' || input.TooMany(raw) {
		return raw
	}

	var out bytes.Buffer
	options := jsontext.AllowDuplicateNames(true)
	dec, enc := jsontext.NewDecoder(bytes.NewBuffer(raw), options), jsontext.NewEncoder(&out, options)
	begin, err := dec.ReadToken()
	if err != nil || enc.WriteToken(begin) != nil {
		return raw
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return raw
		}

		member := name.String()
		if enc.WriteToken(jsontext.String(member)) != nil {
			return raw
		}

		value, err := dec.ReadValue()
		if err != nil {
			return raw
		}
		if input.HasPath(member) {
			value = m.named(value)
		}
		if enc.WriteValue(value) != nil {
			return raw
		}
	}

	end, err := dec.ReadToken()
	if err != nil || enc.WriteToken(end) != nil {
		return raw
	}

	return acp.Raw(bytes.TrimSpace(out.Bytes()))
}

// named maps a value that is an absolute path, or a list with such.
func (m messages) named(value jsontext.Value) jsontext.Value {
	var one string
	var list []any
	var changed any
	switch {
	case value.Kind() == '"' && json.Unmarshal(value, &one) == nil && path.IsAbs(one):
		changed = m.name(one)
	case value.Kind() == '[' && json.Unmarshal(value, &list) == nil:
		for i, item := range list {
			if text, ok := item.(string); ok && path.IsAbs(text) {
				list[i] = m.name(text)
			}
		}
		changed = list
	default:
		return value
	}

	text, err := json.Marshal(changed)
	if err != nil {
		return value
	}

	return text
}
