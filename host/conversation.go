package host

import (
	"fmt"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
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
	s.tellChanged(cut)
	s.tellReverted(from, before, cut)
	return nil
}

// tellReverted tells the agent what the user has reverted of the changes that the conversation still has, if it was told that after the
// last of its prompts, or not at all.
func (s *Session) tellReverted(from string, last, cut transcript.Moment) {
	if cut.First || last.Time.IsZero() || cut.Time.IsZero() {
		return
	}
	text, shown := s.host.review.RevertedSince(featured{s}, from, last.Time, cut.Time)
	if text == "" {
		return
	}
	s.do(func(st *session.State) {
		st.Tell(text)
		st.Say(shown, "AcpNotice")
	})
}

// tellChanged tells the agent of files which have changes that it does not know, as they were made since a point to which the
// conversation has gone back.
func (s *Session) tellChanged(from transcript.Moment) {
	paths := s.host.history.ChangedAfter(featured{s}, from)
	if len(paths) == 0 {
		return
	}
	note := "Note from the editor: the user has gone back to this point of the conversation. These files have changes that were made " +
		"after it. Read them again before you edit them.\n" + strings.Join(paths, "\n")
	s.do(func(st *session.State) { st.Tell(note) })
}

// forksAt reports whether the agent can go back to a point of the conversation by itself, or need not.
func (s *Session) forksAt(m transcript.Moment) bool {
	a, remote := s.connection()
	return m.First || a != nil && remote != "" && m.Behind != "" && cutsForks(a)
}

// cutsForks reports whether an agent copies conversations up to a message.
func cutsForks(a *agents.Agent) bool {
	return a.Can().SessionCapabilities.Fork != nil && a.Implementation().ForksAtMessages()
}

// copyUntil asks for a session that begins as another one was at an earlier point. Where the agent cannot, it begins a new one,
// and its first prompt tells what was said before.
func (s *Session) copyUntil(a *agents.Agent, cut session.Cut) {
	if cut.Fork == "" || cut.Behind == "" || !cutsForks(a) {
		s.create(a)
		return
	}

	a.Opens()
	req := &acp.ForkSessionRequest{
		SessionID: cut.Fork, Cwd: s.cwd, AdditionalDirectories: s.furtherFor(a), MCPServers: s.serversFor(a), Meta: acp.ForkAt(cut.Behind),
	}
	a.Proc.StartForkSession(req, onAnswer(s, func(r *acp.ForkSessionResponse, err error) {
		if err != nil && a.Proc.Err() == nil {
			a.Opened("", nil)
			s.do(func(st *session.State) {
				st.Say("the agent cannot go back to this point, so the next prompt sends it the conversation: "+err.Error(), "AcpWarning")
			})
			s.spawn(func() { s.create(a) }) // returns at once
			return
		}
		if err != nil {
			s.began(a, "", session.Opened{}, fmt.Errorf("fork the session: %w", err))
			return
		}

		s.do((*session.State).Knows)
		s.began(a, r.SessionID, session.Opened{Modes: r.Modes, Models: r.Models, Options: r.ConfigOptions}, nil)
	}))
}
