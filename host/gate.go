package host

import (
	"context"
	"fmt"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/review"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// gated reports whether the user wants to decide on a turn's changes before the next begins.
func (s *Session) gated() bool { return s.host.settings().Review == "ask" }

// maxGateFiles is how many files the question at the gate lists.
const maxGateFiles = 12

// waitAtGate asks the user to decide on what the last turn has changed, and opens the gate when that is done, also hunk by hunk, or
// when it is left. It waits for the user.
func (s *Session) waitAtGate(g *session.Gate) {
	r := s.host.review
	defer s.do(func(st *session.State) { st.OpenGate(g) })
	if s.host.history.Settle(featured{s}) != nil {
		return // Neovim goes
	}
	ctx, decided := context.WithCancel(s.host.history.Context())
	defer decided()
	defer r.watchGate(s.id, decided)()
	files := r.lastTurn(s.id)
	if len(files) == 0 {
		return
	}

	n := permission.New{
		Kind: "review", Title: "has changed " + plural(len(files), "file") + ": keep that?",
		Options: []acp.PermissionOption{
			{OptionID: "keep", Name: "Keep all", Kind: acp.AllowOnce},
			{OptionID: "revert", Name: "Revert all", Kind: acp.RejectOnce},
			{OptionID: "leave", Name: "Decide later", Kind: "leave"},
		},
	}
	for _, e := range files[:min(len(files), maxGateFiles)] {
		n.Lines = append(n.Lines, fmt.Sprintf("%s  +%d -%d", s.short(e.Path), e.Last.Added, e.Last.Removed))
	}
	if more := len(files) - maxGateFiles; more > 0 {
		n.Lines = append(n.Lines, fmt.Sprintf("and %d more", more))
	}
	n.Lines = append(n.Lines, "", ":AcpReview turn shows them, hunk by hunk; <Esc> hides this until :AcpPermit.")
	for i, line := range n.Lines {
		n.Lines[i] = "  " + line
	}
	ticket := ask(s, func(st *session.State) *permission.Ticket { return st.AskAtGate(g, n) })
	if ticket == nil {
		return // the user has gone on
	}
	got, err := s.await(ctx, ticket)
	if err != nil || got.Option != "keep" && got.Option != "revert" {
		return
	}
	done := make(chan struct{})
	r.decideThen(decideArgs{Action: got.Option, Scope: "turn", Session: s.id}, func() { close(done) })
	select {
	case <-done:
	case <-s.host.done:
	}
}

// watchGate has a function called when nothing of a session's last turn waits for a decision any more.
func (r *reviewer) watchGate(session string, decided func()) (stop func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gates[session] = decided
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.gates, session)
	}
}

// lookAtGates calls those who wait for decisions that are made.
func (r *reviewer) lookAtGates() {
	r.mu.Lock()
	waits := map[string]func(){}
	for session, decided := range r.gates {
		waits[session] = decided
	}
	r.mu.Unlock()
	for session, decided := range waits {
		if len(r.lastTurn(session)) == 0 {
			decided()
		}
	}
}

// lastTurn returns the files with changes of a session's last turn that wait for a decision.
func (r *reviewer) lastTurn(session string) []review.Entry {
	var files []review.Entry
	for _, e := range r.desk.List(session) {
		if e.Last.Hunks > 0 {
			files = append(files, e)
		}
	}
	return files
}
