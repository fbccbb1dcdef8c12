package transcript

import (
	"hash/maphash"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/record"
)

const (
	partSize  = 32 << 10    // a longer text is recorded in parts, so that written ones are not written again
	maxKept   = 256 << 10   // of a call's content
	keepEvery = time.Second // growing text
)

var seed = maphash.MakeSeed()

// Unsaved returns the entries that are not in the record yet, and how long the omitted ones may wait; 0: there are none.
// Growing text is omitted if it was recorded within the last second, unless all is set.
func (t *Transcript) Unsaved(all bool) (entries []record.Entry, wait time.Duration) {
	now := t.opts.Now()
	var later []*Block
	for _, b := range t.unrecorded.blocks {
		if left := keepEvery - now.Sub(b.recordedAt); !all && !b.over() && left > 0 {
			later = append(later, b)
			if wait == 0 || left < wait {
				wait = left
			}
			continue
		}
		b.unrecorded, b.recordedAt = false, now
		entries = append(entries, t.entries(b)...)
	}

	entries, t.unrecorded.decided = append(entries, t.unrecorded.decided...), nil
	t.unrecorded.blocks = later
	t.holding.settle()
	// A job has the texts of its diff.
	gone := func(j *Job) bool { return j.item != nil && t.holding.wasCut(j.item) }
	t.work.jobs, t.work.later = slices.DeleteFunc(t.work.jobs, gone), slices.DeleteFunc(t.work.later, gone)
	return entries, wait
}

// Decided records the answer to a permission, which the transcript shows with the call.
func (t *Transcript) Decided(id, heading, answer string) {
	t.unrecorded.decided = append(t.unrecorded.decided, record.Entry{
		Time: t.opts.Now().UnixMilli(), ID: t.opts.Prefix + id, Role: record.Permission, Text: heading, Data: record.Data{Answer: answer},
	})
}

// over reports whether a block is unlikely to change.
func (b *Block) over() bool {
	switch b.Kind {
	case ToolUse:
		return !slices.ContainsFunc(b.items, (*item).running)
	case Plan:
		return false
	}
	return b.closed
}

// entries returns the entries of a block for the record.
func (t *Transcript) entries(b *Block) []record.Entry {
	if t.holding.recorded(b) {
		return nil
	}

	e := record.Entry{Time: t.opts.Now().UnixMilli(), ID: b.ID, Data: record.Data{After: b.after}}
	switch b.Kind {
	case User:
		if !b.began.IsZero() {
			e.Time = b.began.UnixMilli() // it is looked for by that
		}
		e.Data.Steer = b.steer
		return b.parts(e, record.User)
	case Agent:
		e.Data.Message = b.message
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
		e.Data.Tone, e.Data.Fault, e.Data.Told, e.Data.End = b.tone, b.Kind == Fault, b.Kind == Message, b.Kind == TurnEnd
	}

	return []record.Entry{e}
}

// running reports whether a call, or one below it, is still changing.
func (it *item) running() bool {
	grows := !it.call.finished() || it.speech() && !it.parent.call.finished()
	return it.unrecorded && grows || slices.ContainsFunc(it.children, (*item).running)
}

// itemEntries adds the entries of changed calls to list.
func (t *Transcript) itemEntries(list []record.Entry, items []*item) []record.Entry {
	for _, it := range items {
		if it.unrecorded && !t.holding.recorded(it) {
			it.unrecorded = false
			e := record.Entry{Time: t.opts.Now().UnixMilli(), ID: t.opts.Prefix + it.id}
			said := t.callEntry(&e, it.call)
			e.Data.After = it.block.after
			if it.parent != nil {
				e.Data.Parent = it.parent.call.ID
			}
			sum := sumOf(&e, said)
			if sum != it.sum { // else only its running time or the end of a command's output has changed
				list = append(list, e)
			}
			it.sum = sum
		}

		list = t.itemEntries(list, it.children)
	}

	return list
}

// parts returns the entries of a growing text: completed parts, then the rest.
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
		end := plain.Start(b.text.text, b.partAt+partSize)
		add(b.text.text[b.partAt:end])
		b.part, b.partAt = b.part+1, end
	}

	add(b.text.text[b.partAt:])
	return list
}

// sumOf returns a sum of what makes the entry of a call another.
func sumOf(e *record.Entry, said string) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	add := func(text string) {
		maphash.WriteComparable(&h, len(text))
		_, _ = h.WriteString(text) // never fails
	}

	add(e.Data.Status)
	add(e.Data.Parent)
	for _, d := range e.Data.Diffs {
		add(d.Path)
		maphash.WriteComparable(&h, d.Old == nil)
		if d.Old != nil {
			add(*d.Old)
		}
		add(d.New)
	}

	add(said)
	return h.Sum64()
}

// callEntry returns the entry of a call, and the part of its text whose change needs a new entry: the output of a running
// command does not, since it would rewrite the whole call once a second.
func (t *Transcript) callEntry(e *record.Entry, c *Call) (said string) {
	e.Role = record.Tool
	if c.Kind == acp.ToolKindExecute || c.command != "" || len(c.terminals()) > 0 {
		e.Role = record.Command
	}

	e.Data.Call, e.Data.Kind, e.Data.Status = c.ID, string(c.Kind), c.Status
	if c.rejected {
		e.Data.Status = "rejected"
	}

	texts, room := c.Texts(), maxKept
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
		e.Text += "\n\n" + plain.Cut(body, maxKept)
	}

	return said
}

// Restore replaces the transcript by a record. It is not recorded again.
func (t *Transcript) Restore(entries []record.Entry) {
	t.clear()
	t.loading = true
	for _, e := range entries {
		t.restore(e)
	}
	t.endText()
	t.loading = false
	for _, b := range t.blocks {
		b.unrecorded, b.restored = false, true
	}
	t.unrecorded.blocks = nil
	maps.DeleteFunc(t.calls, func(id string, _ *item) bool { return !strings.HasPrefix(id, ofChild) }) // later calls may use it again
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
			b.plan = append(b.plan, PlanEntry{plain.Title(plain.OneLine(step.Text)), step.Status})
		}
		b.origin = e.ID
	case record.Permission: // shown with its call
	default:
		b := t.add(Notice)
		switch {
		case e.Data.Fault:
			b.Kind = Fault
		case e.Data.Told:
			b.Kind = Message
		case e.Data.End:
			b.Kind = TurnEnd
		}
		b.origin = e.ID
		b.text.append(e.Text)
		b.tone, b.closed = e.Data.Tone, true
	}
}

func (t *Transcript) restoreText(kind Kind, e record.Entry) {
	b := t.last()
	if !e.Data.Part || b == nil || b.Kind != kind {
		b = t.add(kind)
		b.origin, b.message, b.steer = e.ID, e.Data.Message, e.Data.Steer
		if kind == User {
			b.began = time.UnixMilli(e.Time)
		}
	}
	b.text.append(e.Text)
}

// restoreCall adds a recorded call.
func (t *Transcript) restoreCall(e record.Entry) {
	title, body, _ := strings.Cut(e.Text, "\n\n")
	it := t.newItem(e.Data.Call, t.calls[e.Data.Parent])
	it.origin = e.ID
	c := it.call
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
