package forms

import (
	"slices"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// What was answered is said in the agent's order, choices by their titles, and nothing that may be a secret (behaviour 1233).
func TestSummary(t *testing.T) {
	colour := acp.ElicitationProperty{Name: "colour", Schema: &acp.StringPropertySchema{
		Title: "Which colour?", OneOf: []acp.EnumOption{{Const: "r", Title: "Red"}},
	}}
	for _, test := range []struct {
		name   string
		fields []acp.ElicitationProperty
		values map[string]any
		want   []string
	}{
		{"one choice", []acp.ElicitationProperty{colour}, map[string]any{"colour": "r"}, []string{"Red"}},
		{
			"several, of which one is empty",
			[]acp.ElicitationProperty{
				colour, {Name: "note", Schema: &acp.StringPropertySchema{}}, {Name: "age", Schema: &acp.IntegerPropertySchema{Title: "Age"}},
				{Name: "sure", Schema: &acp.BooleanPropertySchema{}},
			},
			map[string]any{"colour": "r", "age": int64(7), "sure": true},
			[]string{"Which colour: Red", "Age: 7", "sure: yes"},
		},
		{
			"secrets",
			[]acp.ElicitationProperty{
				{Name: "user", Schema: &acp.StringPropertySchema{}}, {Name: "apiKey", Schema: &acp.StringPropertySchema{}},
				{Name: "p", Schema: &acp.StringPropertySchema{Title: "Your Password"}},
			},
			map[string]any{"user": "Ada", "apiKey": "sk-1", "p": "hunter2"},
			[]string{"user: Ada", "apiKey: (not shown)", "Your Password: (not shown)"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Summary(&acp.ElicitationSchema{Properties: test.fields}, test.values)
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
