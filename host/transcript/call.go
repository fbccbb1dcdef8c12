package transcript

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/input"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Statuses that are not the protocol's, of calls that were unfinished when their turn ended.
const (
	cancelled = "cancelled"            // it was stopped
	rejected  = "rejected"             // by the user or a rule
	defied    = "done though rejected" // by what the agent says
	untold    = "no result"            // the agent has never said what became of it
)

// Statuses of runs that are not the protocol's.
const (
	RunStopped = "stopped"       // it ended before its work was done
	RunUnsure  = "state unknown" // its agent does not say whether it goes on
)

// Kinds that are not the protocol's: of runs, and of items that are no calls.
const (
	runKind  acp.ToolKind = "_session"
	saying   acp.ToolKind = "_saying"   // what a subagent says
	thinking acp.ToolKind = "_thinking" // what it thinks
	asking   acp.ToolKind = "_asking"   // what a child is asked to do
)

// ofChild begins the ids of all calls that a child has, and no id that an agent would use itself.
const ofChild = "\x00"

// Call is a tool call: its announcement with all updates applied.
type Call struct {
	ID        string
	Title     string
	Name      string
	Server    string // of the Model Context Protocol that has the tool
	named     bool   // Name is the protocol's, not of `_meta`
	label     string // of a tool of the editor's: what the call is, in place of the agent's words
	Kind      acp.ToolKind
	Status    string // a protocol status, or one of ours
	Content   []acp.ToolCallContent
	Locations []acp.ToolCallLocation
	RawInput  acp.Raw
	RawOutput acp.Raw
	Terminals []string // display terminals named in _meta

	told     told                    // by updates
	command  string                  // of RawInput
	line     *commandLine            // that command or an earlier one, as read
	exit     exit                    // of RawOutput
	reported string                  // the agent's last status
	views    map[*acp.Diff]*diffView // of Content
	asking   int                     // open permission requests
	asked    bool                    // there was one
	run      runState
	rejected bool
	saved    bool        // see ReadSaved
	made     []*acp.Diff // by a tool of the editor's: shown whatever the agent says of the call
}

// runState is what a run has beside a call.
type runState struct {
	waits bool // for the user
	stops bool // the user has stopped it, and it has not ended
}

// Clone returns a copy that later updates do not change. It has the same diffs, which never change.
func (c *Call) Clone() *Call {
	clone := *c
	clone.views = nil
	clone.Terminals = slices.Clone(c.Terminals)
	return &clone
}

// another reports whether an announcement with the id of a call is that of another call: the call has ended, and the announcement
// says something else; or it goes on, and they have neither the same title nor an input that grows. Claude Code announces a call
// twice, first without its input.
func (c *Call) another(a *acp.ToolCall) bool {
	differs := func(ours, theirs string) bool { return ours != "" && theirs != "" && ours != theirs }
	title := differs(c.Title, a.Title)
	input := differs(given(c.RawInput), given(a.RawInput))
	if !c.finished() {
		grows := strings.HasPrefix(given(a.RawInput), strings.TrimRight(given(c.RawInput), "\"}"))
		return c.Title != a.Title && input && !grows
	}
	ends := a.Status == acp.ToolCallCompleted || a.Status == acp.ToolCallFailed
	return !ends || title || input || len(c.Content) > 0 && len(a.Content) > 0 && !reflect.DeepEqual(c.Content, a.Content)
}

// given is a raw input, "" for one that says nothing.
func given(raw acp.Raw) string {
	if text := string(raw); text != "{}" && text != "null" {
		return text
	}
	return ""
}

// Patch applies what an update says of a call, except its status.
func (c *Call) Patch(u *acp.ToolCallUpdate) {
	if u.Kind != "" && c.made == nil {
		c.Kind = u.Kind
		if strings.HasPrefix(string(u.Kind), "_") { // kinds of ours begin so
			c.Kind = acp.ToolKindOther
		}
	}
	if u.Title != nil {
		c.Title = *u.Title
	}
	if c.Kind == acp.ToolKindExecute && ofServer(u.Meta) {
		c.Kind = acp.ToolKindOther
	}

	tool := toolOf(u.Meta, u.RawInput)
	switch {
	case u.Name != nil:
		c.Name, c.named = *u.Name, true
	case tool.name != "" && !c.named && (tool.inner || c.Name == ""):
		c.Name = tool.name
	}

	c.Server = cmp.Or(tool.server, c.Server)
	if u.Content.Set && !u.Content.Null {
		c.replace(u.Content.Value)
		c.told.content = u.Content.Value
	}
	if u.Locations.Set && !u.Locations.Null {
		c.Locations = u.Locations.Value
	}
	if u.RawInput != nil {
		c.RawInput, c.told.input = u.RawInput, u.RawInput
		c.command = c.Input().Command()
	}
	if u.RawOutput != nil {
		c.RawOutput, c.exit = u.RawOutput, rawExit(u.RawOutput)
	}
}

// replace replaces the content. A repeated diff stays the same value, so that its view need not be computed again.
func (c *Call) replace(list []acp.ToolCallContent) {
	old := c.Diffs()
	for i, content := range list {
		d, ok := content.(*acp.Diff)
		if !ok {
			continue
		}
		same := func(o *acp.Diff) bool {
			return o.Path == d.Path && o.NewText == d.NewText && oldText(o) == oldText(d)
		}
		if n := slices.IndexFunc(old, same); n >= 0 {
			list[i] = old[n]
		}
	}

	c.Content = list
	if len(c.made) > 0 && len(c.Diffs()) == 0 {
		c.Content = nil
		for _, d := range c.made {
			c.Content = append(c.Content, d)
		}
		c.Content = append(c.Content, list...)
	}

	kept := c.Diffs()
	maps.DeleteFunc(c.views, func(d *acp.Diff, _ *diffView) bool { return !slices.Contains(kept, d) })
}

// Asked reports whether the agent has asked for permission.
func (c *Call) Asked() bool { return c.asked }

func (c *Call) finished() bool {
	return c.Status != string(acp.ToolCallPending) && c.Status != string(acp.ToolCallInProgress)
}

// unheard reports whether the agent has not said how a call has ended that is shown as ended.
func (c *Call) unheard() bool {
	said := c.reported != "" && c.reported != string(acp.ToolCallPending) && c.reported != string(acp.ToolCallInProgress)
	return c.finished() && !said && !c.rejected
}

// odd reports whether a call has a status of its agent's own. It may mean that the call goes on.
func (c *Call) odd() bool {
	switch c.Status {
	case string(acp.ToolCallCompleted), string(acp.ToolCallFailed), cancelled, untold, RunStopped, RunUnsure:
		return false
	}
	return c.finished() && c.Status == c.reported
}

// refused returns what has become of a call that was rejected.
func (c *Call) refused() string {
	if c.Status == string(acp.ToolCallCompleted) {
		return defied
	}
	return rejected
}

func (c *Call) terminals() []string {
	ids := slices.Clone(c.Terminals)
	for _, content := range c.Content {
		term, ok := content.(*acp.Terminal)
		if ok && !slices.Contains(ids, term.TerminalID) && !slices.Contains(ids, OwnTerminal(c.ID, term.TerminalID)) {
			ids = append(ids, term.TerminalID)
		}
	}
	return ids
}

// OwnTerminal is the name of a call's display terminal where its agent has given the name to that of an earlier call.
func OwnTerminal(call, name string) string { return call + "/" + name }

func (c *Call) hasTerminal(id string) bool { return slices.Contains(c.terminals(), id) }

// Command returns the command line in the call's raw input, "" if it is not a command.
func (c *Call) Command() string { return c.command }

// Input returns the call's raw input, as everything reads it.
func (c *Call) Input() input.Input { return input.Read(c.RawInput) }

// Dir returns the working folder in the call's raw input, "" if there is none.
func (c *Call) Dir() string { return c.Input().Dir() }

// Diffs returns the diffs of the call's content.
func (c *Call) Diffs() []*acp.Diff {
	var diffs []*acp.Diff
	for _, content := range c.Content {
		if d, ok := content.(*acp.Diff); ok {
			diffs = append(diffs, d)
		}
	}
	return diffs
}

// smallChange reports whether the diffs of a call are small enough to stay open.
func (c *Call) smallChange() bool {
	if c.rejected || c.Status != string(acp.ToolCallCompleted) {
		return false
	}
	added, deleted, known := c.counts()
	return known && added+deleted > 0 && added+deleted <= 16
}

// whole returns the whole content of the call as text.
func (c *Call) whole() string {
	var b strings.Builder
	b.WriteString(c.Heading() + "\n\n")
	for _, content := range c.Content {
		switch content := content.(type) {
		case *acp.Content:
			b.WriteString(contentText(content.Content) + "\n")
		case *acp.Diff:
			b.WriteString(content.Path + "\n" + compare(content, 3, maxWhole).text(" "))
		}
	}

	for _, part := range []struct {
		name string
		raw  acp.Raw
	}{{"input", c.RawInput}, {"output", c.RawOutput}} {
		if part.raw != nil {
			b.WriteString("\n" + part.name + ":\n" + indented(part.raw) + "\n")
		}
	}

	return b.String()
}

// maxIndented is how large a value may be that is shown with indents, in bytes.
const maxIndented = 1 << 20

func indented(raw acp.Raw) string {
	if len(raw) > maxIndented || plain.Deep(raw) {
		return string(raw)
	}
	out, err := json.MarshalIndent(json.RawMessage(raw), "", "  ")
	if err != nil {
		return string(raw)
	}
	return string(out)
}

// Texts returns the texts of the call's content.
func (c *Call) Texts() []string {
	var texts []string
	for _, content := range c.Content {
		if content, ok := content.(*acp.Content); ok {
			texts = append(texts, contentText(content.Content))
		}
	}
	return texts
}

// place returns the last location of a call, nil if it has none.
func (c *Call) place() *Place {
	if len(c.Locations) > 0 {
		return placeOf(c.Locations[0])
	}
	if diffs := c.Diffs(); len(diffs) > 0 {
		return &Place{Path: diffs[0].Path}
	}
	return nil
}

func placeOf(l acp.ToolCallLocation) *Place {
	p := &Place{Path: l.Path}
	if l.Line != nil {
		p.Line = int(*l.Line)
	}
	return p
}

// path returns the first file of a call, "" if there is none.
func (c *Call) path() string {
	if len(c.Locations) > 0 {
		return c.Locations[0].Path
	}
	if diffs := c.Diffs(); len(diffs) > 0 {
		return diffs[0].Path
	}
	return ""
}
