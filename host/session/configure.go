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
	values := maps.Clone(o.saved)
	if o.link.takesOptions() {
		values = o.values()
	}
	if values == nil {
		values = map[string]any{}
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
		switch _, old := o.saved[id]; {
		case opt == nil && old && o.chosen[id]: // the agent is yet to say what it offers
			if isValue(v) {
				chosen[id] = v
			}
		case opt == nil || !o.chosen[opt.ID] && !o.chosen[opt.Category]:
		case opt.Type == acp.ConfigBoolean || hasChoice(opt, v):
			chosen[opt.ID] = v
		}
	}
	return chosen
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
		opt := o.find(id)
		if opt != nil && has(opt, want[id]) {
			continue
		}
		early := chosen[id] == want[id]
		c, err := o.change(id, want[id])
		if err == nil {
			c.early = early
			changes = append(changes, c)
			continue
		}
		problems = append(problems, err)
		if early {
			o.screen.Say(err.Error(), "AcpWarning")
		}
		if early && (id == acp.CategoryMode || opt != nil && opt.Category == acp.CategoryMode) {
			o.queue.holdForMode()
		}
	}

	return changes, problems
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
