package hostile

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// beyond has what agents send beside the stable schema, in the form of its table.
//
//go:embed beyond.txt
var beyond string

// A Schema makes messages of the protocol. Its table is acp/testdata/schema.txt.
type Schema struct {
	defs map[string]*def

	// Text returns the text of a string field, by "Type.field".
	Text func(field string) string
	// Pick chooses one of n.
	Pick func(n int) int
	// Fields are the string fields that had a text, and how often.
	Fields map[string]int
}

// def is a definition of the schema.
type def struct {
	fields map[string]string // by name, their types
	union  []variant
	enum   []string
	scalar string
}

type variant struct{ tag, value, body string }

// Read reads a table of the schema.
func Read(table io.Reader) (*Schema, error) {
	s := &Schema{defs: map[string]*def{}, Fields: map[string]int{}}
	var current *def
	lines := bufio.NewScanner(io.MultiReader(table, strings.NewReader(beyond)))
	for lines.Scan() {
		w := strings.Fields(lines.Text())
		switch {
		case len(w) < 2:
		case strings.HasPrefix(lines.Text(), "\t"):
			current.fields[w[0]] = w[1]
		case w[0] == "type":
			current = s.def(w[1])
		case w[0] == "union":
			tag, value, _ := strings.Cut(w[2], "=")
			s.def(w[1]).union = append(s.def(w[1]).union, variant{tag, value, w[3]})
		case w[0] == "enum":
			s.def(w[1]).enum = w[2:]
		case w[0] == "scalar":
			s.def(w[1]).scalar = w[2]
		}
	}

	return s, lines.Err()
}

func (s *Schema) def(name string) *def {
	if s.defs[name] == nil {
		s.defs[name] = &def{fields: map[string]string{}}
	}
	return s.defs[name]
}

// Variants returns the values of the tag of a union.
func (s *Schema) Variants(name string) []string {
	var list []string
	for _, v := range s.def(name).union {
		list = append(list, v.value)
	}
	return list
}

// Union returns an object of one variant of a union, chosen by the value of its tag.
func (s *Schema) Union(name, value string) map[string]any {
	i := slices.IndexFunc(s.def(name).union, func(v variant) bool { return v.value == value })
	out, _ := s.variant(name, s.def(name).union[i], 0).(map[string]any)
	return out
}

// Object returns an object of a type, with all of its fields.
func (s *Schema) Object(name string) map[string]any {
	out, _ := s.value(name, name, 0).(map[string]any)
	return out
}

const deepest = 8 // of what can contain itself

// value returns a value of a type for a field.
func (s *Schema) value(typ, field string, depth int) any {
	if item, ok := strings.CutPrefix(typ, "[]"); ok {
		list := []any{}
		for range 1 + s.Pick(2) {
			if depth < deepest {
				list = append(list, s.value(item, field, depth+1))
			}
		}
		return list
	}
	if item, ok := strings.CutPrefix(typ, "map["); ok {
		return map[string]any{s.text(field + ".key"): s.value(strings.TrimSuffix(item, "]"), field, depth+1)}
	}

	kind, _, _ := strings.Cut(typ, ":")
	switch kind {
	case "string":
		return s.text(field)
	case "boolean":
		return s.Pick(2) == 0
	case "integer":
		return []int{0, 1, 2, 400, 1 << 31, -1}[s.Pick(6)]
	case "number":
		return []float64{0, 0.5, 12.25, 1e12, -1}[s.Pick(5)]
	case "null":
		return nil
	case "any", "object":
		return s.anything(field, depth)
	}

	d, ok := s.defs[typ]
	switch {
	case !ok:
		panic(fmt.Sprintf("hostile: %s has the type %s, which is not in the table", field, typ))
	case d.scalar != "":
		return s.value(d.scalar, field, depth)
	case len(d.enum) > 0:
		return s.constant(d.enum, field)
	}

	return s.object(typ, d, depth)
}

// constant returns a value of an enumeration, or now and then another.
func (s *Schema) constant(enum []string, field string) any {
	i := s.Pick(len(enum) + 2)
	if number, err := strconv.Atoi(enum[0]); err == nil {
		return number
	}
	if i < len(enum) && enum[i] != "*" {
		return enum[i]
	}
	return s.text(field)
}

// object returns an object with all fields, and those of a variant where the type is a union.
func (s *Schema) object(typ string, d *def, depth int) any {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(d.fields)) {
		if name == "_meta" {
			out[name] = s.meta()
		} else if depth < deepest {
			out[name] = s.value(d.fields[name], typ+"."+name, depth+1)
		}
	}

	if len(d.union) == 0 {
		return out
	}

	more := s.variant(typ, d.union[s.Pick(len(d.union))], depth)
	object, ok := more.(map[string]any)
	if !ok {
		return more
	}

	maps.Copy(out, object)
	return out
}

func (s *Schema) variant(typ string, v variant, depth int) any {
	out := map[string]any{}
	if v.body != "-" {
		more := s.value(v.body, typ, depth+1)
		object, ok := more.(map[string]any)
		if !ok {
			return more
		}
		out = object
	}
	switch {
	case v.value == "*":
		out[v.tag] = s.text(typ + "." + v.tag)
	case v.value != "":
		out[v.tag] = v.value
	}

	return out
}

// anything returns an object as tools of agents have it: keys that are shown or judged, and others.
func (s *Schema) anything(field string, depth int) any {
	out := map[string]any{s.text(field + ".key"): s.text(field)}
	for _, key := range []string{
		"command", "cmd", "path", "file_path", "filePath", "url", "query", "pattern", "description", "content", "tool", "server", "plan", "prompt",
		"old_string", "new_string", "stdout", "signal", "output", "error", "message", "details", "title",
	} {
		if s.Pick(3) == 0 {
			out[key] = s.text(field + "." + key)
		}
	}

	if depth < 3 {
		question := map[string]any{"label": s.text(field + ".label"), "description": s.text(field + ".description")}
		out["questions"] = []any{map[string]any{"question": s.text(field + ".question"), "options": []any{question}}}
	}

	return out
}

func (s *Schema) text(field string) string {
	s.Fields[field]++
	return s.Text(field)
}
