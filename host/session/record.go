package session

import (
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/transcript"
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
	u := Unsaved{About: s.about(), Title: s.titles.Title()}
	if !s.replay.isShown() {
		u.Entries, u.Wait = s.screen.log.Unrecorded().Unsaved(all)
		u.Replace, s.replay.replaced = s.replay.replaced, false
	}
	return u
}

// about is what the session is; its folders are for the caller to add.
func (s *State) about() record.Session {
	about := record.Session{
		Agent: s.agent.Name, Remote: s.link.remote, Title: s.titles.told(), Name: s.titles.user, Created: s.titles.created,
		Fork: s.link.forked, Options: s.options.Chosen(), Cost: s.spending.record(s.link.Closed()),
		Past: s.briefing.past, Place: s.place.at,
	}
	Newest(s, &about)
	return about
}

// maxWaiting is how much text may be attached to a prompt that waits in a record, in bytes.
const maxWaiting = 512 << 10

// ToRecord returns prompts of the user's as a record has them: without what is attached to one where that is long.
func ToRecord(list []Prompt) (out []record.Prompt) {
	for _, p := range list {
		if p.Edit != nil || p.Fix {
			continue
		}
		w, size := record.Prompt{ID: p.ID, Text: p.Text}, 0
		for _, a := range p.Context {
			w.Context, size = append(w.Context, record.Attachment(a)), size+len(a.Text)
		}
		if size > maxWaiting {
			w.Context = nil
		}
		out = append(out, w)
	}
	return out
}

// Newest writes down what the agent may not have heard, and the session's rules: a record may not have them yet.
func Newest(s *State, about *record.Session) {
	s.briefing.untold(about)
	about.Rules = s.requests.record()
}

// Restore shows a record, and returns what the session is by then.
func (s *State) Restore(rec record.Record) (about record.Session, title string) {
	s.titles.user = rec.Session.Name
	s.options.restore(rec.Session.Options)
	s.requests.restore(rec.Session.Rules)
	s.spending.restore(rec.Session.Cost)
	b, l := &s.briefing, &s.link
	b.skills, b.historyUnknown, b.past = rec.Session.Skills, rec.Session.Untold, rec.Session.Past
	b.notes, b.rewinds = slices.Concat(rec.Session.Notes, b.notes), slices.Concat(rec.Session.Rewinds, b.rewinds)
	l.forked = l.forked || rec.Session.Fork
	if rec.Session.Place != nil {
		s.place.at = rec.Session.Place
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

	s.queue.restore(rec.Session.Waiting)
	s.titles.begin(s.screen.restore(rec.Entries))
	s.replay.recorded = s.replay.recorded || len(rec.Entries) > 0
	return s.about(), s.titles.Title()
}

// Inherit shows what the record of another session says, of which this one begins as a copy.
func (s *State) Inherit(rec record.Record, title string) {
	what := "this is a new session, a copy of another one"
	if title = plain.OneLine(title); title != "" {
		what = "this is a new session, a copy of “" + title + "”"
	}

	s.requests.restore(rec.Session.Rules)
	s.spending.restore(rec.Session.Cost)
	// The agent of the other one is told as well.
	s.briefing.notes, s.briefing.rewinds = slices.Clone(rec.Session.Notes), slices.Clone(rec.Session.Rewinds)
	s.briefing.historyUnknown = rec.Session.Untold

	s.options.chose(rec.Session.Options)
	s.titles.user = rec.Session.Name
	s.titles.begin(s.screen.restore(rec.Entries))
	if len(rec.Entries) == 0 {
		s.screen.note(what+"; the agent has its history", "AcpDone")
		return
	}

	s.screen.note(what+"; what is above is from its record", "AcpDone")
	s.titles.agent = rec.Session.Title
}

// InheritUntil shows the beginning of a session's record, from which this one goes on.
func (s *State) InheritUntil(rec record.Record, cut Cut, past []record.Past) {
	s.link.cut, s.link.forked, s.briefing.past, s.briefing.historyUnknown = &cut, true, past, !cut.First
	s.briefing.rewinds = slices.Clone(rec.Session.Rewinds)
	s.requests.restore(rec.Session.Rules)
	s.spending.restore(rec.Session.Cost)
	s.options.chose(rec.Session.Options)
	s.titles.user = rec.Session.Name
	s.titles.begin(s.screen.restore(rec.Entries))
	s.screen.note("a new session from before “"+cut.Prompt+"”; the earlier one stays in :AcpSessions", "AcpDone")
	if !cut.First {
		s.titles.agent = rec.Session.Title
	}
}

// Markdown returns the transcript of a session in a folder as Markdown.
func (s *State) Markdown(folder string) string {
	return s.screen.log.Blocks().Markdown(transcript.Head{
		Title: s.titles.Title(), Agent: s.agent.Title, Folder: folder, Began: time.UnixMilli(s.titles.created),
	})
}
