package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/bounds"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Options are a session's modes, models and config options. Agents speak of them in three dialects; all are kept in the
// form of the newest, and which one a change goes back in is noted. The zero value has none.
type Options struct {
	list    []acp.SessionConfigOption // as the agent has said
	dialect map[string]string         // by option id: "mode" and "model" go by their own methods, the rest as config options
	wanted  map[string]wish           // by option id: what the agent was asked for and has not answered; shown instead
	asked   int                       // how often the agent was asked

	pending map[string]any // chosen while no agent takes options
	saved   map[string]any // what they had when the agent was lost, or in the session that this one begins with
}

// wish is a value that the user wants an option to have.
type wish struct {
	n  int // of the newest of this option: the answers to others change nothing
	of acp.SessionConfigOption
}

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

// init takes what a session begins with. Where config options say the same as modes or models, they win.
func (o *Options) init(modes *acp.SessionModeState, models *acp.SessionModelState, list []acp.SessionConfigOption) {
	o.list, o.dialect, o.wanted = slices.Clone(list), map[string]string{}, map[string]wish{}
	if modes != nil && len(list) == 0 {
		opt := acp.SessionConfigOption{
			Type: acp.ConfigSelect, ID: "mode", Name: "Mode", Category: acp.CategoryMode, CurrentValue: modes.CurrentModeID,
		}
		for _, m := range modes.AvailableModes {
			opt.Options = append(opt.Options, acp.SessionConfigSelectOption{Value: m.ID, Name: m.Name, Description: m.Description})
		}
		o.list, o.dialect["mode"] = append(o.list, opt), "mode"
	}
	if models != nil && o.category(acp.CategoryModel) == nil {
		opt := acp.SessionConfigOption{
			Type: acp.ConfigSelect, ID: "model", Name: "Model", Category: acp.CategoryModel, CurrentValue: models.CurrentModelID,
		}
		for _, m := range models.AvailableModels {
			opt.Options = append(opt.Options, acp.SessionConfigSelectOption{Value: m.ModelID, Name: m.Name, Description: m.Description})
		}
		o.list, o.dialect["model"] = append(o.list, opt), "model"
	}
}

// replace takes the agent's whole list of config options; what goes by methods of its own stays.
func (o *Options) replace(list []acp.SessionConfigOption) {
	fresh := slices.Clone(list)
	for _, old := range o.list {
		said := slices.ContainsFunc(fresh, func(n acp.SessionConfigOption) bool { return n.Category == old.Category })
		if o.dialect[old.ID] != "" && !said {
			fresh = append(fresh, old)
		}
	}
	o.list = fresh
}

// save keeps what the options have, for the next agent.
func (o *Options) save() { o.saved = o.values() }

// begin returns the values that the options are to begin with, the configured ones unless others are kept, by id where there is such
// an option: it may be named by its category too. Nothing is kept any more.
func (o *Options) begin(configured map[string]any) map[string]any {
	want := map[string]any{}
	for _, values := range []map[string]any{configured, o.saved, o.pending} {
		for id, v := range values {
			if opt := o.find(id); opt != nil {
				want[opt.ID] = v
			} else if _, old := o.saved[id]; !old { // an agent that was started again may have others
				want[id] = v
			}
		}
	}
	o.pending, o.saved = nil, nil
	return want
}

// values is what each option is shown to have, by its id.
func (o *Options) values() map[string]any {
	all := map[string]any{}
	for _, has := range o.list {
		opt := o.now(has)
		switch opt.Type {
		case acp.ConfigSelect:
			all[opt.ID] = opt.CurrentValue
		case acp.ConfigBoolean:
			all[opt.ID] = opt.CurrentBool
		}
	}
	return all
}

func (o *Options) find(id string) *acp.SessionConfigOption {
	for i := range o.list {
		if o.list[i].ID == id {
			return &o.list[i]
		}
	}
	return o.category(id)
}

func (o *Options) category(name string) *acp.SessionConfigOption {
	for i := range o.list {
		if o.list[i].Category == name {
			return &o.list[i]
		}
	}
	return nil
}

// setMode notes a mode that the agent has changed by the older dialect.
func (o *Options) setMode(id string) {
	if opt := o.category(acp.CategoryMode); opt != nil && o.dialect[opt.ID] == "mode" {
		opt.CurrentValue = id
	}
}

// hasMode reports whether the agent has a mode of that id.
func (o *Options) hasMode(id string) bool {
	opt := o.category(acp.CategoryMode)
	if opt == nil || o.dialect[opt.ID] != "mode" {
		return false
	}
	return slices.ContainsFunc(opt.All(), func(v acp.SessionConfigSelectOption) bool { return v.Value == id })
}

// want notes a value that the agent is asked for. It returns what ends the waiting: with no error, the agent has agreed.
func (o *Options) want(opt acp.SessionConfigOption) (done func(error)) {
	o.asked++
	n := o.asked
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
func (o *Options) now(opt acp.SessionConfigOption) acp.SessionConfigOption {
	if w, ok := o.wanted[opt.ID]; ok && w.of.Type == opt.Type {
		opt.CurrentValue, opt.CurrentBool = w.of.CurrentValue, w.of.CurrentBool
	}
	return opt
}

func (o *Options) current(category string) *Named {
	opt := o.category(category)
	if opt == nil || opt.Type != acp.ConfigSelect {
		return nil
	}
	now := o.now(*opt)
	return &Named{ID: now.CurrentValue, Name: label(&now)}
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
			return plain.Brief(c.Name)
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

// Change is a change of an option that the agent is to be asked for.
type Change struct {
	Connection Connection
	Remote     string
	Dialect    string                  // "mode" and "model" go by their own methods, the rest as config options
	Option     acp.SessionConfigOption // with the new value
	done       func(error)
}

// A ChangeError says why an option cannot have a value.
type ChangeError struct{ text string }

func (e *ChangeError) Error() string { return e.text }

// Set returns the change of an option, which is shown at once. It is nil while no agent takes options: then the value is kept,
// and goes out when one does.
func (s *State) Set(option string, value any) (*Change, error) {
	if s.link.takesOptions() {
		return s.change(option, value)
	}

	id := option
	if len(s.options.list) > 0 { // of the agent that was there before
		want, err := s.assigned(option, value)
		if err != nil {
			return nil, err
		}
		s.options.want(want)
		id = want.ID
	}
	if s.options.pending == nil {
		s.options.pending = map[string]any{}
	}

	s.options.pending[id] = value
	s.changed()
	return nil, nil
}

// assigned returns an option with a value, which must be one that it offers.
func (s *State) assigned(option string, value any) (acp.SessionConfigOption, error) {
	opt := s.options.find(option)
	if opt == nil {
		return acp.SessionConfigOption{}, &ChangeError{fmt.Sprintf("%s offers no option %q", s.agent.Title, option)}
	}
	want := *opt
	if !assign(&want, value) {
		return want, &ChangeError{fmt.Sprintf("%s: %v is no value for it%s", plain.OneLine(opt.Name), value, choicesOf(opt))}
	}
	return want, nil
}

// choicesOf names the values of an option for a message, if they are few.
func choicesOf(opt *acp.SessionConfigOption) string {
	var names []string
	for _, c := range opt.All() {
		names = append(names, plain.Brief(c.Value))
	}
	if len(names) == 0 || len(names) > 12 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}

func (s *State) change(option string, value any) (*Change, error) {
	want, err := s.assigned(option, value)
	if err != nil {
		return nil, err
	}
	s.changed()
	return &Change{
		Connection: s.link.agent(), Remote: s.link.remote, Dialect: s.options.dialect[want.ID], Option: want, done: s.options.want(want),
	}, nil
}

// Changed ends the wait for a change: with no error the agent has agreed, else the old value is shown again.
func (s *State) Changed(c *Change, err error) {
	c.done(err)
	s.changed()
}

// ReplaceOptions sets the agent's whole list of options.
func (s *State) ReplaceOptions(list []acp.SessionConfigOption) {
	s.options.replace(list)
	s.changed()
}

// Values returns what the options have, or had when the agent was lost, and what was chosen since, by id.
func (s *State) Values() map[string]any {
	values := maps.Clone(s.options.saved)
	if s.link.takesOptions() {
		values = s.options.values()
	}
	if values == nil {
		values = map[string]any{}
	}
	maps.Copy(values, s.options.pending)
	return values
}

// BeginWith has the options begin with values, where the agent offers them, rather than with those that it begins with.
func (s *State) BeginWith(values map[string]any) { s.options.saved = values }

// Configure returns the changes that give the options the configured values, those they had when the agent was lost, and
// those that the user has chosen before the agent was ready.
func (s *State) Configure(configured map[string]any) (changes []*Change, problems []error) {
	if !s.link.configure() {
		return nil, nil
	}

	want := s.options.begin(configured)
	for _, id := range slices.Sorted(maps.Keys(want)) {
		if opt := s.options.find(id); opt != nil && has(opt, want[id]) {
			continue
		}
		c, err := s.change(id, want[id])
		if err != nil {
			problems = append(problems, err)
		} else {
			changes = append(changes, c)
		}
	}

	return changes, problems
}

// has reports whether an option has a value.
func has(opt *acp.SessionConfigOption, value any) bool {
	return opt.Type == acp.ConfigSelect && opt.CurrentValue == value || opt.Type == acp.ConfigBoolean && opt.CurrentBool == value
}

// assign gives an option a value of its type.
func assign(opt *acp.SessionConfigOption, value any) bool {
	if opt.Type == acp.ConfigBoolean {
		on, ok := value.(bool)
		opt.CurrentBool = ok && on || !ok && opt.CurrentBool
		return ok
	}

	text, ok := value.(string)
	if choices := opt.All(); ok && len(choices) > 0 {
		ok = slices.ContainsFunc(choices, func(c acp.SessionConfigSelectOption) bool { return c.Value == text })
	}
	if ok {
		opt.CurrentValue = text
	}

	return ok
}
