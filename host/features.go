package host

import (
	"context"
	"errors"
	"time"

	"github.com/nvim-acp/nvim-acp/host/attach"
	"github.com/nvim-acp/nvim-acp/host/budget"
	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/diagnostics"
	"github.com/nvim-acp/nvim-acp/host/editing"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/find"
	"github.com/nvim-acp/nvim-acp/host/history"
	"github.com/nvim-acp/nvim-acp/host/login"
	"github.com/nvim-acp/nvim-acp/host/logview"
	"github.com/nvim-acp/nvim-acp/host/moves"
	"github.com/nvim-acp/nvim-acp/host/policy"
	"github.com/nvim-acp/nvim-acp/host/prompt"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/records"
	"github.com/nvim-acp/nvim-acp/host/review"
	"github.com/nvim-acp/nvim-acp/host/reviewing"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/skillsets"
	"github.com/nvim-acp/nvim-acp/host/tools"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/host/viewing"
)

// addFeatures makes the features, each in a package of its own, and says what they do for each other.
func (h *Host) addFeatures() {
	p, ledger := port{h}, review.NewDesk()
	h.policy = policy.New(p)
	h.history = history.New(p, h.files, history.Hooks{
		Checkpointed: func(roots []string, c checkpoint.Checkpoint) { h.checks.Checkpointed(roots, c) },
		Ended:        func() { h.moves.TurnEnded() },
		Settled:      func(s feature.Session, t *session.Turn) { h.review.Settled(s, t) },
		Look:         func(ctx context.Context, paths ...string) { h.moves.Look(ctx, paths...) },
		Found: func(s feature.Session, path string, before, after files.Text, known, shared bool) error {
			return h.review.Found(s, path, review.Content(before), review.Content(after), known, shared)
		},
		Renamed: func(s feature.Session, from, to string, before, after files.Text) error {
			return h.review.Renamed(s, from, to, review.Content(before), review.Content(after))
		},
		Rewrote: func(session, path string, now files.Text, undone []time.Time) {
			ledger.Rewrote(session, path, review.Content(now), undone)
		},
		Drawn:   func(path string) { h.review.Poke(path) },
		ForksAt: func(s feature.Session, m transcript.Moment) bool { return of(s).forksAt(m) },
	})
	h.checks = diagnostics.New(p, h.files, h.history, h.policy, diagnostics.Hooks{
		Know: func(ctx context.Context, s feature.Session, question string, args map[string]any, result any) error {
			err := h.tools.Know(ctx, s, question, args, result)
			if errors.Is(err, attach.ErrNobody) {
				return feature.ErrNobody
			}
			return err
		},
		Pose: func(s feature.Session, question string) (files.Question, feature.Answer) {
			return h.tools.Pose(s, question)
		},
	})
	h.moves = moves.New(p, h.files, h.history, ledger, moves.Hooks{
		Moved: func(from, to string) { h.checks.Moved(from, to) },
		Drawn: func(paths ...string) { h.review.Poke(paths...) },
	})
	h.tools = tools.New(p, h.files, h.policy, tools.Config{Version: h.version, Program: h.argv0}, tools.Hooks{
		Files: func(s feature.Session) files.Session { return s.(featured) },
		Refresh: func(ctx context.Context, s feature.Session, question string) {
			if diagnostics.AsksServers(question) {
				h.checks.Refresh(ctx, s)
			}
		},
	})
	h.places = editing.New(p, h.policy)
	h.find = find.New(p)
	h.log = logview.New(p, h.agents.Recent)
	h.skills = skillsets.New(p)
	h.review = reviewing.New(p, h.files, h.history, h.moves, ledger, reviewing.Hooks{
		Steer: func(s feature.Session, note func() (text, shown string)) { of(s).steerNote(note) },
	})
	h.budget = budget.New(p)
	h.logins = login.New(p, h.agents, &h.keys)
	h.records = records.New(p, h.agents, records.Hooks{
		Keeper: func(s feature.Session) *records.Keeper { return of(s).kept },
		Close:  func(s feature.Session) <-chan struct{} { return of(s).close() },
		Hide:   h.keys.Hide,
		Held:   h.history.Journals.HandOver,
		Waiting: func(s feature.Session) []record.Prompt {
			if !h.life.Away() {
				return nil
			}
			waiting := feature.Ask(s, func(st *session.State) []session.Prompt { return st.Queue().All() })
			return session.ToRecord(append(h.life.Waiting(s.LocalID()), waiting...))
		},
		Recalled: func(s feature.Session) {
			h.review.Restore(s)
			h.history.Complete(s)
		},
		Untold: func(s feature.Session, from string) (text, shown string) { return h.review.Untold(s, from) },
	})
	h.prompts = prompt.New(p, h.files, h.policy, h.records.Carry)
	h.viewer = viewing.New(p, h.moves.Find)
	h.features = []speaking{
		h.history, h.checks, h.moves, h.find, h.log, h.skills, h.tools, h.places, h.policy, h.review, h.budget, h.logins, h.records,
		h.viewer, h.terms,
	}
}

// of is the session behind what features see of it.
func of(s feature.Session) *Session { return s.(featured).Session }
