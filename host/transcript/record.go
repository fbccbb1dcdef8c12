package transcript

import (
	"maps"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/record"
)

// Restore replaces the transcript by a record. It is not recorded again.
func (t *Transcript) Restore(entries []record.Entry) {
	t.clear()
	t.blocks.loading = true
	for _, e := range entries {
		t.restore(e)
	}
	t.blocks.endText()
	t.blocks.loading = false
	for _, b := range t.blocks.list {
		b.unrecorded, b.restored = false, true
	}
	t.unrecorded.blocks = nil
	maps.DeleteFunc(t.calls.byID, func(id string, _ *item) bool { return !strings.HasPrefix(id, ofChild) }) // later calls may use it again
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
		if len(e.Data.Steps) == 0 {
			return // one that was emptied, of an earlier version
		}
		b := t.blocks.add(Plan)
		for _, step := range e.Data.Steps {
			b.plan = append(b.plan, PlanEntry{plain.Title(plain.OneLine(step.Text)), step.Status})
		}
		b.origin = e.ID
	case record.Permission: // shown with its call
	default:
		b := t.blocks.add(Notice)
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
	b := t.blocks.last()
	if !e.Data.Part || b == nil || b.Kind != kind {
		b = t.blocks.add(kind)
		b.origin, b.message, b.steer = e.ID, e.Data.Message, e.Data.Steer
		if kind == User {
			b.words = e.Data.Own
			if !e.Data.Undated {
				b.began = time.UnixMilli(e.Time)
			}
		}
	}
	b.text.append(e.Text)
}

// restoreCall adds a recorded call.
func (t *Transcript) restoreCall(e record.Entry) {
	title, body, _ := strings.Cut(e.Text, "\n\n")
	it := t.calls.newItem(e.Data.Call, t.calls.byID[e.Data.Parent])
	it.origin = e.ID
	c := it.call
	c.Title, c.Kind, c.Status = title, acp.ToolKind(e.Data.Kind), e.Data.Status
	if c.Kind == "" {
		c.Kind = acp.ToolKindOther
	}
	switch {
	case e.Data.Status == rejected:
		c.Status, c.rejected = string(acp.ToolCallFailed), true
	case e.Data.Status == defied:
		c.Status, c.rejected = string(acp.ToolCallCompleted), true
	case !c.finished() && c.Kind == runKind:
		c.Status = RunUnsure // it may go on: in the session that this one is a copy of, or with the agent
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
