// Schematable extracts from the protocol's JSON schema the table that the drift test of package acp reads: methods, types
// with their fields, unions and enumerations, without any prose. A new schema is taken over with
//
//	go run ./acp/internal/schematable schema.json > acp/testdata/schema.txt
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"slices"
	"strings"
)

// schema is the part of JSON Schema that the protocol uses.
type schema struct {
	Ref        string             `json:"$ref"`
	Type       any                `json:"type"` // a name, or a list of names
	Format     string             `json:"format"`
	Const      any                `json:"const"`
	Title      string             `json:"title"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Items      *schema            `json:"items"`
	Additional json.RawMessage    `json:"additionalProperties"`
	AllOf      []*schema          `json:"allOf"`
	AnyOf      []*schema          `json:"anyOf"`
	OneOf      []*schema          `json:"oneOf"`
	Defs       map[string]*schema `json:"$defs"`

	DefaultOnError bool   `json:"x-deserialize-default-on-error"`
	SkipInvalid    bool   `json:"x-deserialize-skip-invalid-items"`
	DefaultOnNull  bool   `json:"x-deserialize-default-on-null"`
	Method         string `json:"x-method"`
	Side           string `json:"x-side"`
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: schematable schema.json")
	}

	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}

	var root schema
	if err := json.Unmarshal(text, &root); err != nil {
		log.Fatalf("%s: %v", os.Args[1], err)
	}

	write(os.Stdout, root.Defs)
}

// write prints a line for each definition, and an indented one for each field.
func write(w io.Writer, defs map[string]*schema) {
	for _, name := range slices.Sorted(maps.Keys(defs)) {
		d := defs[name]
		if d.Method != "" {
			fmt.Fprintf(w, "method %s %s %s\n", d.Method, d.Side, name)
		}

		variants := slices.Concat(d.AnyOf, d.OneOf)
		switch {
		case len(d.Properties) > 0 || d.Type == "object":
			fmt.Fprintf(w, "type %s\n", name)
			fields(w, d)
			writeUnion(w, name, variants)
		case len(variants) == 0:
			fmt.Fprintf(w, "scalar %s %s\n", name, typeOf(d))
		case isEnum(variants):
			fmt.Fprintf(w, "enum %s%s\n", name, constants(variants))
		default:
			writeUnion(w, name, variants)
		}
	}
}

func fields(w io.Writer, d *schema) {
	for _, name := range slices.Sorted(maps.Keys(d.Properties)) {
		p := d.Properties[name]
		line := []string{"\t" + name, typeOf(p)}
		for _, mark := range []struct {
			name string
			set  bool
		}{
			{"required", slices.Contains(d.Required, name)},
			{"null", nullable(p)},
			{"default-on-error", p.DefaultOnError},
			{"skip-invalid", p.SkipInvalid},
			{"default-on-null", p.DefaultOnNull},
		} {
			if mark.set {
				line = append(line, mark.name)
			}
		}

		fmt.Fprintln(w, strings.Join(line, " "))
	}
}

// writeUnion prints the variants: by tag and value, or "-" for one without; then the type that holds the fields, or "-".
func writeUnion(w io.Writer, name string, variants []*schema) {
	for _, v := range variants {
		tag := "-"
		for key, p := range v.Properties {
			if p.Const != nil {
				tag = fmt.Sprintf("%s=%v", key, p.Const)
			} else if v.Title == "other" {
				tag = key + "=*"
			}
		}

		body := "-"
		switch {
		case v.Ref != "":
			body = ref(v.Ref)
		case len(v.AllOf) > 0:
			body = ref(v.AllOf[0].Ref)
		case v.Items != nil:
			body = typeOf(v)
		case tag == "-":
			body = typeOf(v)
		}

		fmt.Fprintf(w, "union %s %s %s\n", name, tag, body)
	}
}

func isEnum(variants []*schema) bool {
	return variants[0].Const != nil
}

func constants(variants []*schema) string {
	var b strings.Builder
	for _, v := range variants {
		if v.Const == nil {
			b.WriteString(" *")
		} else if f, ok := v.Const.(float64); ok {
			fmt.Fprintf(&b, " %d", int(f))
		} else {
			fmt.Fprintf(&b, " %v", v.Const)
		}
	}
	return b.String()
}

func nullable(p *schema) bool {
	if list, ok := p.Type.([]any); ok {
		return slices.Contains(list, any("null"))
	}
	return slices.ContainsFunc(p.AnyOf, func(s *schema) bool { return s.Type == "null" })
}

// typeOf is a short name for a type: a definition, a JSON type with its format, []T or map[T].
func typeOf(p *schema) string {
	if p.Ref != "" {
		return ref(p.Ref)
	}
	for _, s := range slices.Concat(p.AllOf, p.AnyOf) {
		if s.Type != "null" {
			return typeOf(s)
		}
	}

	name, _ := p.Type.(string)
	if list, ok := p.Type.([]any); ok {
		for _, t := range list {
			if t != "null" {
				name = fmt.Sprint(t)
			}
		}
	}
	switch {
	case name == "array" && p.Items != nil:
		return "[]" + typeOf(p.Items)
	case name == "object" && len(p.Additional) > 0 && p.Additional[0] == '{':
		var item schema
		if json.Unmarshal(p.Additional, &item) == nil {
			return "map[" + typeOf(&item) + "]"
		}
	case name == "":
		return "any"
	case p.Format != "":
		return name + ":" + p.Format
	}

	return name
}

func ref(s string) string { return strings.TrimPrefix(s, "#/$defs/") }
