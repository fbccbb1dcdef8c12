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

// maxLine is how many bytes of a title or a name are shown.
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
	Large   int            `msgpack:"large,omitempty"`   // bytes that have no room: it can only be rejected
	Wait    bool           `msgpack:"wait,omitempty"`    // a file is being read, to know what is to be shown: it can be allowed then
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

	size int // bytes of its lines
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
	raw     acp.Raw // the request as JSON, if it has room …
	size    int     // … and its bytes …
	formed  bool    // … once it was made
}

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

// view is one request while it is worked out. The viewer's mutex is held.
type view struct {
	Snapshot
	*known
	viewer      *Viewer
	agent, name string          // title and name of the agent
	reads       int             // files that are being read, of diffs that are not shown
	quoted      bool            // something is shown in the agent's own words only
	title       string          // of the call, as it is shown
	named       []string        // texts of ours that name files
	files       map[string]bool // those that are named alone, as they are shown
	p           Shown
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
			if text := OfferText(offer); len(text) <= maxLine {
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

// headed is a title: who asks, and what.
func (v *view) headed(what string) string {
	v.p.What = what
	who := plain.OneLine(v.agent)
	if v.made.Who != "" {
		who += v.viewer.Icons.Between() + plain.Brief(v.made.Who)
	}
	return who + v.viewer.Icons.Between() + what
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
