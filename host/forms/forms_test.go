package forms

import (
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

const schema = `{"type": "object", "required": ["name", "size"], "properties": {
	"name": {"type": "string", "title": "Your name", "minLength": 2, "maxLength": 5, "pattern": "^[a-z]+$"},
	"size": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
	"ratio": {"type": "number", "maximum": 1},
	"sure": {"type": "boolean", "default": true},
	"mail": {"type": "string", "format": "email"},
	"day": {"type": "string", "format": "date"},
	"odd": {"type": "string", "format": "_odd"},
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
	want := "Your name*:text size*:number ratio:number sure:boolean mail:text day:text odd:text one:choice many:choices new:unknown"
	if strings.Join(got, " ") != want {
		t.Errorf("got %s\nwant %s", strings.Join(got, " "), want)
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
