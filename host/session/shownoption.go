package session

import (
	"cmp"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/bounds"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// ShownOption is an option as Lua has it.
type ShownOption struct {
	ID          string   `msgpack:"id"`
	Name        string   `msgpack:"name"`
	Description string   `msgpack:"description"`
	Category    string   `msgpack:"category"`
	Type        string   `msgpack:"type"`
	Value       any      `msgpack:"value"`
	Label       string   `msgpack:"label"`
	Choices     []Choice `msgpack:"choices"`
	Left        string   `msgpack:"left,omitempty"` // how many choices are left out
}

// Choice is one of the values of an option.
type Choice struct {
	Value       string `msgpack:"value"`
	Name        string `msgpack:"name"`
	Description string `msgpack:"description"`
	Group       string `msgpack:"group,omitempty"`
}

// Named is a mode or a model.
type Named struct {
	ID      string `msgpack:"id"`
	Name    string `msgpack:"name"`
	Awaited bool   `msgpack:"awaited,omitempty"` // the agent has not agreed to it yet, and prompts wait for that
}

// Current is the mode or the model, by its category; nil if there is none.
func (o *Options) Current(category string) *Named {
	opt := o.category(category)
	if opt == nil || opt.Type != acp.ConfigSelect {
		return nil
	}
	now := o.now(*opt)
	return &Named{ID: now.CurrentValue, Name: label(&now), Awaited: category == acp.CategoryMode && o.AwaitsMode()}
}

func label(opt *acp.SessionConfigOption) string {
	if opt.Type == acp.ConfigBoolean {
		if opt.CurrentBool {
			return "on"
		}
		return "off"
	}
	for _, c := range opt.All() {
		if c.Value == opt.CurrentValue {
			return cmp.Or(plain.Brief(c.Name), plain.Brief(c.Value))
		}
	}
	return plain.Brief(opt.CurrentValue)
}

func (o *Options) shown() []ShownOption {
	list := []ShownOption{}
	options, _ := bounds.First(o.list, bounds.Options)
	for _, has := range options {
		now := o.now(has)
		opt := &now
		s := ShownOption{
			ID: opt.ID, Name: plain.Brief(opt.Name), Description: plain.Brief(opt.Description),
			Category: opt.Category, Type: opt.Type, Value: opt.CurrentValue, Label: label(opt), Choices: []Choice{},
		}
		if opt.Type == acp.ConfigBoolean {
			s.Value = opt.CurrentBool
		}

		left, read := 0, len(opt.Groups) // choices that are left out, and the entries of the longest list
		add := func(list []acp.SessionConfigSelectOption, group string) {
			first, more := bounds.First(list, bounds.Choices-len(s.Choices))
			for _, c := range first {
				s.Choices = append(s.Choices, shownChoice(c, group))
			}
			left, read = left+more, max(read, len(list))
		}

		add(opt.Options, "")
		for _, g := range opt.Groups {
			add(g.Options, plain.Brief(g.Name))
		}

		if left > 0 {
			s.Left = bounds.Number(left, read)
		}

		list = append(list, s)
	}

	return list
}

func shownChoice(c acp.SessionConfigSelectOption, group string) Choice {
	return Choice{c.Value, plain.Brief(c.Name), plain.Brief(c.Description), group}
}
