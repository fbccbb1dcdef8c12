package session

import (
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Cut says where the copy of a conversation ends.
type Cut struct {
	Fork   string // the agent's id of the session that is copied, "" if it has none
	Prompt string // the first line of the prompt that follows
	Behind string // see [transcript.Moment]
	First  bool   // nothing is left
}

// InheritUntil shows the beginning of a session's record, from which this one goes on.
func (s *State) InheritUntil(rec record.Record, cut Cut, past []record.Past) {
	s.link.cut, s.link.forked, s.history.past, s.briefing.historyUnknown = &cut, true, past, !cut.First
	s.frame.status = true
	s.draw(Soon)
	s.restoreEntries(rec.Entries)
	s.log.Say("a new session from before “"+cut.Prompt+"”; the earlier one stays in :AcpSessions", "AcpDone")
	if !cut.First {
		s.titles.agent = rec.Session.Title
	}
}

// Knows notes that the agent knows how the conversation began.
func (s *State) Knows() { s.briefing.historyUnknown = false }

// Past returns the sessions that the conversation began in, the nearest first.
func (s *State) Past() []record.Past { return s.history.past }

// Moments returns the points of the conversation to which the user can go back, the oldest first.
func (s *State) Moments() []transcript.Moment { return s.log.Moments() }

// KeyOf returns the key of the prompt that a block is, "" if it is none that began a turn.
func (s *State) KeyOf(block string) string { return s.log.KeyOf(block) }

// WordsOf is Words of a prompt with a key.
func (s *State) WordsOf(key string) (string, bool) { return s.log.Words(s.log.BlockOf(key)) }

// maxPast is how much of the conversation's beginning an agent is given, in bytes: its end.
const maxPast = 200 << 10

// tellPast returns what the agent of a turn is told of the conversation before it.
func (s *State) tellPast(t *Turn) string {
	text := s.log.SaidBefore(t.Key)
	if len(text) > maxPast {
		text = "(the beginning is left out)\n\n" + plain.Tail(text, maxPast)
	}
	s.log.Say("sent with the conversation above", "AcpDone")
	s.draw(Soon)
	return "This conversation began in another session, which you do not know. So far it was:\n\n" + text
}
