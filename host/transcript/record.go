package transcript

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/record"
)

const (
	partSize  = 32 << 10    // a longer text is recorded in parts, so that what has been written is not written again
	mostKept  = 256 << 10   // of what a call shows
	keepEvery = time.Second // text that grows
)

var seed = maphash.MakeSeed()

// Unsaved returns what is not in the record yet, and how long what it leaves out may wait; 0: there is nothing. Text that
// grows is left out if it was recorded within the last second, unless all is asked for.
func (t *Transcript) Unsaved(all bool) (entries []record.Entry, wait time.Duration) {
	now := t.opts.Now()
	var later []*Block
	for _, b := range t.keep {
		if left := keepEvery - now.Sub(b.kept); !all && !b.over() && left > 0 {
			later = append(later, b)
			if wait == 0 || left < wait {
				wait = left
			}
			continue
		}
		b.unkept, b.kept = false, now
		entries = append(entries, t.entries(b)...)
	}
	entries, t.decided = append(entries, t.decided...), nil
	t.keep = later
	return entries, wait
}

// Decided has it recorded how a permission was answered; what is shown is the call.
func (t *Transcript) Decided(id, heading, answer string) {
	t.decided = append(t.decided, record.Entry{
		Time: t.opts.Now().UnixMilli(), ID: t.opts.Prefix + id, Role: record.Permission, Text: heading, Data: record.Data{Answer: answer},
	})
}

// over reports that a block will hardly change any more.
func (b *Block) over() bool {
	switch b.Kind {
	case ToolUse:
		return !slices.ContainsFunc(b.items, (*item).running)
	case Plan:
		return false
	}
	return b.closed
}

// entries are what a block is in the record.
func (t *Transcript) entries(b *Block) []record.Entry {
	e := record.Entry{Time: t.opts.Now().UnixMilli(), ID: b.ID}
	switch b.Kind {
	case User:
		return b.parts(e, record.User)
	case Agent:
		return b.parts(e, record.Assistant)
	case Thought:
		return b.parts(e, record.Reasoning)
	case ToolUse:
		return t.itemEntries(nil, b.items)
	case Plan:
		e.Role = record.Plan
		var lines []string
		for _, step := range b.plan {
			e.Data.Steps = append(e.Data.Steps, record.Step(step))
			lines = append(lines, step.Text)
		}
		e.Text = strings.Join(lines, "\n")
	default:
		e.Role, e.Text = record.Status, b.text.String()
		e.Data.Tone, e.Data.Fault = b.tone, b.Kind == Fault
	}
	return []record.Entry{e}
}

// running reports whether what is new of a call, or of one below it, may soon be old again.
func (it *item) running() bool {
	grows := !it.call.finished() || it.speech() && !it.parent.call.finished()
	return it.unkept && grows || slices.ContainsFunc(it.under, (*item).running)
}

// itemEntries adds what is new of calls to list.
func (t *Transcript) itemEntries(list []record.Entry, items []*item) []record.Entry {
	for _, it := range items {
		if it.unkept {
			it.unkept = false
			e := record.Entry{Time: t.opts.Now().UnixMilli(), ID: t.opts.Prefix + it.id}
			said := t.callEntry(&e, it.call)
			if it.parent != nil {
				e.Data.Parent = it.parent.call.ID
			}
			sum := maphash.String(seed, e.Data.Status+e.Data.Parent+diffText(e.Data.Diffs)+said)
			if sum != it.sum { // else only its running time has changed, or the end of what a command prints
				list = append(list, e)
			}
			it.sum = sum
		}
		list = t.itemEntries(list, it.under)
	}
	return list
}

// parts are a text that grows: what is over of it in parts of their own, then the rest.
func (b *Block) parts(e record.Entry, role record.Role) []record.Entry {
	var list []record.Entry
	add := func(text []byte) {
		e.Role, e.Text = role, string(text)
		if b.part > 0 {
			e.ID, e.Data.Part = b.ID+"."+strconv.Itoa(b.part), true
		}
		list = append(list, e)
	}
	for len(b.text.text)-b.partAt > partSize {
		end := safeCut(b.text.text, b.partAt+partSize)
		add(b.text.text[b.partAt:end])
		b.part, b.partAt = b.part+1, end
	}
	add(b.text.text[b.partAt:])
	return list
}

// diffText is what tells diffs apart.
func diffText(diffs []record.Diff) string {
	var b strings.Builder
	for _, d := range diffs {
		fmt.Fprintf(&b, "%q %t %q %q\n", d.Path, d.Old == nil, deref(d.Old), d.New)
	}
	return b.String()
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// callEntry makes the entry of a call. It returns what of its text makes a new entry necessary: a command that still runs
// would rewrite all of the call once a second.
func (t *Transcript) callEntry(e *record.Entry, c *Call) (said string) {
	e.Role = record.Tool
	if c.Kind == acp.ToolKindExecute || c.command != "" || len(c.terminals()) > 0 {
		e.Role = record.Command
	}
	e.Data.Call, e.Data.Kind, e.Data.Status = c.ID, string(c.Kind), c.Status
	if c.rejected {
		e.Data.Status = "rejected"
	}
	texts, room := c.Texts(), mostKept
	for _, d := range c.Diffs() {
		if size := len(d.NewText); d.OldText == nil && size < room || d.OldText != nil && size+len(*d.OldText) < room {
			e.Data.Diffs = append(e.Data.Diffs, record.Diff{Path: d.Path, Old: d.OldText, New: d.NewText})
			continue
		}
		texts = append(texts, d.Path)
	}
	e.Text = c.Heading()
	said = e.Text + strings.Join(texts, "\n")
	for _, id := range c.terminals() {
		if cmd, ok := t.opts.Terminal(id); ok {
			text := "$ " + cmd.Line + "\n" + strings.Join(cmd.Tail, "\n")
			if !cmd.Running {
				said += text
			}
			texts = append(texts, text)
		}
	}
	body := strings.Join(texts, "\n")
	if body != "" {
		e.Text += "\n\n" + body[:safeCut([]byte(body), min(len(body), mostKept))]
	}
	return said
}

// Restore shows what a record says, in place of what is shown. It is not recorded again.
func (t *Transcript) Restore(entries []record.Entry) {
	t.clear()
	t.loading = true
	for _, e := range entries {
		t.restore(e)
	}
	t.endText()
	t.loading = false
	for _, b := range t.blocks {
		b.unkept, b.restored = false, true
	}
	t.keep, t.calls = nil, map[string]*item{} // the agent's later calls may have an id of these again
}

func (t *Transcript) restore(e record.Entry) {
	switch e.Role {
	case record.User:
		t.restoreText(User, e)
	case record.Assistant:
		t.restoreText(Agent, e)
	case record.Reasoning:
		t.restoreText(Thought, e)
	case record.Tool, record.Command:
		t.restoreCall(e)
	case record.Plan:
		b := t.add(Plan)
		for _, step := range e.Data.Steps {
			b.plan = append(b.plan, PlanEntry{cutHead(OneLine(step.Text)), step.Status})
		}
	case record.Permission: // the call says how it went
	default:
		b := t.add(Notice)
		if e.Data.Fault {
			b.Kind = Fault
		}
		b.text.append(e.Text)
		b.tone, b.closed = e.Data.Tone, true
	}
}

func (t *Transcript) restoreText(kind Kind, e record.Entry) {
	b := t.last()
	if !e.Data.Part || b == nil || b.Kind != kind {
		b = t.add(kind)
	}
	b.text.append(e.Text)
}

// restoreCall shows a call of before.
func (t *Transcript) restoreCall(e record.Entry) {
	title, body, _ := strings.Cut(e.Text, "\n\n")
	c := t.newItem(e.Data.Call, t.calls[e.Data.Parent]).call
	c.Title, c.Kind, c.Status = title, acp.ToolKind(e.Data.Kind), e.Data.Status
	if c.Kind == "" {
		c.Kind = acp.ToolKindOther
	}
	switch {
	case e.Data.Status == "rejected":
		c.Status, c.rejected = string(acp.ToolCallFailed), true
	case !c.finished():
		c.Status = cancelled
	}
	if body != "" {
		c.Content = append(c.Content, &acp.Content{Content: acp.Text(body)})
	}
	for _, d := range e.Data.Diffs {
		c.Content = append(c.Content, &acp.Diff{Path: d.Path, OldText: d.Old, NewText: d.New})
	}
}
