package host

import (
	"fmt"
	"maps"
	"slices"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// options are a session's modes, models and config options. Agents speak of them in three dialects; all are kept in the
// form of the newest, and which one a change goes back in is noted. The zero value has none.
type options struct {
	list    []acp.SessionConfigOption // as the agent has said
	dialect map[string]string         // by option id: "mode" and "model" go by their own methods, the rest as config options
	wanted  map[string]wish           // by option id: what the agent was asked for and has not answered; shown instead
	wishes  int
}

// wish is a value that the user wants an option to have.
type wish struct {
	n  int // of the newest of this option: the answers to others change nothing
	of acp.SessionConfigOption
}

// shownOption is an option as Lua is told of it.
type shownOption struct {
	ID          string   `msgpack:"id"`
	Name        string   `msgpack:"name"`
	Description string   `msgpack:"description"`
	Category    string   `msgpack:"category"`
	Type        string   `msgpack:"type"`
	Value       any      `msgpack:"value"`
	Label       string   `msgpack:"label"`
	Choices     []choice `msgpack:"choices"`
}

type choice struct {
	Value       string `msgpack:"value"`
	Name        string `msgpack:"name"`
	Description string `msgpack:"description"`
	Group       string `msgpack:"group,omitempty"`
}

// init takes what a session begins with. Where config options say the same as modes or models, they win.
func (o *options) init(modes *acp.SessionModeState, models *acp.SessionModelState, list []acp.SessionConfigOption) {
	o.list, o.dialect, o.wanted = slices.Clone(list), map[string]string{}, map[string]wish{}
	if modes != nil && len(list) == 0 {
		opt := acp.SessionConfigOption{Type: acp.ConfigSelect, ID: "mode", Name: "Mode", Category: acp.CategoryMode, CurrentValue: modes.CurrentModeID}
		for _, m := range modes.AvailableModes {
			opt.Options = append(opt.Options, acp.SessionConfigSelectOption{Value: m.ID, Name: m.Name, Description: m.Description})
		}
		o.list, o.dialect["mode"] = append(o.list, opt), "mode"
	}
	if models != nil && o.category(acp.CategoryModel) == nil {
		opt := acp.SessionConfigOption{Type: acp.ConfigSelect, ID: "model", Name: "Model", Category: acp.CategoryModel, CurrentValue: models.CurrentModelID}
		for _, m := range models.AvailableModels {
			opt.Options = append(opt.Options, acp.SessionConfigSelectOption{Value: m.ModelID, Name: m.Name, Description: m.Description})
		}
		o.list, o.dialect["model"] = append(o.list, opt), "model"
	}
}

// replace takes the agent's whole list of config options; what goes by methods of its own stays.
func (o *options) replace(list []acp.SessionConfigOption) {
	fresh := slices.Clone(list)
	for _, old := range o.list {
		if o.dialect[old.ID] != "" && !slices.ContainsFunc(fresh, func(n acp.SessionConfigOption) bool { return n.Category == old.Category }) {
			fresh = append(fresh, old)
		}
	}
	o.list = fresh
}

// values is what each option has, by its id.
func (o *options) values() map[string]any {
	all := map[string]any{}
	for _, opt := range o.list {
		switch opt.Type {
		case acp.ConfigSelect:
			all[opt.ID] = opt.CurrentValue
		case acp.ConfigBoolean:
			all[opt.ID] = opt.CurrentBool
		}
	}
	return all
}

func (o *options) find(id string) *acp.SessionConfigOption {
	for i := range o.list {
		if o.list[i].ID == id {
			return &o.list[i]
		}
	}
	return o.category(id)
}

func (o *options) category(name string) *acp.SessionConfigOption {
	for i := range o.list {
		if o.list[i].Category == name {
			return &o.list[i]
		}
	}
	return nil
}

// setMode notes a mode that the agent has changed by the older dialect.
func (o *options) setMode(id string) {
	if opt := o.category(acp.CategoryMode); opt != nil && o.dialect[opt.ID] == "mode" {
		opt.CurrentValue = id
	}
}

// hasMode reports whether the agent has a mode of that id.
func (o *options) hasMode(id string) bool {
	opt := o.category(acp.CategoryMode)
	if opt == nil || o.dialect[opt.ID] != "mode" {
		return false
	}
	return slices.ContainsFunc(opt.All(), func(v acp.SessionConfigSelectOption) bool { return v.Value == id })
}

// want notes a value that the agent is asked for. It returns what ends the waiting: with no error, the agent has agreed.
func (o *options) want(opt acp.SessionConfigOption) (done func(error)) {
	o.wishes++
	n := o.wishes
	if o.wanted == nil {
		o.wanted = map[string]wish{}
	}
	o.wanted[opt.ID] = wish{n, opt}
	return func(err error) {
		if o.wanted[opt.ID].n == n {
			delete(o.wanted, opt.ID)
		}
		if has := o.find(opt.ID); err == nil && has != nil && o.dialect[opt.ID] != "" {
			has.CurrentValue = opt.CurrentValue // the older methods answer nothing
		}
	}
}

// now is an option with the value that is shown.
func (o *options) now(opt acp.SessionConfigOption) acp.SessionConfigOption {
	if w, ok := o.wanted[opt.ID]; ok && w.of.Type == opt.Type {
		opt.CurrentValue, opt.CurrentBool = w.of.CurrentValue, w.of.CurrentBool
	}
	return opt
}

func (o *options) current(category string) *named {
	opt := o.category(category)
	if opt == nil || opt.Type != acp.ConfigSelect {
		return nil
	}
	now := o.now(*opt)
	return &named{ID: now.CurrentValue, Name: label(&now)}
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
			return transcript.Brief(c.Name)
		}
	}
	return transcript.Brief(opt.CurrentValue)
}

func (o *options) shown() []shownOption {
	list := []shownOption{}
	for _, has := range o.list {
		now := o.now(has)
		opt := &now
		s := shownOption{
			ID: opt.ID, Name: transcript.Brief(opt.Name), Description: transcript.Brief(opt.Description),
			Category: opt.Category, Type: opt.Type, Value: opt.CurrentValue, Label: label(opt), Choices: []choice{},
		}
		if opt.Type == acp.ConfigBoolean {
			s.Value = opt.CurrentBool
		}
		for _, c := range opt.Options {
			s.Choices = append(s.Choices, shownChoice(c, ""))
		}
		for _, g := range opt.Groups {
			for _, c := range g.Options {
				s.Choices = append(s.Choices, shownChoice(c, transcript.Brief(g.Name)))
			}
		}
		list = append(list, s)
	}
	return list
}

func shownChoice(c acp.SessionConfigSelectOption, group string) choice {
	return choice{c.Value, transcript.Brief(c.Name), transcript.Brief(c.Description), group}
}

// set changes an option: shown at once, and taken back with an error if the agent refuses. It goes out before any prompt
// that is sent later; before the agent is ready it is kept, and goes out then.
func (s *Session) set(a setArgs) {
	s.mu.Lock()
	agent, remote := s.agent, s.remote
	if !s.settable {
		if s.wishes == nil {
			s.wishes = map[string]any{}
		}
		s.wishes[a.Option] = a.Value
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()
	s.setNow(agent, remote, a)
}

func (s *Session) setNow(agent *agent, remote string, a setArgs) {
	s.mu.Lock()
	opt := s.options.find(a.Option)
	if opt == nil {
		s.mu.Unlock()
		s.host.say("warn", fmt.Sprintf("%s offers no option %q", s.spec().Title, a.Option))
		return
	}
	want, dialect := *opt, s.options.dialect[opt.ID]
	if !assign(&want, a.Value) {
		s.mu.Unlock()
		s.host.say("warn", fmt.Sprintf("%s: %v is no value for it", transcript.Brief(opt.Name), a.Value))
		return
	}
	done := s.options.want(want)
	s.status = true
	s.mu.Unlock()
	s.hurry()
	s.wire.Lock()
	defer s.wire.Unlock()
	s.startSet(agent, remote, dialect, want, func(err error) {
		s.change(func() { done(err) })
		if err != nil {
			s.host.say("error", fmt.Sprintf("%s: %s was not changed: %v", s.spec().Title, transcript.Brief(want.Name), err))
		}
	})
}

// assign gives an option a value of its type.
func assign(opt *acp.SessionConfigOption, value any) bool {
	if opt.Type == acp.ConfigBoolean {
		on, ok := value.(bool)
		opt.CurrentBool = ok && on || !ok && opt.CurrentBool
		return ok
	}
	text, ok := value.(string)
	if ok {
		opt.CurrentValue = text
	}
	return ok
}

// startSet asks the agent for a change; done is called in wire order.
func (s *Session) startSet(a *agent, remote, dialect string, want acp.SessionConfigOption, done func(error)) {
	switch dialect {
	case "mode":
		a.proc.StartSetMode(&acp.SetSessionModeRequest{SessionID: remote, ModeID: want.CurrentValue},
			func(_ *acp.SetSessionModeResponse, err error) { done(err) })
	case "model":
		a.proc.StartSetModel(&acp.SetSessionModelRequest{SessionID: remote, ModelID: want.CurrentValue},
			func(_ *acp.SetSessionModelResponse, err error) { done(err) })
	default:
		req := &acp.SetSessionConfigOptionRequest{SessionID: remote, ConfigID: want.ID, Value: want.CurrentValue}
		if want.Type == acp.ConfigBoolean {
			req.Bool = &want.CurrentBool
		}
		a.proc.StartSetConfigOption(req, func(r *acp.SetSessionConfigOptionResponse, err error) {
			if err == nil {
				s.change(func() { s.options.replace(r.ConfigOptions) })
			}
			done(err)
		})
	}
}

// configure sets the mode, model and options that the configuration names, and those that the user has chosen before the
// agent was ready. They are on the wire when it returns.
func (s *Session) configure(a *agent) {
	s.mu.Lock()
	want := map[string]any{}
	maps.Copy(want, s.spec().Options)
	if s.spec().Mode != "" {
		want[acp.CategoryMode] = s.spec().Mode
	}
	if s.spec().Model != "" {
		want[acp.CategoryModel] = s.spec().Model
	}
	for id, v := range s.before {
		if s.options.find(id) != nil { // an agent that was started again may have others
			want[id] = v
		}
	}
	maps.Copy(want, s.wishes)
	s.wishes, s.before, s.settable = nil, nil, true
	for id, v := range want {
		if opt := s.options.find(id); opt != nil && (opt.Type == acp.ConfigSelect && opt.CurrentValue == v || opt.Type == acp.ConfigBoolean && opt.CurrentBool == v) {
			delete(want, id)
		}
	}
	remote := s.remote
	s.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(want)) {
		s.setNow(a, remote, setArgs{target: target{Session: s.id}, Option: id, Value: want[id]})
	}
}
