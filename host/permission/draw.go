package permission

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// View returns requests as they are shown, of an agent of that title and name.
func (v *Viewer) View(list []Snapshot, title, name string) []Shown {
	v.mu.Lock()
	defer v.mu.Unlock()

	before := v.known
	v.known = map[string]*known{}
	shown := []Shown{}
	size := 0
	for _, s := range list {
		if size > maxAtOnce {
			break // others come when these are answered
		}
		k := before[s.ID]
		if k == nil {
			k = &known{views: map[*acp.Diff]*transcript.DiffView{}}
		}
		v.known[s.ID] = k
		view := view{Snapshot: s, known: k, viewer: v, agent: title, name: name}
		shown = append(shown, view.shown())
		size += shown[len(shown)-1].size
	}

	return shown
}

func (v *view) shown() Shown {
	v.p = Shown{
		ID: v.ID, At: v.at.UnixMicro(), Version: v.Version, Title: v.made.Title, Lines: []string{},
		Options: optionsOf(v.made.Options), Why: plain.OneLine(plain.Short(v.why, maxLine)), Suggest: []string{}, Edit: v.editable,
	}
	for _, line := range v.made.Lines {
		v.p.add(line)
	}

	if r, ok := v.RuleRequest(v.name, v.viewer.Cwd); ok {
		for _, offer := range rules.Suggest(r) {
			if text := OfferText(offer); len(text) <= maxOffer {
				v.p.Suggest = append(v.p.Suggest, text)
			}
		}
	}

	v.p.Request = map[string]any{"kind": v.made.Kind, "title": v.made.question(), "options": v.p.Options}
	if v.call != nil {
		v.showCall(v.call)
		v.showLate()
		if v.p.Large == 0 { // else a function would be given what takes Neovim seconds, and may not allow it
			v.p.Request = forFunction(v.call, v.late, v.p.Options)
		}
	}
	if v.call == nil && v.made.Form == nil {
		v.p.Title = v.headed(strings.TrimPrefix(strings.TrimPrefix(v.made.Title, plain.OneLine(v.agent)+" "), "wants to "))
	}
	if v.made.Text != "" {
		v.addMarkdown(v.made.Text)
	}
	if v.made.Diff != nil {
		v.showDiffs([]*acp.Diff{v.made.Diff})
	}
	if v.made.Form != nil {
		v.p.Form = v.made.Form.shown()
		for _, f := range v.p.Form.Fields {
			v.p.size += f.Size()
		}
	}
	if v.p.Large > 0 {
		v.p.refuse()
	}
	if v.details {
		v.addDetails()
	}

	return v.p
}

// OfferText is an offer of rules as the user sees it.
func OfferText(o rules.Offer) string { return plain.OneLine(o.String()) }

// forFunction is what the user's permission function is given: of a call that was described in two ways, both.
func forFunction(c, late *transcript.Call, options []Option) map[string]any {
	paths, unknown, diffs, command := []string{}, []string{}, []map[string]any{}, c.Command()
	in, odd, size := c.Input(), "", 0
	add := func(c *transcript.Call) {
		for _, d := range c.Diffs() {
			paths = append(paths, d.Path)
			diff := map[string]any{"path": d.Path}
			if size += len(d.NewText); d.OldText != nil {
				size += len(*d.OldText)
			}
			if size <= maxAtOnce {
				diff["old"], diff["new"] = d.OldText, d.NewText
			}
			diffs = append(diffs, diff)
		}

		for _, l := range c.Locations {
			paths = append(paths, l.Path)
		}

		for _, path := range append(c.Input().Paths(), c.Input().Named()...) {
			if !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}

		for _, m := range c.Input().Unknown() {
			unknown = append(unknown, plain.Short(m.Name, maxLine))
		}

		odd = cmp.Or(odd, c.Input().Odd())
	}

	add(c)
	if late != nil {
		add(late)
		command = bothCommands(c, late)
	}

	return map[string]any{
		"kind": plain.Short(string(c.Kind), maxLine), "tool": plain.Short(c.Name, maxLine),
		"title": c.Heading(), "command": command, "folder": in.Dir(),
		"unknown": unknown, "odd": odd, "paths": paths, "diffs": diffs, "options": options,
	}
}

// showLate says below a call how its agent has described it since, if that contradicts the request.
func (v *view) showLate() {
	if v.late == nil {
		return
	}
	title, what, must := v.p.Title, v.p.What, v.p.Whole
	v.p.add("")
	v.p.addWarning(margin + "The agent now describes the same call as:")
	v.showCall(v.late)
	v.p.Title, v.p.What = title, what
	if must && v.late.Command() == "" { // the end of it has to be seen too
		v.p.Must = len(v.p.Lines)
	}
}

// showCall says what a tool call would do, all of it: the command, the diffs, the agent's own words, the files and addresses
// that its raw input names.
func (v *view) showCall(c *transcript.Call) {
	if plan := planOf(c); plan != "" {
		v.showPlan(c, plan)
		return
	}

	var does []string
	if c.Command() != "" {
		does = append(does, v.showCommand(c))
	}
	if diffs := c.Diffs(); len(diffs) > 0 {
		if len(does) > 0 {
			v.p.add("")
		}
		does = append(does, v.showDiffs(diffs))
	}
	if covered := c.Kind == acp.ToolKindExecute && c.Command() != "" || c.Kind == acp.ToolKindEdit && len(c.Diffs()) > 0; !covered {
		if word := doing(c.Kind); len(does) == 0 || c.Kind != acp.ToolKindOther {
			does = append([]string{word}, does...)
		}
	}

	v.p.Title = v.headed(strings.Join(does, " and "))
	v.showWords(c)
}
