package input

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Fill returns an input with what another says in place of its empty members. What is not wholly known stays as it is.
func Fill(raw, from []byte) []byte {
	own, all := parse(raw), parse(from)
	into, filled := own.members, false
	for i, m := range into {
		if value := all.valueOf(m.Name); m.Empty() && value != nil {
			into[i].Value, filled = value, true
		}
	}
	if !filled || own.odd != "" || all.odd != "" {
		return raw
	}
	return written(into, raw)
}

// Complete returns an input with the members of another that it lacks, unless the two differ. What is not wholly known, and what is no
// object, stays as it is.
func Complete(raw, from []byte) []byte {
	own, all := parse(raw), parse(from)
	if len(own.members) == 0 || own.odd != "" || all.odd != "" || differ(own, all) {
		return raw
	}

	list := own.members
	for _, m := range all.members {
		if !m.Empty() && !slices.ContainsFunc(own.members, func(o Member) bool { return o.Name == m.Name }) {
			list = append(list, m)
		}
	}
	if len(list) == len(own.members) {
		return raw
	}
	return written(list, raw)
}

// written returns an object with members, or else another one if they cannot be written.
func written(list []Member, raw []byte) []byte {
	var out bytes.Buffer
	enc := jsontext.NewEncoder(&out)
	if enc.WriteToken(jsontext.BeginObject) != nil {
		return raw
	}
	for _, m := range list {
		if enc.WriteToken(jsontext.String(m.Name)) != nil || enc.WriteValue(m.Value) != nil {
			return raw
		}
	}
	if enc.WriteToken(jsontext.EndObject) != nil {
		return raw
	}
	return bytes.TrimSpace(out.Bytes())
}

// Differ reports whether two inputs are about different things: a member says something else in one than in the other, other than what is
// only said beside it.
func Differ(a, b []byte) bool { return differ(parse(a), parse(b)) }

func differ(own, all Input) bool {
	if x, y := own.firstCommand(), all.firstCommand(); x != "" && y != "" && x != y {
		return true
	}
	return slices.ContainsFunc(own.members, func(m Member) bool {
		other := all.valueOf(m.Name)
		if m.Empty() || other == nil || in("beside", m.Name) || m.Name == "command" || m.Name == "cmd" {
			return false
		}
		return !bytes.Equal(compact(m.Value), compact(other))
	})
}

// firstCommand is the first command of an input, without its arguments.
func (i Input) firstCommand() string {
	for _, m := range i.members {
		if text := i.line(m.Value); text != "" && (m.Name == "command" || m.Name == "cmd") {
			return text
		}
	}
	return ""
}

// valueOf returns what a member says, nil if it says nothing.
func (i Input) valueOf(name string) jsontext.Value {
	for _, m := range i.members {
		if m.Name == name && !m.Empty() {
			return m.Value
		}
	}
	return nil
}
