package reviewing

import (
	"context"
	"fmt"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// Gated reports whether the user wants to decide on a turn's changes before the next begins.
func (r *Review) Gated() bool { return r.host.Settings().Review == "ask" }

// maxGateFiles is how many files the question at the gate lists.
const maxGateFiles = 12

// WaitAtGate asks the user to decide on what the last turn has changed, and opens the gate when that is done, also hunk by hunk, or
// when it is left. It waits for the user.
func (r *Review) WaitAtGate(s feature.Session, g *session.Gate) {
	defer s.Do(func(st *session.State) { st.OpenGate(g) })
	if r.history.Settle(s) != nil {
		return // Neovim goes
	}

	ctx, decided := context.WithCancel(r.history.Context())
	defer decided()
	defer r.gates.watch(s.LocalID(), decided)()
	list := r.gates.lastTurn(s.LocalID())
	if len(list) == 0 {
		return
	}

	n := permission.New{
		Kind: "review", Title: "has changed " + plain.Plural(len(list), "file") + ": keep that?",
		Options: []acp.PermissionOption{
			{OptionID: "keep", Name: "Keep all", Kind: acp.AllowOnce},
			{OptionID: "revert", Name: "Revert all", Kind: acp.RejectOnce},
			{OptionID: "leave", Name: "Decide later", Kind: "leave"},
		},
	}
	for _, e := range list[:min(len(list), maxGateFiles)] {
		n.Lines = append(n.Lines, s.Short(e.Path)+"  "+r.host.Settings().Icons.Counts(e.Last.Added, e.Last.Removed))
	}

	if more := len(list) - maxGateFiles; more > 0 {
		n.Lines = append(n.Lines, fmt.Sprintf("and %d more", more))
	}

	n.Lines = append(n.Lines, "", ":AcpReview turn shows them, hunk by hunk; <Esc> hides this until :AcpPermit.")
	for i, line := range n.Lines {
		n.Lines[i] = "  " + line
	}

	ticket := feature.Ask(s, func(st *session.State) *permission.Ticket { return st.Queue().AskAtGate(g, n) })
	if ticket == nil {
		return // the user has gone on
	}

	got, err := s.Await(ctx, ticket)
	if err != nil || got.Option != "keep" && got.Option != "revert" {
		return
	}

	done := make(chan struct{})
	r.decideThen(decideArgs{Action: got.Option, Scope: "turn", Session: s.LocalID()}, func() { close(done) })
	select {
	case <-done:
	case <-r.host.Done():
	}
}
