package transcript

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/unsaved"
)

// Apply applies an update. Updates must come in wire order. It reports whether the transcript shows the update, which it does
// not for modes, commands and usage.
func (t *Transcript) Apply(u acp.SessionUpdate) bool {
	switch u := u.(type) {
	case *acp.UserMessageChunk:
		t.userChunk((*acp.ContentChunk)(u))
	case *acp.AgentMessageChunk:
		t.chunk(Agent, (*acp.ContentChunk)(u))
	case *acp.AgentThoughtChunk:
		t.chunk(Thought, (*acp.ContentChunk)(u))
	case *acp.ToolCall:
		t.calls.toolCall(u)
	case *acp.ToolCallUpdate:
		t.calls.toolCallUpdate(u)
	case *acp.Plan:
		t.setPlan(u)
	case *acp.Notice:
		t.notice(u)
	case *acp.CompactionUpdate:
		t.compaction(u)
	case *acp.CompactionSummaryChunk:
		b := t.named("compaction/"+u.CompactionID, compacting)
		b.text.append("\n" + contentText(u.Content))
		t.blocks.touch(b)
	default:
		return false
	}

	return true
}

func (t *Transcript) chunk(kind Kind, c *acp.ContentChunk) {
	text := contentText(c.Content)
	if parent := t.calls.speaker(c); parent != nil {
		t.calls.say(parent, kind, text)
		return
	}

	b := t.blocks.last()
	fits := b != nil && b.Kind == kind && !b.closed && (b.message == c.MessageID || b.message == "")
	if !fits || discrete(c.Meta) || len(b.text.text) > maxBlock {
		if text == "" {
			return
		}
		b = t.blocks.add(kind)
		b.message = c.MessageID
		if kind == Agent {
			t.said += "\n"
		}
	}
	if kind == Agent {
		t.said += text
	}
	if b.message == "" {
		b.message = c.MessageID
	}
	if _, isText := c.Content.(*acp.TextContent); !isText {
		b.other = append(b.other, c.Content)
		if len(b.text.text) > 0 {
			text = "\n" + text
		}
	}
	if text != "" {
		b.text.append(text)
		t.blocks.touch(b)
	}
	if discrete(c.Meta) {
		t.blocks.close(b)
	}
}

// Said returns what the agent itself has said since it was last asked, with a line end where a message begins.
func (t *Transcript) Said() string {
	text := t.said
	t.said = ""
	return text
}

// userChunk shows the user's words in a replay, and drops an agent's echo of the prompt it is answering.
func (t *Transcript) userChunk(c *acp.ContentChunk) {
	if !t.blocks.loading && t.running.turn {
		text, _ := unsaved.Strip(contentText(c.Content))
		if OnlyTold(c) {
			return
		}
		if strings.HasPrefix(t.echo, text) {
			t.echo = t.echo[len(text):]
			return
		}
		if _, isText := c.Content.(*acp.TextContent); !isText {
			return
		}
	}
	if !t.running.turn {
		if c = replayedChunk(c); c == nil {
			t.blocks.endText()
			return
		}
		t.running.plan = nil // what follows is of another turn
	}

	t.chunk(User, c)
}

// setPlan shows a plan of the running turn in place of the one before it. One without steps is none: what is shown stays, and is over.
func (t *Transcript) setPlan(p *acp.Plan) {
	if len(p.Entries) == 0 {
		if t.running.plan != nil {
			t.running.plan, t.running.planned = nil, nil
		}
		return
	}

	var entries []PlanEntry
	for _, e := range p.Entries {
		entries = append(entries, PlanEntry{plain.Title(plain.OneLine(e.Content)), string(e.Status)})
	}

	if t.running.plan == nil && slices.Equal(entries, t.running.planned) {
		return // a repeated plan of an earlier turn
	}
	if t.running.plan == nil {
		t.running.plan = t.blocks.add(Plan)
	}

	t.running.plan.plan, t.running.planned = entries, entries
	t.blocks.touch(t.running.plan)
}

func (t *Transcript) notice(n *acp.Notice) {
	b := t.blocks.add(Notice)
	switch n.Severity {
	case acp.NoticeError:
		b.tone = "AcpError"
	case acp.NoticeWarning:
		b.tone = "AcpWarning"
	}
	b.text.append(n.Title)
	if n.Description != "" {
		b.text.append("\n" + n.Description)
	}
}

// compacting begins the notice of a compaction that has not ended.
const compacting = "Compacting the conversation"

// named returns the notice with an id, which is created with its first line.
func (t *Transcript) named(id, title string) *Block {
	if b := t.notices[id]; b != nil {
		return b
	}
	b := t.blocks.add(Notice)
	b.text.append(title)
	t.notices[id] = b
	return b
}

func (t *Transcript) compaction(u *acp.CompactionUpdate) {
	id := "compaction/" + u.CompactionID
	if b := t.notices[id]; b != nil && u.Status == acp.CompactionInProgress && !unended(b) {
		delete(t.notices, id) // another one, with its id
	}

	b := t.named(id, compacting)
	old, summary, _ := strings.Cut(b.text.String(), "\n")
	title := old
	switch u.Status {
	case acp.CompactionInProgress, "":
	case acp.CompactionCompleted:
		title = "Compacted the conversation"
	case acp.CompactionFailed:
		title = "Compacting the conversation failed"
	case acp.CompactionCancelled:
		title = "Compacting the conversation was cancelled"
	default:
		title = "Compacting the conversation: " + plain.OneLine(string(u.Status))
	}

	if u.Summary.Set {
		summary = contentList(u.Summary.Value)
	}
	if u.Error.Set && !u.Error.Null && u.Error.Value != "" {
		title += ": " + plain.OneLine(u.Error.Value)
	}

	b.text = prose{}
	b.text.append(strings.TrimRight(title+"\n"+summary, "\n"))
	t.blocks.touch(b)
}

// unended reports whether the notice of a compaction says that it goes on.
func unended(b *Block) bool {
	title, _, _ := strings.Cut(b.text.String(), "\n")
	return title == compacting
}

// Told shows what the agent is told beside the user's words: a summary of one line, which unfolds to the text.
func (t *Transcript) Told(summary, text string) {
	b := t.blocks.add(Message)
	b.text.append(plain.OneLine(summary) + "\n" + text)
	b.closed = true
}

// Remark shows a text as a notice, in place of an earlier one with the same id.
func (t *Transcript) Remark(id, text string) {
	b := t.named(id, "")
	b.text = prose{}
	b.text.append(text)
	t.blocks.touch(b)
}
