// Package forms turns an elicitation's schema into form fields, and the entered values into typed ones.
package forms

import (
	"fmt"
	"slices"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/bounds"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Field is one entry of a form.
type Field struct {
	Name        string   `msgpack:"name"`
	Title       string   `msgpack:"title"`
	Description string   `msgpack:"description"`
	Type        string   `msgpack:"type"` // "text", "number", "boolean", "choice", "choices", or "unknown", which cannot be filled in
	Required    bool     `msgpack:"required"`
	Value       any      `msgpack:"value,omitempty"` // the default: a string, a bool, or a list of strings
	Choices     []Choice `msgpack:"choices"`
	Problem     string   `msgpack:"problem,omitempty"`
}

// Choice is a value and its label.
type Choice struct {
	Value       string `msgpack:"value"`
	Title       string `msgpack:"title"`
	Description string `msgpack:"description"`
}

// Fields returns the entries of a form in the agent's order.
func Fields(s *acp.ElicitationSchema) []Field {
	fields := []Field{}
	first, left := bounds.First(s.Properties, bounds.Fields)
	size := 0
	for i, p := range first {
		f := field(p.Schema)
		f.Name = p.Name
		if len(f.Name) > bounds.ID {
			f = Field{Type: "unknown", Title: f.Title, Choices: []Choice{}}
		}
		if size += f.Size(); size > bounds.Form {
			left += len(first) - i
			break
		}

		f.Required = slices.Contains(s.Required, p.Name)
		if f.Title == "" {
			f.Title = p.Name
		}

		f.Title, f.Description = plain.Brief(f.Title), plain.Brief(f.Description)
		fields = append(fields, f)
	}

	if left > 0 {
		text := fmt.Sprintf("%d more fields are left out: what needs them can only be declined", left)
		fields = append(fields, Field{Type: "unknown", Title: text, Choices: []Choice{}})
	}

	return fields
}

func field(schema acp.ElicitationPropertySchema) Field {
	f := Field{Type: "unknown", Choices: []Choice{}}
	switch p := schema.(type) {
	case *acp.StringPropertySchema:
		f.Title, f.Description, f.Type = p.Title, p.Description, "text"
		f.Choices = choices(p.Enum, p.OneOf)
		f.cut(len(p.Enum) + len(p.OneOf))
		if len(p.Enum)+len(p.OneOf) > 0 {
			f.Type = "choice"
		}
		switch {
		case p.Default == nil:
		case len(*p.Default) > bounds.Message:
			f.Description = fmt.Sprintf("(its default of %d bytes is left out) %s", len(*p.Default), plain.Brief(f.Description))
		default:
			f.Value = *p.Default
		}
	case *acp.NumberPropertySchema:
		f.Title, f.Description, f.Type = p.Title, p.Description, "number"
		if p.Default != nil {
			f.Value = number(*p.Default)
		}
	case *acp.IntegerPropertySchema:
		f.Title, f.Description, f.Type = p.Title, p.Description, "number"
		if p.Default != nil {
			f.Value = number(float64(*p.Default))
		}
	case *acp.BooleanPropertySchema:
		f.Title, f.Description, f.Type = p.Title, p.Description, "boolean"
		if p.Default != nil {
			f.Value = *p.Default
		}
	case *acp.MultiSelectPropertySchema:
		f.Title, f.Description, f.Type = p.Title, p.Description, "choices"
		f.Choices = choices(p.Items.Enum, p.Items.AnyOf)
		f.cut(len(p.Items.Enum) + len(p.Items.AnyOf))
		if p.Default != nil {
			f.Value = slices.DeleteFunc(slices.Clone(p.Default), func(v string) bool { return !f.offers(v) })
		}
	}

	return f
}

// offers reports whether a value is one of the choices.
func (f *Field) offers(value string) bool {
	return slices.ContainsFunc(f.Choices, func(c Choice) bool { return c.Value == value })
}

// Size is how many bytes of text a field has.
func (f *Field) Size() int {
	n := len(f.Name) + min(len(f.Title), bounds.ID) + min(len(f.Description), bounds.ID)
	if text, ok := f.Value.(string); ok {
		n += len(text)
	}
	for _, c := range f.Choices {
		n += len(c.Value) + len(c.Title) + len(c.Description)
	}
	return n
}

// cut says in the description that not all of n choices are there.
func (f *Field) cut(n int) {
	if n > len(f.Choices) {
		f.Description = fmt.Sprintf("(the first %d of %s choices) %s", len(f.Choices), bounds.Number(n, n), f.Description)
	}
}

func choices(enum []string, titled []acp.EnumOption) []Choice {
	list := []Choice{}
	enum, _ = bounds.First(enum, bounds.Choices) // cut says so
	titled, _ = bounds.First(titled, bounds.Choices)
	for _, v := range enum {
		list = append(list, Choice{Value: v, Title: plain.Brief(v)})
	}

	for _, o := range titled {
		list = append(list, Choice{Value: o.Const, Title: plain.Brief(o.Title), Description: plain.Brief(o.Description)})
	}

	if i := slices.IndexFunc(list, func(c Choice) bool { return len(c.Value) > bounds.ID }); i >= 0 {
		list = list[:i]
	}

	return list
}
