package session

import (
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/record"
)

// Unsaved is what is to be recorded.
type Unsaved struct {
	Entries []record.Entry
	Wait    time.Duration  // how long what is left out may wait; 0: nothing is
	About   record.Session // what the session is
	Title   string
	Replace bool // what was recorded is not shown any more
}

// Unsaved takes what is not in the record yet: what is due, or all of it.
func (s *State) Unsaved(all bool) Unsaved {
	u := Unsaved{About: s.about(), Title: s.Title(), Replace: s.history.replaced}
	if s.replays() {
		return Unsaved{About: u.About, Title: u.Title}
	}
	u.Entries, u.Wait = s.log.Unsaved(all)
	s.history.replaced = false
	return u
}

// about is what the session is; its folders are for the caller to add.
func (s *State) about() record.Session {
	b := s.unheard()
	return record.Session{
		Agent: s.agent.Name, Remote: s.link.remote, Title: s.agentTitle(), Name: s.titles.user, Created: s.titles.created,
		Fork:   s.link.forked,
		Skills: b.skills, Past: s.history.past, Untold: b.historyUnknown, Place: s.at.place, Notes: slices.Clone(b.notes),
	}
}

// begins notes the first prompt.
func (s *State) begins(text string) {
	if s.titles.first == "" {
		s.titles.first = FirstLine(text)
	}
}

// FirstLine is the beginning of a prompt, as a title.
func FirstLine(text string) string {
	const longest = 80
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	runes := []rune(plain.OneLine(line))
	if len(runes) > longest {
		runes = append(runes[:longest-1], '…')
	}
	return string(runes)
}

// Restore shows a record, and returns what the session is by then.
func (s *State) Restore(rec record.Record) (about record.Session, title string) {
	s.titles.user = rec.Session.Name
	b, l := &s.briefing, &s.link
	b.skills, b.historyUnknown = rec.Session.Skills, rec.Session.Untold
	b.notes = slices.Concat(rec.Session.Notes, b.notes)
	l.forked = l.forked || rec.Session.Fork
	s.history.past = rec.Session.Past
	if rec.Session.Place != nil {
		s.at.place = rec.Session.Place
	}
	if s.titles.listed == "" || l.fork != "" { // else that is newer
		s.titles.agent = rec.Session.Title
	}
	if l.fork == "" && rec.Session.Remote != "" {
		l.remote = rec.Session.Remote // the newest, where the session was begun anew
	}
	if rec.Session.Created != 0 {
		s.titles.created = rec.Session.Created
	}

	s.restoreEntries(rec.Entries)
	if len(rec.Entries) > 0 {
		s.history.recorded = true
	}

	s.frame.status = true
	s.draw(Soon)
	return s.about(), s.Title()
}

func (s *State) restoreEntries(entries []record.Entry) {
	i := slices.IndexFunc(entries, func(e record.Entry) bool { return e.Role == record.User })
	if i >= 0 {
		s.begins(entries[i].Text)
	}
	if len(entries) > 0 {
		s.log.Restore(entries)
		s.frame.reset = true
	}
}

// Inherit shows what the record of another session says, of which this one begins as a copy.
func (s *State) Inherit(rec record.Record, title string) {
	what := "this is a new session, a copy of another one"
	if title = plain.OneLine(title); title != "" {
		what = "this is a new session, a copy of “" + title + "”"
	}

	s.frame.status = true
	s.draw(Soon)
	s.briefing.notes = slices.Clone(rec.Session.Notes) // the agent of the other one is told as well
	if len(rec.Entries) == 0 {
		s.log.Say(what+"; the agent has its history", "AcpDone")
		return
	}

	s.restoreEntries(rec.Entries)
	s.log.Say(what+"; what is above is from its record", "AcpDone")
	s.titles.agent = rec.Session.Title
}
