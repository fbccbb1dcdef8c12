package host

import (
	"context"
	"fmt"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/bounds"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/history"
	"github.com/nvim-acp/nvim-acp/host/login"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/memory"
)

// prompt queues what the user sends; it is sent at once when no turn runs. A session that was begun at lines of a buffer is a
// chat from then on.
func (s *Session) prompt(a promptArgs) {
	if ask(s, func(st *session.State) bool {
		st.Place().Continue()
		return st.Prompt(session.Prompt{
			ID: a.ID, Text: a.Text, Context: a.Context,
			Early: a.Known.LoginAsks < st.Link().LoginAsks(), Unseen: a.Known.ModesRefused < st.Queue().ModesRefused(),
		})
	}) {
		s.spawn(s.connect) // ends when the session is ready or has failed
	}
}

// send makes the content of a turn's prompt and sends it, unless it was stopped before. It waits for files, and, but not long, for
// Neovim to leave changes on the disk to us.
func (s *Session) send(t *session.Turn) {
	s.host.moves.Look(t.Making) // before a turn may have renamed files itself
	s.host.review.Begin(featured{s}, t.Prompt.Text)
	a := t.Connection
	blocks, notes, err := s.host.prompts.Content(t.Making, featured{s}, t.Prompt, a.Info.AgentCapabilities.PromptCapabilities)
	if err != nil && t.Making.Err() == nil {
		if s.endTurn(t, "", err) { // else its agent is gone, and the prompt has been given back
			s.do(func(st *session.State) { st.Queue().GiveBack(t.Prompt) })
		}
		return
	}

	s.do(func(st *session.State) { st.Screen().Notes(notes) })
	set := s.host.skills.For(featured{s}, a)
	s.host.skills.Mention(set)

	inspecting, stop := port{s.host}.Answering(t.Making)
	defer stop()
	question, noteErrors := s.host.checks.Begin(featured{s}, t)
	modified, asked, err := s.host.files.Inspect(inspecting, featured{s}, question)
	inspected := func(context.Context, feature.Session) ([]files.Modified, error) { return modified, err }
	text, acted := s.host.prompts.Unsaved(t.Making, featured{s}, t.Prompt, a, inspected)
	checkpoint := s.host.history.Begin(t.Making, featured{s}, t, modified, err == nil && !acted) // the user may have taken their time
	noteErrors(asked, acted)
	checkpoint()
	rewinds := ask(s, func(st *session.State) []record.Rewind { return st.Briefing().Rewinds() })
	undone := history.Notes(inspecting, s.host.history, featured{s}, rewinds)
	if t.Prompt.Edit != nil {
		block, there := s.host.places.Content(t.Making, featured{s}, t)
		if !there {
			s.endTurn(t, acp.StopCancelled, nil)
			return
		}
		blocks = append(blocks, block)
	}

	s.host.review.Sends(featured{s})
	s.wire.Lock()
	defer s.wire.Unlock()

	out := ask(s, func(st *session.State) session.Prompted { return st.Send(t, set.ForPrompt(), text) })
	switch {
	case out.Lost:
		return
	case out.Stopped:
		s.endTurn(t, acp.StopCancelled, nil)
		return
	}

	out.Notes = append(out.Notes, undone...)
	s.do(func(st *session.State) { st.Briefing().ToldRewinds(len(rewinds)) })
	if note, shown := s.host.review.TakeNotes(featured{s}); note != "" {
		out.Notes = append(out.Notes, note)
		s.do(func(st *session.State) {
			if st.Turn() == t {
				st.Briefing().TellNow(note)
			} else {
				st.Briefing().Tell(note)
			}
			st.Screen().Notes([]string{shown})
		})
	}
	if out.Past != "" {
		blocks = append(blocks, acp.Text(out.Past))
	}
	for _, note := range out.Notes {
		blocks = append(blocks, acp.Text(note))
	}

	if out.Skills {
		blocks = append(blocks, set.Block(a.Can().PromptCapabilities))
	}
	if text.Text != "" {
		blocks = append(blocks, acp.Text(text.Text))
	}

	a.Proc.Prompt(&acp.PromptRequest{SessionID: t.Remote, Prompt: blocks}, onAnswer(s, func(r *acp.PromptResponse, err error) {
		switch {
		case err == nil:
			s.do(func(st *session.State) { st.Spending().CountTokens(t, r, s.spec().Counts()) })
			s.endTurn(t, r.StopReason, nil)
		case a.Proc.Err() == nil: // else the agent is gone, and Lost ends the turn
			s.endTurn(t, "", err)
		}
	}))
}

// endTurn ends a turn in wire order: everything the agent said of it was applied before. It reports false if the turn has ended
// with its agent.
func (s *Session) endTurn(t *session.Turn, reason acp.StopReason, err error) (ended bool) {
	if err != nil && s.host.leaving() {
		return false
	}

	a := t.Connection
	need, refused := login.Needed(featured{s}, a, err), s.host.tools.Refused(featured{s})
	var gate *session.Gate
	var spent session.Spent
	asks := s.host.review.Gated()
	end := ask(s, func(st *session.State) session.Ended {
		if st.Turn() == t {
			spent = st.Spending().Spend(st.Options().Current(acp.CategoryModel))
			if s.host.budget.Count(spent) {
				st.Queue().Hold()
			}
		}
		if asks && st.Turn() == t && t.Sent() {
			gate = st.Queue().CloseGate()
		}
		return st.EndTurn(t, reason, err, need, refused)
	})
	if gate != nil {
		s.spawn(func() { s.host.review.WaitAtGate(featured{s}, gate) }) // ends when the user has decided, or the host closes
	}
	if end.TryLogin {
		s.host.logins.Try(featured{s}, a)
	}
	if !end.Lost {
		s.host.budget.Note(featured{s}, spent, t.Tokens)
	}

	s.sayStrays(a)
	s.host.tools.SayWithoutTools(featured{s}, a)
	s.host.outside.Warn(featured{s}, a, nil)
	s.host.review.Ended()
	s.host.files.Poke()
	memory.Release()
	if !end.Lost && err == nil {
		s.host.checks.Ended(featured{s}, t, reason)
	}

	return !end.Lost
}

// cancel is the user's stop: of the running turn, and of the prompts behind it. The channel that it returns is closed when the
// agent is told.
func (s *Session) cancel() <-chan struct{} {
	s.do(func(st *session.State) {
		st.Queue().Hold()
		st.OpenGate(nil)
	})
	return s.cancelTurn()
}

// cancelTurn stops the running turn, and all subagents that do something, whether a turn runs or not: pending requests are answered first,
// then the agent is told.
func (s *Session) cancelTurn() <-chan struct{} {
	var agent *agents.Agent
	var t *session.Turn
	var children []string
	var answered []*permission.Ticket
	return s.stop(func(st *session.State) {
		var left []string
		var asked []*permission.Ticket
		agent = st.Link().Agent()
		if t, answered = st.Cancel(); t != nil {
			agent = t.Connection
		}
		children, left, asked = st.Family().StopAll()
		answered = append(answered, asked...)
		cannot := "the agent cannot stop " + strings.Join(left, ", ") + "; :AcpRestart ends it with all subagents"
		if t == nil && len(left) > 0 && !st.Screen().SayOnce(cannot) {
			s.host.say("warn", cannot)
		}
	}, func() {
		if agent != nil {
			s.tellStopped(agent, t, children, answered)
		}
	})
}

// Update applies an update, on the read goroutine.
func (s *Session) Update(u acp.SessionUpdate) {
	s.within("host.(*Session).Update", func() { s.update(u) })
}

func (s *Session) update(u acp.SessionUpdate) {
	s.do(func(st *session.State) { st.Update(u) })
	s.sayCut(u)
	if u, ok := u.(*acp.ConfigOptionUpdate); ok {
		s.sayFirst("options", len(u.ConfigOptions), bounds.Options)
		startChanges(s, (*session.Options).Offered)
	}
	s.lookAtCall(u)
}

// sayCut says, once, that a message of the agent's has a list that is longer than what is taken.
func (s *Session) sayCut(message any) {
	if acp.Cut(message) && s.cut.CompareAndSwap(false, true) {
		text := fmt.Sprintf("the agent has sent a list of %d entries or more: what is beyond is left out", acp.MaxItems)
		s.do(func(st *session.State) { st.Screen().Say(text, "AcpDone") })
	}
}

// sayFirst says, once, that of so many things of the agent's only the first ones are offered.
func (s *Session) sayFirst(what string, n, most int) {
	if n > most {
		text := fmt.Sprintf("the agent has %s %s: the first %d are offered", bounds.Number(n, n), what, most)
		s.do(func(st *session.State) { st.Screen().SayOnce(text) })
	}
}

// sayOpened says what is left out of an answer that opens a session.
func (s *Session) sayOpened(o session.Opened) {
	s.sayCut(&o)
	s.sayFirst("options", len(o.Options), bounds.Options)
}

// lookAtCall looks for what a call that has begun or changed has done to files. It does not wait.
func (s *Session) lookAtCall(u acp.SessionUpdate) {
	switch u := u.(type) {
	case *acp.ToolCall:
		s.host.files.Poke()
		s.host.history.Called(featured{s}, u.Kind)
		s.host.review.Named(featured{s}, u.Content, u.Locations, u.RawInput)
		s.host.review.Edited(featured{s}, u.ToolCallID)
		s.host.prompts.NoteRead(featured{s}, u.ToolCallID)
		s.host.policy.Unasked(featured{s}, u.ToolCallID, u.Status)
	case *acp.ToolCallUpdate:
		s.host.files.Poke()
		s.host.review.Named(featured{s}, u.Content.Or(nil), u.Locations.Or(nil), u.RawInput)
		s.host.review.Edited(featured{s}, u.ToolCallID)
		s.host.prompts.NoteRead(featured{s}, u.ToolCallID)
		s.host.policy.Unasked(featured{s}, u.ToolCallID, u.Status)
	}
}

// requeue does to a waiting prompt what the user wants.
func (s *Session) requeue(a queueArgs) {
	got := ask(s, func(st *session.State) session.QueueAction { return st.Requeue(a.Action, a.Index, a.Text) })
	switch {
	case got.Steer:
		s.steer(got.Prompt)
	case got.Cancel:
		s.cancelTurn() // the end of the turn sends the first prompt of the queue
	}
}
