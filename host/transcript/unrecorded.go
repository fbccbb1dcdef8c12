package transcript

import (
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/record"
)

var seed = maphash.MakeSeed()

// Unrecorded is what is not in the record.
type Unrecorded struct {
	opts    *Options
	holding *holding
	pending *pending
	blocks  []*Block
	decided []record.Entry // permissions
	gone    []string       // ids of what was recorded and taken back
}

// Unsaved returns the entries that are not in the record yet, and how long the omitted ones may wait; 0: there are none.
// Growing text is omitted if it was recorded within the last second, unless all is set.
func (u *Unrecorded) Unsaved(all bool) (entries []record.Entry, wait time.Duration) {
	now := u.opts.Now()
	for _, id := range u.gone {
		entries = append(entries, record.Entry{Time: now.UnixMilli(), ID: id, Role: record.Status, Data: record.Data{Gone: true}})
	}
	u.gone = nil

	var later []*Block
	for _, b := range u.blocks {
		if left := keepEvery - now.Sub(b.recordedAt); !all && !b.over() && left > 0 {
			later = append(later, b)
			if wait == 0 || left < wait {
				wait = left
			}
			continue
		}
		b.unrecorded, b.recordedAt = false, now
		entries = append(entries, u.entries(b)...)
	}

	entries, u.decided = append(entries, u.decided...), nil
	u.blocks = later
	u.holding.settle()
	// A job has the texts of its diff.
	gone := func(j *Job) bool { return j.item != nil && u.holding.wasCut(j.item) }
	u.pending.jobs, u.pending.later = slices.DeleteFunc(u.pending.jobs, gone), slices.DeleteFunc(u.pending.later, gone)
	return entries, wait
}

// Decided records the answer to a permission, which the transcript shows with the call.
func (u *Unrecorded) Decided(id, heading, answer string) {
	u.decided = append(u.decided, record.Entry{
		Time: u.opts.Now().UnixMilli(), ID: u.opts.Prefix + id, Role: record.Permission, Text: heading, Data: record.Data{Answer: answer},
	})
}

// entries returns the entries of a block for the record.
func (u *Unrecorded) entries(b *Block) []record.Entry {
	if u.holding.recorded(b) {
		return nil
	}

	e := record.Entry{Time: u.opts.Now().UnixMilli(), ID: b.ID, Data: record.Data{After: b.after}}
	switch b.Kind {
	case User:
		if e.Data.Undated = b.began.IsZero(); !e.Data.Undated {
			e.Time = b.began.UnixMilli() // it is looked for by that
		}
		e.Data.Steer = b.steer
		if own := len(b.own()); own < len(b.text.String()) {
			e.Data.Own = own
		}
		return b.parts(e, record.User)
	case Agent:
		e.Data.Message = b.message
		return b.parts(e, record.Assistant)
	case Thought:
		return b.parts(e, record.Reasoning)
	case ToolUse:
		return u.itemEntries(nil, b.items)
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

// itemEntries adds the entries of changed calls to list.
func (u *Unrecorded) itemEntries(list []record.Entry, items []*item) []record.Entry {
	for _, it := range items {
		if it.unrecorded && !u.holding.recorded(it) {
			it.unrecorded = false
			e := record.Entry{Time: u.opts.Now().UnixMilli(), ID: u.opts.Prefix + it.id}
			said := u.callEntry(&e, it.call)
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

		list = u.itemEntries(list, it.children)
	}

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
func (u *Unrecorded) callEntry(e *record.Entry, c *Call) (said string) {
	e.Role = record.Tool
	if c.Kind == acp.ToolKindExecute || c.command != "" || len(c.terminals()) > 0 {
		e.Role = record.Command
	}

	e.Data.Call, e.Data.Kind, e.Data.Status = c.ID, string(c.Kind), c.Status
	if c.rejected {
		e.Data.Status = c.refused()
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
		if cmd, ok := u.opts.Terminal(id); ok {
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
