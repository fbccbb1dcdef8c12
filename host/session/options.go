package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Options are a session's modes, models and config options. Agents speak of them in three dialects; all are kept in the
// form of the newest, and which one a change goes back in is noted. The zero value has none.
type Options struct {
	screen *Screen
	link   *Link
	agent  *Agent
	queue  *Queue

	list    []acp.SessionConfigOption // as the agent has said
	dialect map[string]string         // by option id: "mode" and "model" go by their own methods, the rest as config options
	wanted  map[string]wish           // by option id: what the agent was asked for and has not answered; shown instead
	asked   int                       // how often the agent was asked

	pending map[string]any  // chosen while no agent takes options
	saved   map[string]any  // what they had when the agent was lost, in the record, or in the session that this one begins with
	late    map[string]late // what they are to have once they are offered
	chosen  map[string]bool // by id or category: chosen here or in the record by the user, or a mode that the agent has switched to

	autonomySaid []string // what was said of modes in which the agent asks nothing
}

func (o *Options) check() error {
	if o.link.takesOptions() && (o.pending != nil || o.saved != nil) {
		return errors.New("options are kept for an agent that is there")
	}
	return nil
}

// wish is a value that the user wants an option to have.
type wish struct {
	n       int // of the newest of this option: the answers to others change nothing
	of      acp.SessionConfigOption
	awaited bool // prompts wait until the agent has agreed, if it is a mode
}

// init takes what a session begins with. Where config options say the same as modes or models, they win.
func (o *Options) init(modes *acp.SessionModeState, models *acp.SessionModelState, list []acp.SessionConfigOption) {
	o.list, o.dialect, o.wanted = categorized(list), map[string]string{}, map[string]wish{}
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

// categorized returns options of which those that are called mode or model are that, unless another is or they say otherwise: the
// category is optional.
func categorized(list []acp.SessionConfigOption) []acp.SessionConfigOption {
	list = slices.Clone(list)
	for i := range list {
		opt := &list[i]
		taken := slices.ContainsFunc(list, func(o acp.SessionConfigOption) bool { return o.Category == opt.ID })
		if opt.Type == acp.ConfigSelect && opt.Category == "" && !taken && (opt.ID == acp.CategoryMode || opt.ID == acp.CategoryModel) {
			opt.Category = opt.ID
		}
	}
	return list
}

// Replace takes the agent's whole list of config options; what goes by methods of its own stays.
func (o *Options) Replace(list []acp.SessionConfigOption) {
	o.replace(list)
	o.screen.Refresh()
}

func (o *Options) replace(list []acp.SessionConfigOption) {
	fresh := categorized(list)
	for _, old := range o.list {
		said := slices.ContainsFunc(fresh, func(n acp.SessionConfigOption) bool { return n.Category == old.Category })
		if o.dialect[old.ID] != "" && !said {
			fresh = append(fresh, old)
		}
	}
	o.list = fresh
}

// learn applies what an update says of options. Where the agent switches the mode, as it does once a plan is approved, that is as if the
// user had chosen it.
func (o *Options) learn(u acp.SessionUpdate) {
	was := o.Current(acp.CategoryMode)
	defer func() {
		if is := o.Current(acp.CategoryMode); was != nil && is != nil && is.ID != was.ID && o.link.takesOptions() {
			o.choose(o.category(acp.CategoryMode).ID)
		}
	}()

	switch u := u.(type) {
	case *acp.CurrentModeUpdate:
		switch opt := o.category(acp.CategoryMode); {
		case opt == nil:
		case o.dialect[opt.ID] == "mode":
			opt.CurrentValue = u.CurrentModeID
		default: // an agent with both may speak of one only
			assign(opt, u.CurrentModeID)
		}
	case *acp.ConfigOptionUpdate:
		o.replace(u.ConfigOptions)
	}
}

// save keeps what the options have, or were to have, for the next agent.
func (o *Options) save() { o.saved, o.late = o.Values(), nil }

// begin returns the values that the options are to begin with, the configured ones unless others are kept, by id where there is such
// an option: it may be named by its category too. Nothing is kept any more.
func (o *Options) begin(configured map[string]any) map[string]any {
	want := map[string]any{}
	for _, values := range []map[string]any{configured, o.saved, o.pending} {
		for id, v := range values {
			_, old := o.saved[id]
			switch opt := o.find(id); {
			case opt != nil:
				want[opt.ID] = v
			case old: // an agent that was started again may have others
				o.later(id, late{v, true})
			default:
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

// hasMode reports whether the agent has a mode of that id.
func (o *Options) hasMode(id string) bool {
	opt := o.category(acp.CategoryMode)
	return opt != nil && o.dialect[opt.ID] == "mode" && hasChoice(opt, id)
}

// want notes a value that the agent is asked for. It returns what ends the waiting: with no error, the agent has agreed. That reports
// whether nothing else has been asked for since.
func (o *Options) want(opt acp.SessionConfigOption) (done func(error) (newest bool)) {
	o.asked++
	n := o.asked
	if o.wanted == nil {
		o.wanted = map[string]wish{}
	}

	o.wanted[opt.ID] = wish{n, opt, true}
	return func(err error) bool {
		newest := o.wanted[opt.ID].n == n
		if newest {
			delete(o.wanted, opt.ID)
		}
		if has := o.find(opt.ID); err == nil && has != nil && o.dialect[opt.ID] != "" {
			has.CurrentValue = opt.CurrentValue // the older methods answer nothing
		}
		return newest
	}
}

// now is an option with the value that is shown.
func (o *Options) now(opt acp.SessionConfigOption) acp.SessionConfigOption {
	if w, ok := o.wanted[opt.ID]; ok && w.of.Type == opt.Type {
		opt.CurrentValue, opt.CurrentBool = w.of.CurrentValue, w.of.CurrentBool
	}
	return opt
}

// Change is a change of an option that the agent is to be asked for.
type Change struct {
	Connection Connection
	Remote     string
	Dialect    string                  // "mode" and "model" go by their own methods, the rest as config options
	Option     acp.SessionConfigOption // with the new value
	early      bool                    // it was chosen before the agent took options, or had with the one before
	again      bool                    // the option had been chosen already
	done       func(error) (newest bool)
}

// A ChangeError says why an option cannot have a value.
type ChangeError struct{ text string }

func (e *ChangeError) Error() string { return e.text }

// Set returns the change of an option, which is shown at once. It is nil while no agent takes options: then the value is kept,
// and goes out when one does.
func (o *Options) Set(option string, value any) (*Change, error) {
	if o.link.takesOptions() {
		c, err := o.change(option, value)
		if err == nil {
			c.again = o.isChosen(&c.Option)
			o.choose(c.Option.ID)
			o.screen.decided()
			delete(o.late, c.Option.ID)
			delete(o.late, c.Option.Category)
		}
		return c, err
	}

	id := option
	if len(o.list) > 0 { // of the agent that was there before
		want, err := o.assigned(option, value)
		if err != nil {
			return nil, err
		}
		o.want(want)
		id = want.ID
	}
	if o.pending == nil {
		o.pending = map[string]any{}
	}

	o.pending[id] = value
	o.choose(id)
	o.screen.decided()
	o.screen.Refresh()
	return nil, nil
}

// assigned returns an option with a value, which must be one that it offers.
func (o *Options) assigned(option string, value any) (acp.SessionConfigOption, error) {
	opt := o.find(option)
	if opt == nil {
		return acp.SessionConfigOption{}, &ChangeError{fmt.Sprintf("%s offers no option %q", o.agent.Title, option)}
	}
	want := *opt
	if !assign(&want, value) {
		return want, &ChangeError{fmt.Sprintf("%s has no value %q%s", plain.OneLine(opt.Name), fmt.Sprint(value), choicesOf(opt))}
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

func (o *Options) change(option string, value any) (*Change, error) {
	want, err := o.assigned(option, value)
	if err != nil {
		return nil, err
	}
	o.screen.Refresh()
	return &Change{
		Connection: o.link.Agent(), Remote: o.link.remote, Dialect: o.dialect[want.ID], Option: want, done: o.want(want),
	}, nil
}

// changed ends the wait for a change, see [Options.Changed].
func (o *Options) changed(c *Change, err error) (why string) {
	newest := c.done(err)
	o.screen.Refresh()
	if err == nil {
		return ""
	}
	if newest && !c.again { // what is refused is no choice
		delete(o.chosen, c.Option.ID)
		delete(o.chosen, c.Option.Category)
	}

	name := plain.OneLine(c.Option.Name)
	if has := o.find(c.Option.ID); c.early && has != nil {
		why = fmt.Sprintf("%s is %s, not %s: %v", name, label(has), label(&c.Option), err)
		o.screen.Say(why, "AcpWarning")
		return why
	}
	return fmt.Sprintf("%s was not changed: %v", name, err)
}

// modeWord returns the word of a mode's id, which may be an address that ends with it.
func modeWord(id string) string {
	if i := strings.LastIndexAny(id, "#/"); i >= 0 {
		id = id[i+1:]
	}
	return strings.ToLower(id)
}

// modeUpdate is an update, or the change of mode that an agent writes into an answer.
func (o *Options) modeUpdate(u acp.SessionUpdate) acp.SessionUpdate {
	chunk, ok := u.(*acp.AgentMessageChunk)
	if !ok {
		return u
	}

	text, ok := chunk.Content.(*acp.TextContent)
	if !ok {
		return u
	}

	mode, ok := strings.CutPrefix(text.Text, "[MODE_UPDATE] ")
	if mode = strings.TrimSpace(mode); !ok || !o.hasMode(mode) {
		return u
	}

	return &acp.CurrentModeUpdate{CurrentModeID: mode}
}

// hasChoice reports whether a value is one of the choices of an option.
func hasChoice(opt *acp.SessionConfigOption, value any) bool {
	return slices.ContainsFunc(opt.All(), func(c acp.SessionConfigSelectOption) bool { return c.Value == value })
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
	if ok && len(opt.All()) > 0 {
		ok = hasChoice(opt, text)
	}
	if ok {
		opt.CurrentValue = text
	}

	return ok
}
