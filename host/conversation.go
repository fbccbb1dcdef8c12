package host

import (
	"github.com/nvim-acp/nvim-acp/host/history"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// inheritUntil gives a session that goes on from an earlier point of another one what that was until then, and tells its agent what is not
// as it was. It waits for the disk.
func (s *Session) inheritUntil(from, fork, key string) error {
	cut, before, err := s.kept.InheritUntil(from, fork, key)
	if err != nil {
		return err
	}
	forgotten := history.Forgotten(s.host.history, featured{s}, before)
	s.do(func(st *session.State) { st.Briefing().Forgets(forgotten) })
	s.tellReverted(from, before, cut)
	return nil
}

// tellReverted tells the agent what the user has reverted of the changes that the conversation still has, if it was told that after the
// last of its prompts, or not at all.
func (s *Session) tellReverted(from string, last, cut transcript.Moment) {
	if cut.First || last.Time.IsZero() {
		return
	}
	text, shown := s.host.review.RevertedSince(featured{s}, from, last.Time, cut.Time)
	if text == "" {
		return
	}
	s.do(func(st *session.State) {
		st.Briefing().Tell(text)
		st.Screen().Say(shown, "AcpNotice")
	})
}

// forksAt reports whether the agent can go back to a point of the conversation by itself, or need not.
func (s *Session) forksAt(m transcript.Moment) bool {
	return m.First || m.Behind != "" && ask(s, func(st *session.State) bool { return st.Link().Cuts() })
}
