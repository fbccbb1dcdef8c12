package permission

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/marks"
	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// maxLine is how many bytes of a line are shown.
const maxLine = 4 << 10

// Shown is a request as the user is shown it.
type Shown struct {
	ID      string         `msgpack:"id"`
	At      int64          `msgpack:"at"` // microseconds, for the order across sessions
	Version int            `msgpack:"version"`
	Title   string         `msgpack:"title"`
	What    string         `msgpack:"what"` // the title without who asks, for where there is no room
	Label   string         `msgpack:"label"`
	Lines   []string       `msgpack:"lines"`
	Marks   marks.List     `msgpack:"marks,omitempty"`
	Numbers []int          `msgpack:"numbers,omitempty"` // of each line in its file; 0: it has none, as those after the last
	Whole   bool           `msgpack:"whole"`             // all that must be read has to have been on the screen
	Must    int            `msgpack:"must,omitempty"`    // how many of the lines must be read; 0: all
	Options []Option       `msgpack:"options"`
	Why     string         `msgpack:"why"`             // why the rules left it to the user
	Suggest []string       `msgpack:"suggest"`         // rules that would allow it
	Hang    bool           `msgpack:"hang,omitempty"`  // what wraps continues below its own text: rendered Markdown, lines of a diff
	Width   int            `msgpack:"width,omitempty"` // cells that the lines are laid out for; 0: any number
	Files   int            `msgpack:"files"`           // how many diffs there are to step through
	Edit    bool           `msgpack:"edit"`            // the text can be changed before it is allowed
	Form    *ShownForm     `msgpack:"form,omitempty"`
	Request map[string]any `msgpack:"request"`
}

// Option is one of the answers.
type Option struct {
	ID   string `msgpack:"id"`
	Name string `msgpack:"name"`
	Kind string `msgpack:"kind"`
	Note string `msgpack:"note,omitempty"` // its kind in words, where its name does not say it
}

func optionsOf(list []acp.PermissionOption) []Option {
	options := []Option{}
	for _, o := range shownOptions(list) {
		kind := plain.OneLine(string(o.Kind))
		options = append(options, Option{ID: o.OptionID, Name: plain.Brief(o.Name), Kind: kind, Note: noteOf(plain.Cut(o.Name, maxLabel), o.Kind)})
	}
	return options
}

// Viewer makes what is shown of a session's requests. What takes time is worked out once. It is safe for concurrent use.
type Viewer struct {
	Cwd     string
	Icons   transcript.Icons
	Text    func(path string) (string, bool) // the text of a file as the user has it; it may wait
	Changed func()                           // called from a goroutine of its own when the colours of a request are there

	mu    sync.Mutex // guards all below
	known map[string]*known
}

// known is what was worked out of a request.
type known struct {
	views   map[*acp.Diff]*transcript.DiffView
	command *commandView
}

// View returns requests as they are shown, of an agent of that title and name.
func (v *Viewer) View(list []Snapshot, title, name string) []Shown {
	v.mu.Lock()
	defer v.mu.Unlock()
	before := v.known
	v.known = map[string]*known{}
	shown := []Shown{}
	for _, s := range list {
		k := before[s.ID]
		if k == nil {
			k = &known{views: map[*acp.Diff]*transcript.DiffView{}}
		}
		v.known[s.ID] = k
		view := view{Snapshot: s, known: k, viewer: v, agent: title, name: name}
		shown = append(shown, view.shown())
	}
	return shown
}

// view is one request while it is worked out. The viewer's mutex is held.
type view struct {
	Snapshot
	*known
	viewer      *Viewer
	agent, name string   // title and name of the agent
	title       string   // of the call, as it is shown
	named       []string // texts of ours that name files
	p           Shown
}

func (v *view) shown() Shown {
	v.p = Shown{
		ID: v.ID, At: v.at.UnixMicro(), Version: v.Version, Title: v.made.Title, Lines: append([]string{}, v.made.Lines...),
		Options: optionsOf(v.made.Options), Why: plain.OneLine(v.why), Suggest: []string{}, Edit: v.editable,
	}
	if r, ok := v.RuleRequest(v.name, v.viewer.Cwd); ok {
		for _, offer := range rules.Suggest(r) {
			v.p.Suggest = append(v.p.Suggest, OfferText(offer))
		}
	}
	v.p.Request = map[string]any{"kind": v.made.Kind, "title": v.made.question(), "options": v.p.Options}
	if v.call != nil {
		v.p.Request = forFunction(v.call, v.late, v.p.Options)
		v.showCall(v.call)
		v.showLate()
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
	}
	if v.details {
		v.p.addDetails(v.made.Raw)
	}
	return v.p
}

// OfferText is an offer of rules as the user sees it.
func OfferText(o rules.Offer) string { return plain.OneLine(o.String()) }

// forFunction is what the user's permission function is given: of a call that was described in two ways, both.
func forFunction(c, late *transcript.Call, options []Option) map[string]any {
	paths, unknown, diffs, command := []string{}, []string{}, []map[string]any{}, c.Command()
	in, odd := c.Input(), ""
	add := func(c *transcript.Call) {
		for _, d := range c.Diffs() {
			paths = append(paths, d.Path)
			diffs = append(diffs, map[string]any{"path": d.Path, "old": d.OldText, "new": d.NewText})
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
			unknown = append(unknown, m.Name)
		}
		odd = cmp.Or(odd, c.Input().Odd())
	}
	add(c)
	if late != nil {
		add(late)
		command = bothCommands(c, late)
	}
	return map[string]any{
		"kind": string(c.Kind), "tool": c.Name, "title": c.Heading(), "command": command, "folder": in.Dir(),
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

// headed is a title: who asks, and what.
func (v *view) headed(what string) string {
	v.p.What = what
	who := plain.OneLine(v.agent)
	if v.made.Who != "" {
		who += v.viewer.Icons.Between() + plain.Brief(v.made.Who)
	}
	return who + v.viewer.Icons.Between() + what
}

func (p *Shown) add(line string) { p.Lines = append(p.Lines, line) }

func (p *Shown) addText(indent, text string) {
	for _, line := range strings.Split(plain.Visible(text), "\n") {
		p.add(indent + line)
	}
}

func (p *Shown) addDim(line string) {
	p.Marks = append(p.Marks, marks.New(len(p.Lines), 0, len(line), "AcpDone"))
	p.add(line)
}

func (p *Shown) addWarning(line string) {
	p.Marks = append(p.Marks, marks.New(len(p.Lines), 0, len(line), "AcpWarning"))
	p.add(line)
}

// addMarked adds lines with their marks, whose rows are counted from the first of them.
func (p *Shown) addMarked(lines []string, list marks.List) {
	first := len(p.Marks)
	p.Marks = append(p.Marks, list...)
	p.Marks[first:].Move(len(p.Lines), 0)
	p.Lines = append(p.Lines, lines...)
}

// short is a path as it is shown: relative where it is below the session's folder.
func (v *view) short(path string) string {
	return plain.OneLine(paths.Short(path, v.viewer.Cwd))
}

// doing says in words what a kind of tool does.
func doing(kind acp.ToolKind) string {
	words := map[acp.ToolKind]string{
		acp.ToolKindRead: "read", acp.ToolKindEdit: "edit", acp.ToolKindDelete: "delete", acp.ToolKindMove: "move",
		acp.ToolKindSearch: "search", acp.ToolKindExecute: "run", acp.ToolKindFetch: "fetch", acp.ToolKindSwitchMode: "change its mode",
	}
	if word := words[kind]; word != "" {
		return word
	}
	if kind != acp.ToolKindOther && kind != "" {
		return "use a tool of the kind " + plain.Brief(string(kind))
	}
	return "use a tool"
}
