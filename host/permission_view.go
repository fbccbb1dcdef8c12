package host

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// permission is an ask as the user is shown it.
type permission struct {
	ID      string         `msgpack:"id"`
	At      int64          `msgpack:"at"` // microseconds, for the order across sessions
	Version int            `msgpack:"version"`
	Title   string         `msgpack:"title"`
	Label   string         `msgpack:"label"`
	Lines   []string       `msgpack:"lines"`
	Marks   []any          `msgpack:"marks,omitempty"`   // row, column, end or -1 for the whole line, group
	Numbers []int          `msgpack:"numbers,omitempty"` // row, number of a line in its file
	Whole   bool           `msgpack:"whole"`
	Options []option       `msgpack:"options"`
	Why     string         `msgpack:"why"`     // why the rules left it to the user
	Suggest []string       `msgpack:"suggest"` // rules that would allow it
	Files   int            `msgpack:"files"`   // how many diffs there are to step through
	Edit    bool           `msgpack:"edit"`    // the text can be changed before it is allowed
	Form    *shownForm     `msgpack:"form,omitempty"`
	Request map[string]any `msgpack:"request"`
}

type option struct {
	ID   string `msgpack:"id"`
	Name string `msgpack:"name"`
	Kind string `msgpack:"kind"`
}

// look changes what is shown of an ask: its raw request, or which of its files.
func (s *Session) look(l lookArgs) {
	s.change(func() {
		i := slices.IndexFunc(s.asks, func(a *ask) bool { return a.id == l.ID })
		if i < 0 {
			return
		}
		a := s.asks[i]
		switch l.What {
		case "details":
			a.details = !a.details
		case "next":
			a.file++
		case "previous":
			a.file--
		}
		a.version++
		s.askNew = true
	})
}

// permissions are the pending asks as they are shown. s.mu is held.
func (s *Session) permissions() []permission {
	list := []permission{}
	for _, a := range s.asks {
		if a.shown {
			list = append(list, s.show(a))
		}
	}
	return list
}

func (s *Session) show(a *ask) permission {
	p := permission{
		ID: a.id, At: a.at.UnixMicro(), Version: a.version, Title: a.title, Lines: append([]string{}, a.lines...),
		Options: []option{}, Why: transcript.OneLine(a.why), Suggest: []string{},
	}
	if r, ok := s.ruleRequest(a); ok {
		for _, rule := range rules.Suggest(r) {
			p.Suggest = append(p.Suggest, transcript.OneLine(strings.Trim(rule.String(), "«»")))
		}
	}
	for _, o := range a.options {
		p.Options = append(p.Options, optionOf(o))
	}
	p.Request = map[string]any{"kind": a.kind, "title": a.title, "options": p.Options}
	p.Edit = s.editable(a) != nil
	if c := s.log.Call(a.call); c != nil {
		p.Request = request(c, p.Options)
		s.showCall(&p, a, c)
	}
	if a.diff != nil {
		s.showDiffs(&p, a, []*acp.Diff{a.diff})
	}
	if a.form != nil {
		p.Form = a.form.shown()
	}
	if a.details {
		p.showRaw(a.raw)
	}
	return p
}

// request is what the user's permission function is given.
func request(c *transcript.Call, options []option) map[string]any {
	paths, diffs := []string{}, []map[string]any{}
	for _, d := range c.Diffs() {
		paths = append(paths, d.Path)
		diffs = append(diffs, map[string]any{"path": d.Path, "old": d.OldText, "new": d.NewText})
	}
	for _, l := range c.Locations {
		paths = append(paths, l.Path)
	}
	return map[string]any{
		"kind": string(c.Kind), "tool": c.Name, "title": c.Heading(), "command": c.Command(),
		"paths": paths, "diffs": diffs, "options": options,
	}
}

// showCall says what a tool call would do, all of it: the command, the diffs, the agent's own words, the files and addresses
// that its raw input names.
func (s *Session) showCall(p *permission, a *ask, c *transcript.Call) {
	var does []string
	if c.Command() != "" {
		does = append(does, s.showCommand(p, a, c))
	}
	if diffs := c.Diffs(); len(diffs) > 0 {
		if len(does) > 0 {
			p.add("")
		}
		does = append(does, s.showDiffs(p, a, diffs))
	}
	if covered := c.Kind == acp.ToolKindExecute && c.Command() != "" || c.Kind == acp.ToolKindEdit && len(c.Diffs()) > 0; !covered {
		if word := doing(c.Kind); len(does) == 0 || c.Kind != acp.ToolKindOther {
			does = append([]string{word}, does...)
		}
	}
	p.Title = transcript.OneLine(s.spec().Title) + " wants to " + strings.Join(does, " and to ")
	s.showWords(p, c)
}

// showWords adds the call's title, texts and inputs, where they say more than what is there.
func (s *Session) showWords(p *permission, c *transcript.Call) {
	has := func(text string) bool {
		text = strings.ToLower(strings.Trim(text, "` "))
		in := func(line string) bool { return strings.Contains(strings.ToLower(line), text) }
		return text == "" || in(p.Title) || slices.ContainsFunc(p.Lines, in)
	}
	apart := len(c.Diffs()) > 0 // else words would read on from the code
	gap := func() {
		if apart {
			p.add("")
		}
		apart = false
	}
	if title := s.short(transcript.OneLine(c.Title)); !has(title) && strings.Trim(title, "` ") != transcript.OneLine(c.Command()) {
		gap()
		p.add("  " + short(title))
	}
	for _, text := range c.Texts() {
		if !has(text) {
			gap()
			p.addText("  ", text)
		}
	}
	for _, line := range c.Questions() {
		if !has(line) {
			gap()
			p.add("  " + short(line))
		}
	}
	if c.Name != "" && c.Kind == acp.ToolKindOther && !has(transcript.OneLine(c.Name)) {
		p.add("  tool: " + short(transcript.OneLine(c.Name)))
	}
	if c.Server != "" {
		p.add("  server: " + short(transcript.OneLine(c.Server)))
	}
	for _, in := range c.Inputs() {
		if !has(s.short(in.Value)) {
			gap()
			p.add("  " + in.Name + ": " + short(s.short(in.Value)))
		}
	}
}

func (p *permission) add(line string) { p.Lines = append(p.Lines, line) }

func (p *permission) addText(indent, text string) {
	for _, line := range strings.Split(transcript.Visible(text), "\n") {
		p.add(indent + line)
	}
}

func (p *permission) addDim(line string) {
	p.Marks = append(p.Marks, len(p.Lines), 0, len(line), "AcpDone")
	p.add(line)
}

func (p *permission) showRaw(raw acp.Raw) {
	var value any
	_ = json.Unmarshal(raw, &value) // it was marshalled here
	text, _ := json.MarshalIndent(value, "", "  ")
	p.add("")
	p.addText(" ", string(text))
}

func (s *Session) short(path string) string {
	return transcript.OneLine(strings.TrimPrefix(path, s.cwd+"/"))
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
	return "use a tool"
}
