package session

import (
	"slices"

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
	notes          []string     // for the next prompt: reasons of rejections, conflicts, reverts
	skills         string       // what the agent knows of skills, as a hash
	instructions   Skills       // of these what the user is to be told: they came with the request that opened the session
	unsaved        unsaved.Told // what the agent knows of unsaved text
	historyUnknown bool         // the agent does not know how the conversation began
}

// briefed is what a turn has taken of a briefing, to put it back.
type briefed struct {
	notes   []string
	skills  string
	unsaved unsaved.Told
	history bool // it tells how the conversation began
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

// tell adds a note, once. It reports false if it waits already.
func (b *Briefing) tell(note string) bool {
	if slices.Contains(b.notes, note) {
		return false
	}
	b.notes = append(b.notes, note)
	return true
}

// take takes all of it into a turn, which tells the agent of skills with a hash.
func (b *Briefing) take(skills string) *briefed {
	taken := &briefed{notes: b.notes, skills: b.skills, unsaved: b.unsaved, history: b.historyUnknown}
	b.notes, b.skills, b.instructions, b.historyUnknown = nil, skills, Skills{}, false
	return taken
}

// restore puts back what a turn has taken: the agent may not know it. It does nothing if nothing was taken.
func (b *Briefing) restore(taken *briefed) {
	if taken == nil {
		return
	}
	b.notes = slices.Concat(taken.notes, b.notes)
	b.skills, b.unsaved = taken.skills, taken.unsaved
	b.historyUnknown = b.historyUnknown || taken.history
}

// Prompted is what becomes of a turn whose content is made.
type Prompted struct {
	Lost    bool     // its agent is gone, and the prompt has been given back
	Stopped bool     // the user has stopped it before
	Past    string   // how the conversation began, for the agent; "" if it knows that
	Notes   []string // for the agent
	Skills  bool     // the agent is to be told of the skills
}

// Send notes that the content of a turn is about to be sent, with what is said of skills and of unsaved text.
func (s *State) Send(t *Turn, skills Skills, text unsaved.Message) Prompted {
	switch {
	case s.turn != t:
		return Prompted{Lost: true}
	case t.cancelled:
		return Prompted{Stopped: true}
	}

	came := s.briefing.instructions
	t.sent, t.briefed = true, s.briefing.take(skills.Hash)
	out := Prompted{Notes: t.briefed.notes, Skills: skills.Hash != t.briefed.skills}
	if t.briefed.history {
		out.Past = s.tellPast(t)
	}
	switch {
	case out.Skills:
		s.saySkills(skills)
	case came.Hash != "":
		s.saySkills(came)
	}

	s.ToldUnsaved(text)
	return out
}

// saySkills says what the agent knows of skills.
func (s *State) saySkills(skills Skills) {
	s.log.Say(skills.Summary, "AcpDone")
	if skills.Left != "" {
		s.log.Say(skills.Left, "AcpWarning")
	}
	s.draw(Soon)
}

// Tell keeps a note for the agent, which is sent with the next prompt, once.
func (s *State) Tell(note string) {
	if s.briefing.tell(note) {
		s.draw(Soon) // it is recorded
	}
}

// TellWith adds a note to what a turn tells. If that has failed meanwhile, it is for the next prompt.
func (s *State) TellWith(t *Turn, note string) {
	if t.briefed == nil || s.turn != t {
		s.Tell(note)
		return
	}
	t.briefed.notes = append(t.briefed.notes, note)
}

// unheard is the briefing as if the turn that runs had told nothing: the agent may not have heard it.
func (s *State) unheard() Briefing {
	b := s.briefing
	if s.turn != nil {
		b.restore(s.turn.briefed)
	}
	return b
}

// ToTell returns the notes that the agent may not have heard: those that wait for the next prompt, and those of the turn that runs.
func (s *State) ToTell() []string { return slices.Clone(s.unheard().notes) }
