package session

import (
	"errors"
	"maps"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/record"
)

// The record has the options that the user has chosen, as the session has them last, and a mode that the agent has switched to; not what the
// agent began with, nor text that it does not offer (behaviours 1502, 1503,
// 1504).
func TestChosenOptions(t *testing.T) {
	choice := func(id, category, value string, values ...string) acp.SessionConfigOption {
		o := acp.SessionConfigOption{Type: acp.ConfigSelect, ID: id, Name: id, Category: category, CurrentValue: value}
		for _, v := range values {
			o.Options = append(o.Options, acp.SessionConfigSelectOption{Value: v})
		}
		return o
	}
	list := func(mode string) []acp.SessionConfigOption {
		return []acp.SessionConfigOption{
			choice("approvals", acp.CategoryMode, mode, "plan", "default", "auto"), choice("m", acp.CategoryModel, "big", "big", "small"),
			choice("key", "", "none"), {Type: acp.ConfigBoolean, ID: "turbo", Name: "Turbo"},
		}
	}
	set := func(option string, value any) func(*State, *agents.Agent) {
		return func(s *State, _ *agents.Agent) {
			c, err := s.options.Set(option, value)
			if err != nil {
				t.Fatal(err)
			}
			if c != nil {
				want := s.options.find(c.Option.ID)
				*want = c.Option
				s.options.Changed(c, nil)
			}
		}
	}
	refused := func(option string, value any) func(*State, *agents.Agent) {
		return func(s *State, _ *agents.Agent) {
			c, err := s.options.Set(option, value)
			if err != nil {
				t.Fatal(err)
			}
			s.options.Changed(c, errors.New("refused"))
		}
	}
	switches := func(s *State, _ *agents.Agent) { s.Update(&acp.CurrentModeUpdate{CurrentModeID: "auto"}) }
	lost := func(s *State, a *agents.Agent) { s.Lost(a, nil, false) }
	for _, tt := range []struct {
		name  string
		steps []func(*State, *agents.Agent)
		want  record.Options
	}{
		{"nothing was chosen", nil, nil},
		{"a mode, by its category", []func(*State, *agents.Agent){set("mode", "plan")}, record.Options{"approvals": "plan"}},
		{"a switch", []func(*State, *agents.Agent){set("turbo", true)}, record.Options{"turbo": true}},
		{"and what it began with", []func(*State, *agents.Agent){set("m", "small"), set("m", "big")}, record.Options{"m": "big"}},
		{"a text", []func(*State, *agents.Agent){set("key", "s3cret")}, nil},
		{"a mode that the agent refuses", []func(*State, *agents.Agent){refused("mode", "plan")}, nil},
		{"another than the chosen one", []func(*State, *agents.Agent){set("m", "small"), refused("m", "big")}, record.Options{"m": "small"}},
		{"one after another", []func(*State, *agents.Agent){refused("m", "small"), set("m", "small")}, record.Options{"m": "small"}},
		{"the agent switches", []func(*State, *agents.Agent){switches}, record.Options{"approvals": "auto"}},
		{"the plan is approved", []func(*State, *agents.Agent){set("mode", "plan"), switches}, record.Options{"approvals": "auto"}},
		{"the agent is gone", []func(*State, *agents.Agent){set("mode", "plan"), lost}, record.Options{"approvals": "plan"}},
		{"and then", []func(*State, *agents.Agent){lost, set("mode", "plan"), set("key", "s3cret")}, record.Options{"approvals": "plan"}},
		{"the agent falls back to another model", []func(*State, *agents.Agent){func(s *State, _ *agents.Agent) {
			other := list("default")
			other[1].CurrentValue = "small"
			s.Update(&acp.ConfigOptionUpdate{ConfigOptions: other})
		}}, nil},
	} {
		s, agent := opened(t)
		s.options.init(nil, nil, list("default"))
		for _, step := range tt.steps {
			step(s, agent)
			s.Take()
		}
		got := s.Unsaved(true).About.Options
		if !maps.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}

		// Another Neovim opens it again.
		again := newState()
		about, _ := again.Restore(record.Record{Session: record.Session{Options: got}})
		if !maps.Equal(about.Options, got) {
			t.Errorf("%s: before its agent is ready, got %v, want %v", tt.name, about.Options, got)
		}
		again.link.Claim()
		again.Connect(agent)
		again.Reopened(Opened{Options: list("default")})
		changes, problems := again.options.Configure(map[string]any{"mode": "auto"})
		asked := record.Options{}
		for _, c := range changes {
			asked[c.Option.ID] = c.Option.CurrentValue
			if c.Option.Type == acp.ConfigBoolean {
				asked[c.Option.ID] = c.Option.CurrentBool
			}
		}
		want := maps.Clone(got)
		if want["approvals"] == nil {
			want["approvals"] = "auto" // as it is configured
		}
		maps.DeleteFunc(want, func(id string, v any) bool { return id == "m" && v == "big" }) // it has that
		if len(problems) > 0 || !maps.Equal(asked, want) {
			t.Errorf("%s: asked for %v, want %v; %v", tt.name, asked, want, problems)
		}
		if now := again.options.Chosen(); !maps.Equal(now, got) {
			t.Errorf("%s: opened again, got %v, want %v", tt.name, now, got)
		}
	}
}
