package transcript

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
)

// cancelled is the status we give to a call that was not finished when its turn was stopped.
const cancelled = "cancelled"

// Call is what is known of a tool call: the sum of its announcement and its updates.
type Call struct {
	ID        string
	Title     string
	Name      string
	Kind      acp.ToolKind
	Status    string // a protocol status, or cancelled
	Content   []acp.ToolCallContent
	Locations []acp.ToolCallLocation
	RawInput  acp.Raw
	RawOutput acp.Raw
	Terminals []string // display terminals named in _meta

	command  string // of RawInput
	asking   int    // open permission requests
	rejected bool
}

// Call returns what is known of a tool call, nil if there is none with that id. The caller must not change it.
func (t *Transcript) Call(id string) *Call {
	if b := t.calls[id]; b != nil {
		return b.call
	}
	return nil
}

func (t *Transcript) callBlock(id string) *Block {
	if b := t.calls[id]; b != nil {
		return b
	}
	b := t.add(ToolUse)
	b.call = &Call{ID: id, Kind: acp.ToolKindOther, Status: string(acp.ToolCallPending)}
	t.calls[id] = b
	return b
}

func (t *Transcript) toolCall(c *acp.ToolCall) {
	c.Defaults()
	u := &acp.ToolCallUpdate{
		ToolCallID: c.ToolCallID, Kind: c.Kind, Status: c.Status, Title: &c.Title,
		Content: acp.Some(c.Content), Locations: acp.Some(c.Locations), RawInput: c.RawInput, RawOutput: c.RawOutput, Meta: c.Meta,
	}
	if c.Name != "" {
		u.Name = &c.Name
	}
	t.toolCallUpdate(u)
}

func (t *Transcript) toolCallUpdate(u *acp.ToolCallUpdate) *Block {
	b := t.callBlock(u.ToolCallID)
	c := b.call
	if u.Kind != "" {
		c.Kind = u.Kind
	}
	if u.Title != nil {
		c.Title = *u.Title
	}
	if u.Name != nil {
		c.Name = *u.Name
	}
	if u.Content.Set && !u.Content.Null {
		c.Content = u.Content.Value
	}
	if u.Locations.Set && !u.Locations.Null {
		c.Locations = u.Locations.Value
	}
	if u.RawInput != nil {
		c.RawInput = u.RawInput
		c.command = commandOf(u.RawInput)
	}
	if u.RawOutput != nil {
		c.RawOutput = u.RawOutput
	}
	if u.Status != "" {
		c.Status = string(u.Status)
		if c.finished() && b.ended.IsZero() {
			b.ended = t.opts.Now()
		}
	}
	t.touch(b)
	return b
}

// ShowTerminal puts a display terminal into a call, once.
func (t *Transcript) ShowTerminal(toolCallID, terminalID string) {
	b := t.callBlock(toolCallID)
	if !b.call.hasTerminal(terminalID) {
		b.call.Terminals = append(b.call.Terminals, terminalID)
	}
	t.touch(b)
}

// Running reports whether a call is under way, so that its time is to be redrawn.
func (t *Transcript) Running() bool {
	for _, b := range t.calls {
		if b.call.Status == string(acp.ToolCallInProgress) {
			return true
		}
	}
	return false
}

// Tick redraws the calls that show a running time.
func (t *Transcript) Tick() {
	for _, b := range t.calls {
		if b.call.Status == string(acp.ToolCallInProgress) {
			t.touch(b)
		}
	}
}

func (c *Call) finished() bool {
	return c.Status != string(acp.ToolCallPending) && c.Status != string(acp.ToolCallInProgress)
}

func (c *Call) terminals() []string {
	ids := slices.Clone(c.Terminals)
	for _, content := range c.Content {
		if term, ok := content.(*acp.Terminal); ok && !slices.Contains(ids, term.TerminalID) {
			ids = append(ids, term.TerminalID)
		}
	}
	return ids
}

func (c *Call) hasTerminal(id string) bool { return slices.Contains(c.terminals(), id) }

// Heading is the call's title, or what can be said without one; of a command on one line, the command.
func (c *Call) Heading() string {
	if c.Kind == acp.ToolKindExecute && c.command != "" && !strings.Contains(c.command, "\n") {
		return OneLine(c.command)
	}
	if verb := verbs[c.Kind]; verb != "" && strings.HasPrefix(c.Title, "/") {
		return verb + " " + OneLine(c.Title) // some agents name the file only
	}
	for _, s := range []string{c.Title, c.Name, string(c.Kind)} {
		if s := OneLine(s); s != "" {
			return s
		}
	}
	return "tool call"
}

// verbs say what is done to a file.
var verbs = map[acp.ToolKind]string{
	acp.ToolKindRead: "Read", acp.ToolKindEdit: "Edit", acp.ToolKindDelete: "Delete", acp.ToolKindMove: "Move",
}

// Command is the command line that the call would run, as its raw input says it; "" if it is not a command.
func (c *Call) Command() string { return c.command }

func commandOf(raw acp.Raw) string {
	var input struct {
		Command any `json:"command"`
		Cmd     any `json:"cmd"`
	}
	if json.Unmarshal(raw, &input) != nil {
		return ""
	}
	for _, v := range []any{input.Command, input.Cmd} {
		switch v := v.(type) {
		case string:
			return v
		case []any:
			var words []string
			for _, w := range v {
				if s, ok := w.(string); ok {
					words = append(words, s)
				}
			}
			return strings.Join(words, " ")
		}
	}
	return ""
}

// Diffs are the changes to files that the call shows.
func (c *Call) Diffs() []*acp.Diff {
	var diffs []*acp.Diff
	for _, content := range c.Content {
		if d, ok := content.(*acp.Diff); ok {
			diffs = append(diffs, d)
		}
	}
	return diffs
}

// worthShowing reports that a finished call is to stay open: it failed, or it is a small change.
func (c *Call) worthShowing() bool {
	if c.rejected || c.Status == cancelled {
		return false
	}
	if c.Status == string(acp.ToolCallFailed) {
		return true
	}
	changed := 0
	for _, d := range c.Diffs() {
		added, deleted := countDiff(d)
		changed += added + deleted
	}
	return changed > 0 && changed <= 16
}

// whole is everything the call carries, as text.
func (c *Call) whole() string {
	var b strings.Builder
	b.WriteString(c.Heading() + "\n\n")
	for _, content := range c.Content {
		switch content := content.(type) {
		case *acp.Content:
			b.WriteString(contentText(content.Content) + "\n")
		case *acp.Diff:
			b.WriteString(content.Path + "\n")
			for _, l := range diffLines(content, 3) {
				b.WriteString(l.sign + " " + l.text + "\n")
			}
		}
	}
	for name, raw := range map[string]acp.Raw{"input": c.RawInput, "output": c.RawOutput} {
		if raw != nil {
			b.WriteString("\n" + name + ":\n" + indented(raw) + "\n")
		}
	}
	return b.String()
}

func indented(raw acp.Raw) string {
	out, err := json.MarshalIndent(json.RawMessage(raw), "", "  ")
	if err != nil {
		return string(raw)
	}
	return string(out)
}

// Texts are the texts the call shows.
func (c *Call) Texts() []string {
	var texts []string
	for _, content := range c.Content {
		if content, ok := content.(*acp.Content); ok {
			texts = append(texts, contentText(content.Content))
		}
	}
	return texts
}
