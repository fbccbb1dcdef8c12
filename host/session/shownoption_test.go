package session

import (
	"fmt"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/bounds"
)

// Of an option with ever so many choices the first are shown, of all its groups together, and how many are left out is said.
func TestManyChoices(t *testing.T) {
	choices := func(n int) (list []acp.SessionConfigSelectOption) {
		for i := range n {
			list = append(list, acp.SessionConfigSelectOption{Value: fmt.Sprint(i), Name: fmt.Sprint("choice ", i)})
		}
		return list
	}
	groups := func(sizes ...int) (list []acp.SessionConfigSelectGroup) {
		for i, n := range sizes {
			list = append(list, acp.SessionConfigSelectGroup{Group: fmt.Sprint(i), Name: fmt.Sprint("group ", i), Options: choices(n)})
		}
		return list
	}
	for _, tt := range []struct {
		name        string
		option      acp.SessionConfigOption
		shown       int
		left, group string // the group is that of the last choice
	}{
		{"a few", acp.SessionConfigOption{Options: choices(3)}, 3, "", ""},
		{"as many as are shown", acp.SessionConfigOption{Options: choices(bounds.Choices)}, bounds.Choices, "", ""},
		{"more", acp.SessionConfigOption{Options: choices(bounds.Choices + 7)}, bounds.Choices, "7", ""},
		{"more than are read", acp.SessionConfigOption{Options: choices(bounds.Read)}, bounds.Choices, fmt.Sprintf("%d or more", bounds.Read-bounds.Choices), ""},
		{"in groups", acp.SessionConfigOption{Groups: groups(2, 3)}, 5, "", "group 1"},
		{"more in groups", acp.SessionConfigOption{Groups: groups(bounds.Choices-1, 3, 4)}, bounds.Choices, "6", "group 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.option.ID, tt.option.Type = "o", acp.ConfigSelect
			s := newState()
			s.options.list = []acp.SessionConfigOption{tt.option}
			list := s.options.shown()
			if len(list) != 1 || len(list[0].Choices) != tt.shown || list[0].Left != tt.left {
				t.Fatalf("%d choices are shown and %q left out, want %d and %q", len(list[0].Choices), list[0].Left, tt.shown, tt.left)
			}
			if got := list[0].Choices[tt.shown-1].Group; got != tt.group {
				t.Errorf("the last one is of %q, want %q", got, tt.group)
			}
		})
	}
}
