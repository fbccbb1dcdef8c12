package subagents

import (
	"strconv"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// A message between two sessions is told by both of them, as a rule, or by one. It is shown once: what a child is asked below its
// run, and so is its answer, unless that is what it has said; what children tell each other below who tells it.

// message is one of them, as one session has it.
type message struct {
	view, id             string // whose it is, and its id there
	sender, recipient    string
	inSender, inReceiver string // its ids there
	text, shown          string
	run                  string   // that it is shown below; "": not shown yet
	twin                 *message // the same, as the other session has it
	again                bool     // it was shown, and was not kept: what comes is added to what is shown
}

// What is kept of messages: the last ones, and the beginning of each.
const (
	maxMessages = 256
	maxMessage  = 64 << 10
)

// Message applies a message between sessions, as one of them has it.
func (t *Tree) Message(log *transcript.Transcript, view string, u *acp.SessionMessage) {
	m := t.message(log, view, u.MessageID)
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
	m := t.message(log, view, u.MessageID)
	if len(m.text) < maxMessage {
		m.text = plain.Cut(m.text+transcript.ContentText(u.Content), maxMessage)
	}
	t.place(log, m, false)
}

// prompt returns the id of the prompt that a child gets now, whose agent gives it none: one for all its pieces, and no other's.
func (t *Tree) prompt(log *transcript.Transcript, k *kid) string {
	for there := false; k.prompt == "" || there; {
		k.prompts++
		k.prompt = "user/" + strconv.Itoa(k.prompts)
		there, _ = log.HasRun(shownAs(k.id, k.prompt)) // it is from a record
	}
	return k.prompt
}

// shownAs is the id that a message has in the transcript.
func shownAs(view, id string) string { return transcript.ChildCall(view, "\x00message/"+id) }

// message returns a message as a session has it, which may be new. The oldest of too many is shown, and no longer kept.
func (t *Tree) message(log *transcript.Transcript, view, id string) *message {
	for _, m := range t.messages {
		if m.view == view && m.id == id {
			return m
		}
	}
	m := &message{view: view, id: id}
	if run, text := log.TextBelow(shownAs(view, id)); run != "" {
		m.run, m.text, m.shown, m.again = run, text, text, true
	}
	if len(t.messages) == maxMessages {
		t.place(log, t.messages[0], true)
		t.messages = t.messages[1:]
	}
	t.messages = append(t.messages, m)
	return m
}

// place shows a message that has a text, where it belongs. One whose sender and recipient are not known waits for those, or until all
// are shown.
func (t *Tree) place(log *transcript.Transcript, m *message, all bool) {
	if m.again {
		m.shown = m.text
		log.Tell(m.run, shownAs(m.view, m.id), m.text)
		return
	}
	t.pair(m)
	switch {
	case m.text == m.shown, m.twin != nil && m.run == "" && m.twin.run != "":
	case m.sender == "" && m.recipient == "" && !all:
	default:
		m.shown = m.text
		t.put(log, m)
	}
}

// pair finds the same message as the other session has it: by the ids that either says, else by its text.
func (t *Tree) pair(m *message) {
	if m.twin != nil || m.sender == "" || m.recipient == "" {
		return
	}
	for _, o := range t.messages {
		if o.view == m.view || o.twin != nil || o.sender != m.sender || o.recipient != m.recipient {
			continue
		}
		linked := m.names(o) || o.names(m)
		alike := !m.named() && !o.named() && m.text != "" && (strings.HasPrefix(o.text, m.text) || o.text != "" && strings.HasPrefix(m.text, o.text))
		if linked || alike {
			m.twin, o.twin = o, m
			return
		}
	}
}

// names reports whether a message says that another is the same.
func (m *message) names(o *message) bool {
	return m.view == m.sender && m.inReceiver == o.id || m.view == m.recipient && m.inSender == o.id
}

func (m *message) named() bool {
	return m.view == m.sender && m.inReceiver != "" || m.view == m.recipient && m.inSender != ""
}

// counted matches a part of answers that one agent puts before them.
var counted = lazy.Regexp(`(?s)^\s*<tools-used-before-summary>.*?</tools-used-before-summary>\s*`)

// put shows a message.
func (t *Tree) put(log *transcript.Transcript, m *message) {
	to, from := t.kids[m.recipient], t.kids[m.sender]
	id := shownAs(m.view, m.id)
	switch {
	case to != nil && (to.above == m.sender || m.sender == "") || to == nil && from == nil && t.Has(m.view):
		if to == nil {
			to = t.kids[m.view] // a prompt of which nobody says whose it is
		}
		if m.run == "" && to.over && to.state != nil && !to.works() && log.Asked(to.runID()) {
			to.state = nil
			t.begin(log, to) // it is asked again
			t.show(log, to)
		}
		m.run = first(m.run, to.runID())
		log.Ask(m.run, id, m.text)
	case from != nil && from.above == m.recipient:
		text := counted().ReplaceAllString(m.text, "")
		if m.run == "" && log.Repeats(from.runID(), text) {
			return
		}
		m.run = first(m.run, from.runID())
		log.Tell(m.run, id, text)
	default:
		k, word := from, "to "+t.called(m.recipient)
		if k == nil || m.view == m.recipient && to != nil {
			k, word = to, "from "+t.called(m.sender)
		}
		if k != nil {
			m.run = first(m.run, k.runID())
			log.Tell(m.run, id, word+": "+m.text)
			return
		}
		log.Remark(id, "message "+word+": "+m.text)
		m.run = id
	}
}

func (t *Tree) called(session string) string {
	if k := t.kids[session]; k != nil {
		return k.called()
	}
	return "another session"
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
