package forms

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/bounds"
)

const schema = `{"type": "object", "required": ["name", "size"], "properties": {
	"name": {"type": "string", "title": "Your name", "minLength": 2, "maxLength": 5, "pattern": "^[a-z]+$"},
	"size": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
	"ratio": {"type": "number", "maximum": 1},
	"sure": {"type": "boolean", "default": true},
	"mail": {"type": "string", "format": "email"},
	"day": {"type": "string", "format": "date"},
	"odd": {"type": "string", "format": "_odd"},
	"page": {"type": "string", "format": "uri"},
	"time": {"type": "string", "format": "date-time"},
	"one": {"type": "string", "oneOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]},
	"many": {"type": "array", "minItems": 1, "items": {"type": "string", "enum": ["x", "y"]}},
	"new": {"type": "_future"}}}`

func read(t *testing.T) *acp.ElicitationSchema {
	t.Helper()
	s := new(acp.ElicitationSchema)
	if err := acp.Unmarshal([]byte(schema), s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFields(t *testing.T) {
	var got []string
	for _, f := range Fields(read(t)) {
		mark := ""
		if f.Required {
			mark = "*"
		}
		got = append(got, f.Title+mark+":"+f.Type)
	}
	want := "Your name*:text size*:number ratio:number sure:boolean mail:text day:text odd:text page:text time:text one:choice many:choices new:unknown"
	if strings.Join(got, " ") != want {
		t.Errorf("got %s\nwant %s", strings.Join(got, " "), want)
	}
}

// What a form has too much of is left out, and said; a name, a choice or a default is never cut: it comes back as it is (behaviour 983).
func TestFieldsAreBounded(t *testing.T) {
	long, text := strings.Repeat("x", bounds.ID+1), strings.Repeat("x", bounds.Message)
	longer := text + "x"
	property := func(name string, schema acp.ElicitationPropertySchema) acp.ElicitationProperty {
		return acp.ElicitationProperty{Name: name, Schema: schema}
	}
	schema := &acp.ElicitationSchema{Properties: acp.ElicitationProperties{
		property(long, &acp.StringPropertySchema{}),
		property("choice", &acp.StringPropertySchema{Enum: []string{"a", long, "b"}}),
		property("none", &acp.StringPropertySchema{Enum: []string{long}}),
		property("many", &acp.MultiSelectPropertySchema{Items: acp.MultiSelectItems{Enum: []string{"a", "b"}}, Default: []string{"a", long}}),
		property("default", &acp.StringPropertySchema{Default: &longer}),
	}}
	for range 20 {
		schema.Properties = append(schema.Properties, property("text", &acp.StringPropertySchema{Default: &text}))
	}

	fields := Fields(schema)
	var got []string
	for _, f := range fields[:5] {
		got = append(got, fmt.Sprintf("%s:%s %d %v", f.Name, f.Type, len(f.Choices), f.Value))
	}
	want := []string{":unknown 0 <nil>", "choice:choice 1 <nil>", "none:choice 0 <nil>", "many:choices 2 [a]", "default:text 0 <nil>"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for i, part := range map[int]string{1: "the first 1 of 3 choices", 4: "its default of 16385 bytes is left out"} {
		if !strings.Contains(fields[i].Description, part) {
			t.Errorf("%s says %q, not %q", fields[i].Name, fields[i].Description, part)
		}
	}
	size := 0
	for _, f := range fields {
		size += f.Size()
	}
	last := fields[len(fields)-1].Title
	if left := 25 - (len(fields) - 1); size > bounds.Form || !strings.HasPrefix(last, fmt.Sprint(left, " more fields are left out")) {
		t.Errorf("the fields have %d bytes, and the last says %q, not %d", size, last, left)
	}
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		name, field string
		in          any
		problem     string
	}{
		{"required", "name", "", "must be filled in"},
		{"too short", "name", "a", "must have at least 2 characters"},
		{"too long", "name", "abcdef", "must have at most 5 characters"},
		{"pattern", "name", "AB", "must match ^[a-z]+$"},
		{"good", "name", "abc", ""},
		{"not a number", "size", "x", "must be a whole number"},
		{"not whole", "size", "1.5", "must be a whole number"},
		{"too big", "size", "10", "must be at most 9"},
		{"number", "ratio", "0.5", ""},
		{"number too big", "ratio", "2", "must be at most 1"},
		{"mail", "mail", "x", "must be an email address"},
		{"good mail", "mail", "x@example.org", ""},
		{"date", "day", "2026-02-30", "must be a date, as 2026-01-31"},
		{"good date", "day", "2026-02-28", ""},
		{"no page", "page", "example.org", "must be a URI"},
		{"broken page", "page", "http://[", "must be a URI"},
		{"page", "page", "https://example.org/x", ""},
		{"date without a time", "time", "2026-02-28", "must be a date and time, as 2026-01-31T12:00:00Z"},
		{"date and time", "time", "2026-02-28T23:59:59+01:00", ""},
		{"too small", "size", "0", "must be at least 1"},
		{"unknown format", "odd", "anything", ""},
		{"not offered", "one", "c", "must be one of those offered"},
		{"offered", "one", "b", ""},
		{"too few", "many", []any{}, "choose at least 1"},
		{"not of those", "many", []any{"z"}, "must be of those offered"},
		{"some", "many", []any{"x", "y"}, ""},
		{"unknown type", "new", "x", "cannot be filled in here"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			filled := map[string]any{"name": "abc", "size": "3"}
			filled[tt.field] = tt.in
			_, problems := Check(read(t), filled)
			if problems[tt.field] != tt.problem {
				t.Errorf("got %q, want %q", problems[tt.field], tt.problem)
			}
		})
	}
}

func TestTypes(t *testing.T) {
	values, problems := Check(read(t), map[string]any{"name": "abc", "size": "7", "ratio": "0.25", "sure": false, "many": []any{"y"}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	out, err := acp.Marshal(&acp.CreateElicitationResponse{Action: acp.ElicitationAccept, Content: values})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"size":7`, `"ratio":0.25`, `"sure":false`, `"many":["y"]`, `"name":"abc"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%s lacks %s", out, want)
		}
	}
}
