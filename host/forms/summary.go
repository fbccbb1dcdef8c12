package forms

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// secret matches names and titles of fields whose values are not shown. The protocol has no kind of field for them.
var secret = regexp.MustCompile(`(?i)pass|secret|token|credential|api.?key|private.?key|\bkey\b|\bpin\b|\botp\b|\bcode\b`)

// Summary says what was answered, in a part for each field of the form that has a value, in the agent's order. The value of a single
// field stands alone; one that may be a secret is left out.
func Summary(s *acp.ElicitationSchema, values map[string]any) (parts []string) {
	fields := Fields(s)
	for _, f := range fields {
		value, given := values[f.Name]
		if !given {
			continue
		}
		text := f.say(value)
		if secret.MatchString(f.Name) || secret.MatchString(f.Title) {
			text = "(not shown)"
		}
		if len(fields) > 1 {
			text = strings.TrimRight(f.Title, ":?") + ": " + text
		}
		parts = append(parts, text)
	}
	return parts
}

// say is a value in words, a choice by its title.
func (f *Field) say(value any) string {
	switch value := value.(type) {
	case bool:
		if value {
			return "yes"
		}
		return "no"
	case string:
		for _, c := range f.Choices {
			if c.Value == value && c.Title != "" {
				return plain.Brief(c.Title)
			}
		}
		return plain.Brief(value)
	case []string:
		titles := slices.Clone(value)
		for i, v := range titles {
			titles[i] = f.say(v)
		}
		return strings.Join(titles, ", ")
	}
	return plain.Brief(fmt.Sprint(value))
}
