package session

import (
	"errors"
	"maps"
	"slices"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/record"
)

// Values returns what the options have, or had when the agent was lost, and what was chosen since, by id.
func (o *Options) Values() map[string]any {
	values := map[string]any{}
	for id, v := range o.late {
		values[id] = v.value
	}
	if o.link.takesOptions() {
		maps.Copy(values, o.values())
	} else {
		maps.Copy(values, o.saved)
	}
	maps.Copy(values, o.pending)
	return values
}

// BeginWith has the options begin with values, where the agent offers them, rather than with those that it begins with.
func (o *Options) BeginWith(values map[string]any) { o.saved = values }

// choose notes that the user has chosen the value of an option, or of one of a category.
func (o *Options) choose(option string) {
	if o.chosen == nil {
		o.chosen = map[string]bool{}
	}
	o.chosen[option] = true
}

// Chosen returns the values of options that the record has, by id: those that were chosen, of what the agent offers. No other text is among
// them.
func (o *Options) Chosen() record.Options {
	chosen := record.Options{}
	for id, v := range o.Values() {
		opt := o.find(id)
		_, old := o.saved[id]
		_, late := o.late[id]
		switch {
		case opt == nil && (old || late) && o.chosen[id]: // the agent is yet to say what it offers
			if isValue(v) {
				chosen[id] = v
			}
		case opt == nil || !o.isChosen(opt):
		case opt.Type == acp.ConfigBoolean || hasChoice(opt, v):
			chosen[opt.ID] = v
		}
	}
	return chosen
}

// isChosen reports whether the value of an option was chosen.
func (o *Options) isChosen(opt *acp.SessionConfigOption) bool {
	return o.chosen[opt.ID] || o.chosen[opt.Category]
}

// isValue reports whether a value is one that an option can have.
func isValue(v any) bool {
	switch v.(type) {
	case string, bool:
		return true
	}
	return false
}

// restore has the options begin with those of a record.
func (o *Options) restore(values record.Options) {
	if len(values) > 0 {
		o.chose(values)
		o.BeginWith(values)
	}
}

// chose notes which options a record says were chosen.
func (o *Options) chose(values record.Options) {
	for id := range values {
		o.choose(id)
	}
}

// late is a value that an option is to have which the agent is yet to offer.
type late struct {
	value any
	early bool // see [Change]
}

// Configure notes that the agent takes options. It returns the changes that give them the configured values, those they had when the
// agent was lost, and those that the user has chosen before the agent was ready.
func (o *Options) Configure(configured map[string]any) (changes []*Change, problems []error) {
	chosen := map[string]any{}
	for id, v := range o.Values() {
		if opt := o.find(id); opt != nil {
			id = opt.ID // it may be named by its category
		}
		chosen[id] = v
	}
	if !o.link.configure() {
		return nil, nil
	}

	want := o.begin(configured)
	for _, id := range slices.Sorted(maps.Keys(want)) {
		v := late{want[id], chosen[id] == want[id]}
		if o.find(id) == nil {
			o.later(id, v)
		}
		c, err := o.beginWith(id, v)
		if c != nil {
			changes = append(changes, c)
		}
		if err != nil {
			problems = append(problems, err)
		}
	}
	return changes, problems
}

// later keeps a value for when the agent offers that option.
func (o *Options) later(id string, v late) {
	if o.late == nil {
		o.late = map[string]late{}
	}
	o.late[id] = v
}

// Offered returns the changes that give options which the agent has not offered at first the values that they were to begin with.
func (o *Options) Offered() (changes []*Change, problems []error) {
	if !o.link.takesOptions() {
		return nil, nil
	}
	for _, id := range slices.Sorted(maps.Keys(o.late)) {
		if o.find(id) == nil {
			continue
		}
		v := o.late[id]
		delete(o.late, id)
		c, err := o.beginWith(id, v)
		if c != nil {
			changes = append(changes, c)
		}
		if err != nil {
			problems = append(problems, err)
		}
	}
	return changes, problems
}

// beginWith returns the change that gives an option the value that it is to begin with, nil if it has that.
func (o *Options) beginWith(id string, v late) (*Change, error) {
	opt := o.find(id)
	if opt != nil && has(opt, v.value) {
		return nil, nil
	}
	c, err := o.change(id, v.value)
	if err == nil {
		c.early = v.early
		return c, nil
	}
	if v.early {
		o.screen.Say(err.Error(), "AcpWarning")
		if id == acp.CategoryMode || opt != nil && opt.Category == acp.CategoryMode {
			o.queue.holdForMode()
		}
	}
	return nil, err
}

// AwaitsMode reports whether the agent has not yet agreed to a mode that was chosen: prompts wait for that, also those for the turn that
// runs. An agent that says it has the mode has agreed.
func (o *Options) AwaitsMode() bool {
	for _, w := range o.wanted {
		if has := o.find(w.of.ID); w.awaited && w.of.Category == acp.CategoryMode && (has == nil || has.CurrentValue != w.of.CurrentValue) {
			return true
		}
	}
	return false
}

// goOn has prompts wait no longer for an agent that does not answer.
func (o *Options) goOn() {
	if !o.AwaitsMode() {
		return
	}
	for id, w := range o.wanted {
		w.awaited = false
		o.wanted[id] = w
	}
}

// Changed ends the wait for a change: with no error the agent has agreed, else the old value is shown again. It returns what the user
// is told then, "" for nothing. What a new agent begins with instead of what the user chose is in the transcript, too. The next turn may
// have waited for it.
func (o *Options) Changed(c *Change, err error) (why string) {
	awaited := o.AwaitsMode()
	has := o.find(c.Option.ID)
	if err == nil && c.Dialect == "" && c.Option.Category == acp.CategoryMode && (has == nil || has.CurrentValue != c.Option.CurrentValue) {
		err = errors.New("the agent has agreed, and has not changed it")
	}
	why = o.changed(c, err)
	if err != nil && awaited && !o.AwaitsMode() {
		o.queue.holdForMode()
	}
	return why
}

// readOnly are modes in which agents change nothing, as they are called, the best first.
var readOnly = []string{"ask", "read-only", "readonly", "read_only", "plan"}

// ReadOnlyMode returns a mode in which the agent changes nothing, "" if it offers none.
func (o *Options) ReadOnlyMode() string {
	opt := o.category(acp.CategoryMode)
	if opt == nil {
		return ""
	}
	for _, word := range readOnly {
		for _, v := range opt.All() {
			if modeWord(v.Value) == word {
				return v.Value
			}
		}
	}
	return ""
}
