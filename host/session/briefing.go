package session

import (
	"maps"
	"slices"

	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/host/unsaved"
)

// Skills are what a prompt says of skills.
type Skills struct {
	Hash    string // of the text, "" if there is none
	Summary string // for the user
	Left    string // what the size leaves out, for the user
}

// Briefing is what the agent knows beside the words of prompts, and all that it has yet to hear. It is taken whole into a prompt,
// and put back whole if that prompt fails.
type Briefing struct {
	screen *Screen
	hearing
	instructions Skills        // of the skills what the user is to be told: they came with the request that opened the session
	past         []record.Past // sessions that the conversation began in, the nearest first
	taken        *hearing      // what the turn that runs has taken; nil before it is sent, and once that is settled
}

// hearing is what an agent has yet to hear, or a turn tells it.
type hearing struct {
	notes          []string        // for the next prompt: reasons of rejections, conflicts, reverts
	rewinds        []record.Rewind // in files, the oldest first
	skills         string          // what the agent knows of skills, as a hash
	unsaved        unsaved.Told    // what the agent knows of unsaved text
	historyUnknown bool            // the agent does not know how the conversation began
}

// forget notes that a new session has begun, which knows nothing.
func (b *Briefing) forget() { b.skills, b.unsaved = "", nil }

// instructed notes what the agent got of skills with the request that opened the session. The user is told with the next prompt.
func (b *Briefing) instructed(told Skills) {
	b.instructions = Skills{}
	if told.Hash != "" {
		b.skills, b.instructions = told.Hash, told
	}
}

// Past returns the sessions that the conversation began in, the nearest first.
func (b *Briefing) Past() []record.Past { return b.past }

// KnowsHistory notes that the agent knows how the conversation began.
func (b *Briefing) KnowsHistory() { b.historyUnknown = false }

// HistoryUnknown reports whether the agent is to be told that.
func (b *Briefing) HistoryUnknown() bool { return b.historyUnknown }

// Unsaved returns what the agent knows of unsaved text.
func (b *Briefing) Unsaved() unsaved.Told { return maps.Clone(b.unsaved) }

// Tell keeps a note for the agent, which is sent with the next prompt, once.
func (b *Briefing) Tell(note string) {
	if !slices.Contains(b.notes, note) {
		b.notes = append(b.notes, note)
		b.screen.decided()
	}
}

// TellNow adds a note to what the turn that runs tells, and was sent with.
func (b *Briefing) TellNow(note string) {
	if b.taken == nil {
		b.Tell(note)
		return
	}
	b.taken.notes = append(b.taken.notes, note)
}

// Rewind keeps a rewind in files for the agent, which the next prompt tells as far as it is in effect then.
func (b *Briefing) Rewind(r record.Rewind) {
	b.rewinds = append(b.rewinds, r)
	b.screen.decided()
}

// Forgets keeps what the agent does not know since the conversation has gone back, beside what it was still to be told of that.
func (b *Briefing) Forgets(list []record.Rewind) {
	for _, r := range list {
		i := slices.IndexFunc(b.rewinds, func(o record.Rewind) bool { return o.Session == r.Session && o.Until != 0 })
		if i >= 0 {
			r.Entry = min(r.Entry, b.rewinds[i].Entry)
			b.rewinds = slices.Delete(b.rewinds, i, i+1)
		}
		b.Rewind(r)
	}
}

// Rewinds returns the rewinds that the agent may not have heard of.
func (b *Briefing) Rewinds() []record.Rewind { return slices.Clone(b.unheard().rewinds) }

// ToldRewinds notes that the turn that runs tells the agent of the first rewinds.
func (b *Briefing) ToldRewinds(n int) {
	if b.taken != nil { // else it has ended
		b.taken.rewinds, b.rewinds = b.rewinds[:n:n], b.rewinds[n:]
	}
}

// ToldUnsaved notes that the agent is sent a message on unsaved text, and shows that.
func (b *Briefing) ToldUnsaved(m unsaved.Message) {
	if m.Told == nil {
		return
	}
	b.unsaved = m.Told
	if m.Text != "" {
		b.screen.log.Told(m.Summary, m.Text)
		b.screen.draw(Soon)
	}
}

// take takes all of it into a turn, which tells the agent of skills with a hash.
func (b *Briefing) take(skills string) *hearing {
	taken := b.hearing
	taken.rewinds = nil // until they are told
	b.notes, b.skills, b.instructions, b.historyUnknown = nil, skills, Skills{}, false
	b.taken = &taken
	return b.taken
}

// settle ends the turn that has taken it. If that has failed all is put back: the agent may not know it.
func (b *Briefing) settle(heard bool) {
	if !heard {
		b.hearing = b.unheard()
	}
	b.taken = nil
}

// unheard is what the agent has yet to hear if the turn that runs tells it nothing.
func (b *Briefing) unheard() hearing {
	h := b.hearing
	if t := b.taken; t != nil {
		h.notes, h.rewinds = slices.Concat(t.notes, h.notes), slices.Concat(t.rewinds, h.rewinds)
		h.skills, h.unsaved, h.historyUnknown = t.skills, t.unsaved, h.historyUnknown || t.historyUnknown
	}
	return h
}

// untold writes down what the agent may not have heard.
func (b *Briefing) untold(about *record.Session) {
	h := b.unheard()
	about.Skills, about.Untold = h.skills, h.historyUnknown
	about.Notes, about.Rewinds = slices.Clone(h.notes), slices.Clone(h.rewinds)
}

// Prompted is what becomes of a turn whose content is made.
type Prompted struct {
	Lost    bool     // its agent is gone, and the prompt has been given back
	Stopped bool     // the user has stopped it before
	Past    string   // how the conversation began, for the agent; "" if it knows that
	Notes   []string // for the agent
	Skills  bool     // the agent is to be told of the skills
}

// send is taken into a prompt with a key, with what is said of skills and of unsaved text.
func (b *Briefing) send(key string, skills Skills, text unsaved.Message) Prompted {
	came := b.instructions
	taken := b.take(skills.Hash)
	out := Prompted{Notes: taken.notes, Skills: skills.Hash != taken.skills}
	if taken.historyUnknown {
		out.Past = b.tellPast(key)
	}

	switch {
	case out.Skills:
		b.saySkills(skills)
	case came.Hash != "":
		b.saySkills(came)
	}

	b.ToldUnsaved(text)
	return out
}

// maxPast is how much of the conversation's beginning an agent is given, in bytes: its end.
const maxPast = 200 << 10

// tellPast returns what the agent is told of the conversation before a prompt.
func (b *Briefing) tellPast(key string) string {
	text := b.screen.log.Blocks().SaidBefore(key)
	if len(text) > maxPast {
		text = "(the beginning is left out)\n\n" + plain.Tail(text, maxPast)
	}
	b.screen.note("sent with the conversation above", "AcpDone")
	return transcript.ToldPast + " So far it was:\n\n" + text
}

// saySkills says what the agent knows of skills.
func (b *Briefing) saySkills(skills Skills) {
	b.screen.note(skills.Summary, "AcpDone")
	if skills.Left != "" {
		b.screen.note(skills.Left, "AcpWarning")
	}
}
