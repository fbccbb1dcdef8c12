package input

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Fill returns an input with what another says in place of its empty members.
func Fill(raw, from []byte) []byte {
	own, all := parse(raw), parse(from)
	if own.odd != "" || own.lone != "" || all.odd != "" {
		return raw // not all of it is known
	}

	into, other, filled := own.members, all.members, false
	for i, m := range into {
		at := slices.IndexFunc(other, func(o Member) bool { return o.Name == m.Name && !o.Empty() })
		if m.Empty() && at >= 0 {
			into[i].Value, filled = other[at].Value, true
		}
	}
	if !filled {
		return raw
	}

	var out bytes.Buffer
	enc := jsontext.NewEncoder(&out)
	if enc.WriteToken(jsontext.BeginObject) != nil {
		return raw
	}
	for _, m := range into {
		if enc.WriteToken(jsontext.String(m.Name)) != nil || enc.WriteValue(m.Value) != nil {
			return raw
		}
	}
	if enc.WriteToken(jsontext.EndObject) != nil {
		return raw
	}
	return bytes.TrimSpace(out.Bytes())
}
