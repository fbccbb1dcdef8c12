package subagents

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// A message between two sessions is told by both of them, as a rule, or by one, and often once more as a prompt of the session that gets
// it. It is shown once: what a child is asked below its run, and so is its answer, unless that is what it has said; what children tell
// each other below who tells it.

// message is one of them, as one source has it.
type message struct {
	source
	id                   string // there
	sender, recipient    string
	inSender, inReceiver string // its ids there
	text, shown          string
	run                  string   // that it is shown below; "": not shown yet
	as                   *message // the same, from another source, which is shown for it
	told                 []source // of those that are shown as this one
	again                bool     // it was shown, and was not kept: what comes is added to what is shown
}

// source is where messages come from: a session, which has them as messages or as its prompts.
type source struct {
	view   string
	prompt bool // which names no sender
}

// key is the id that a message has in the transcript.
func (m *message) key() string {
	if m.prompt {
		return shownAs(m.view, "user/"+m.id)
	}
	return shownAs(m.view, m.id)
}

// What is kept of messages: the last ones, and the beginning of each.
const (
	maxMessages = 256
	maxPast     = 1024 // texts of those before them
	maxMessage  = 64 << 10
)

// Message applies a message between sessions, as one of them has it.
func (t *Tree) Message(log *transcript.Transcript, view string, u *acp.SessionMessage) {
	m := t.message(log, source{view: view}, u.MessageID)
	m.sender, m.recipient = u.SenderSessionID.Or(m.sender), u.RecipientSessionID.Or(m.recipient)
	m.inSender, m.inReceiver = u.SenderMessageID.Or(m.inSender), u.RecipientMessageID.Or(m.inReceiver)
	if u.Content.Set {
		var parts []string
		for _, c := range u.Content.Value {
			parts = append(parts, transcript.ContentText(c))
		}
		m.text, m.again = plain.Cut(strings.Join(parts, "\n"), maxMessage), false
	}
	t.place(log, m, false)
}

// Chunk appends to a message between sessions, as one of them has it.
func (t *Tree) Chunk(log *transcript.Transcript, view string, u *acp.SessionMessageChunk) {
	t.add(log, t.message(log, source{view: view}, u.MessageID), u.Content)
}

// prompt appends to a prompt of a child, as it has it.
func (t *Tree) prompt(log *transcript.Transcript, k *kid, id string, text *acp.TextContent) {
	if id == "" {
		id = t.prompted(log, k)
	}
	m := t.message(log, source{k.id, true}, id)
	m.recipient = k.id
	t.add(log, m, text)
}

func (t *Tree) add(log *transcript.Transcript, m *message, c acp.ContentBlock) {
	if len(m.text) < maxMessage {
		m.text = plain.Cut(m.text+transcript.ContentText(c), maxMessage)
	}
	t.place(log, m, false)
}

// prompted returns the id of the prompt that a child gets now, whose agent gives it none: one for all its pieces, and no other's.
func (t *Tree) prompted(log *transcript.Transcript, k *kid) string {
	for there := false; k.prompt == "" || there; {
		k.prompts++
		k.prompt = strconv.Itoa(k.prompts)
		m := message{source: source{k.id, true}, id: k.prompt}
		there, _ = log.Runs().HasRun(m.key()) // it is from a record
	}
	return k.prompt
}

// shownAs is the id that a message has in the transcript.
func shownAs(view, id string) string { return transcript.ChildCall(view, "\x00message/"+id) }

// message returns a message as a source has it, which may be new. The oldest of too many is shown, and only found again by its text.
func (t *Tree) message(log *transcript.Transcript, from source, id string) *message {
	for _, m := range t.messages {
		if m.source == from && m.id == id {
			return m
		}
	}

	m := &message{source: from, id: id}
	if run, text := log.Runs().TextBelow(m.key()); run != "" {
		m.run, m.text, m.shown, m.again = run, text, text, true
	}
	if len(t.messages) == maxMessages {
		t.place(log, t.messages[0], true)
		t.leave(t.messages[0])
		t.messages = t.messages[1:]
	}

	t.messages = append(t.messages, m)
	return m
}

// counted matches a part of answers that one agent puts before them.
var counted = lazy.Regexp(`(?s)^\s*<tools-used-before-summary>.*?</tools-used-before-summary>\s*`)

// put shows what is to be shown of a message.
func (t *Tree) put(log *transcript.Transcript, m *message) {
	to, from := t.kids[m.recipient], t.kids[m.sender]
	id := m.key()
	switch {
	case to != nil && (to.above == m.sender || m.sender == "") || to == nil && from == nil && t.Has(m.view):
		if to == nil {
			to = t.kids[m.view] // a prompt of which nobody says whose it is
		}
		if m.run == "" && to.over && to.state != nil && !to.works() && log.Runs().Asked(to.runID()) {
			to.state = nil
			t.begin(log, to) // it is asked again
			t.show(log, to)
		}
		m.run = cmp.Or(m.run, to.runID())
		log.Runs().Ask(m.run, id, m.shown)
	case from != nil && from.above == m.recipient:
		text := counted().ReplaceAllString(m.shown, "")
		if m.run == "" && log.Runs().Repeats(from.runID(), text) {
			return
		}
		m.run = cmp.Or(m.run, from.runID())
		log.Runs().Tell(m.run, id, text)
	default:
		k, word := from, "to "+t.called(m.recipient)
		if k == nil || m.view == m.recipient && to != nil {
			k, word = to, "from "+t.called(m.sender)
		}
		if k != nil {
			m.run = cmp.Or(m.run, k.runID())
			log.Runs().Tell(m.run, id, word+": "+m.shown)
			return
		}
		log.Remark(id, "message "+word+": "+m.shown)
		m.run = id
	}
}

func (t *Tree) called(session string) string {
	if k := t.kids[session]; k != nil {
		return k.called()
	}
	return "another session"
}
