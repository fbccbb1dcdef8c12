package subagents

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Which messages are the same: each has one that is shown, or is that.

// place shows a message that has a text, where it belongs. One whose sender and recipient are not known waits for those, or until all
// are shown.
func (t *Tree) place(log *transcript.Transcript, m *message, all bool) {
	if m.again {
		m.shown = m.text
		log.Runs().Tell(m.run, m.key(), m.text)
		return
	}

	t.part(log, m)
	if m.as == nil && m.run == "" {
		if m.as = t.same(m); m.as != nil {
			m.as.told = append(m.as.told, m.source)
		}
	}

	shown := cmp.Or(m.as, m)
	known := shown.sender != "" || shown.recipient != ""
	if text := t.whole(shown); text != shown.shown && (known || all) {
		shown.shown = text
		t.put(log, shown)
	}
}

// part shows those messages apart that were taken for the same as one, and are not, now that there is more of them.
func (t *Tree) part(log *transcript.Transcript, m *message) {
	for _, o := range t.messages {
		if o.as == m && !o.holds() {
			o.part()
			t.place(log, o, false)
		}
	}
	if lead := m.as; lead != nil && !m.holds() {
		m.part()
		t.place(log, lead, false)
	}
}

// holds reports whether a message is still the same as that which is shown for it.
func (m *message) holds() bool { return m.linked(m.as) || alike(m.text, m.as.text) }

func (m *message) part() {
	m.as.told = slices.DeleteFunc(m.as.told, func(s source) bool { return s == m.source })
	m.as = nil
}

// whole is the text of a message that is shown, as far as any source has it.
func (t *Tree) whole(m *message) string {
	text := m.text
	for _, o := range t.messages {
		if o.as == m && strings.HasPrefix(o.text, text) {
			text = o.text
		}
	}
	return text
}

// same finds the same message from another source: by the ids that either says, else by its text.
func (t *Tree) same(m *message) *message {
	if m.recipient == "" || m.sender == "" && !m.prompt {
		return nil
	}
	for _, o := range t.messages {
		if t.may(m, o) && (o.linked(m) || m.byText(o) && alike(t.whole(o), m.text)) {
			return o
		}
	}

	for _, o := range t.past[sumOf(m)] {
		if t.may(m, o) {
			return o
		}
	}

	return nil
}

// may reports whether a message can be another: that one is shown, for no message of the same source, and they are between the same
// sessions. A prompt is asked in the run that its child is in.
func (t *Tree) may(m, o *message) bool {
	if o.as != nil || o.text == "" || o.source == m.source || slices.Contains(o.told, m.source) || o.recipient != m.recipient {
		return false
	}
	if m.prompt != o.prompt {
		return o.run == "" || o.run == t.Run(m.recipient)
	}
	return o.sender == m.sender
}

// byText reports whether only the text tells if two messages are the same.
func (m *message) byText(o *message) bool { return m.prompt != o.prompt || !m.named() && !o.named() }

// alike reports whether one text is the other, or its beginning.
func alike(a, b string) bool {
	return a != "" && b != "" && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// linked reports whether one of two messages says that the other is the same.
func (m *message) linked(o *message) bool { return m.names(o) || o.names(m) }

func (m *message) names(o *message) bool {
	return m.view == m.sender && o.view == m.recipient && m.inReceiver == o.id ||
		m.view == m.recipient && o.view == m.sender && m.inSender == o.id
}

func (m *message) named() bool {
	return m.view == m.sender && m.inReceiver != "" || m.view == m.recipient && m.inSender != ""
}

// sum stands for the text of a message to a session.
type sum struct {
	recipient string
	text      uint64
}

var seed = maphash.MakeSeed()

func sumOf(m *message) sum { return sum{m.recipient, maphash.String(seed, m.text)} }

// leave notes a message that is no longer kept, so that the same from another source is known.
func (t *Tree) leave(m *message) {
	if m.as != nil || m.text == "" {
		return
	}
	if len(t.past) == maxPast {
		clear(t.past)
	}
	if t.past == nil {
		t.past = map[sum][]*message{}
	}
	t.past[sumOf(m)] = append(t.past[sumOf(m)], m)
}
