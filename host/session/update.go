package session

import (
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Update applies an update of the agent's.
func (s *State) Update(u acp.SessionUpdate) {
	u = s.options.modeUpdate(u)
	waits := s.replay.recognize(u)
	if s.replay.taken {
		s.replay.taken = false
		s.rewrite()
	}
	if waits {
		return
	}

	callBegins(s, u)
	log := s.replay.Active()
	shown := s.family.apply(log, s.link.remote, u) || log.Apply(u)
	s.updated(u)
	if s.replay.loads() && isState(u) {
		s.replay.held = append(s.replay.held, u)
	} else {
		learn(s, u, shown)
	}

	if _, ok := u.(*acp.Plan); ok || !shown {
		s.screen.status = true // the plan is in it
	}
	if s.turns.now.firstWords(u) {
		s.screen.draw(Now)
	}
}

// isState reports whether an update says what the session has by now, rather than what is said and done in it.
func isState(u acp.SessionUpdate) bool {
	switch u.(type) {
	case *acp.UsageUpdate, *acp.SessionInfoUpdate, *acp.CurrentModeUpdate, *acp.ConfigOptionUpdate, *acp.AvailableCommandsUpdate:
		return true
	}
	return false
}

// learn applies what an update says of the session beside its conversation, which may show it already.
func learn(s *State, u acp.SessionUpdate, shown bool) {
	if !shown {
		s.titles.learn(u)
		awaited := s.options.AwaitsMode()
		if s.options.learn(u); awaited && !s.options.AwaitsMode() {
			s.Next()
		}
		s.offers.learn(u)
	}
	s.spending.learn(u, s.replay.log != nil)
}

// callBegins says what the mode means in which a call of the turn begins, which the agent or the user may have changed since the prompt.
func callBegins(s *State, u acp.SessionUpdate) {
	if _, ok := u.(*acp.ToolCall); ok && s.turns.now != nil && s.replay.log == nil {
		s.options.sayAutonomy()
	}
}

// rewrite begins the answer at lines again, with what the turn still says.
func (s *State) rewrite() {
	if t := s.turns.now; t.Prompt.Edit != nil {
		s.place.lines.Rewrite(s.screen.log.Answer())
		s.place.shown = true
	}
}

// UpdateChild applies an update of a child's, whose ids of calls are unique in the session.
func (s *State) UpdateChild(child string, u acp.SessionUpdate) {
	callBegins(s, u)
	log := s.replay.Active()
	if !s.family.apply(log, child, u) {
		s.family.tree.Apply(log, child, u)
	}
	s.updated(u)
}

// updated notes what has followed an update that was applied.
func (s *State) updated(u acp.SessionUpdate) {
	s.link.used = time.Now()
	s.replay.show()
	said := s.replay.Active().Said() // also what nobody wants, or it would grow
	if s.replay.log == nil {
		s.place.write(said)
		s.screen.updated(u)
	}
	if s.screen.log.Calls().Moved() {
		s.screen.status = true
	}

	var call *acp.ToolCallUpdate
	switch u := u.(type) {
	case *acp.ToolCall:
		call = u.Update()
	case *acp.ToolCallUpdate:
		call = u
	}
	if call != nil {
		s.requests.list.CallChanged(call, s.screen.log)
	}
	if call != nil && s.display != nil && len(call.Meta) > 0 {
		s.display(s.replay.Active().Calls(), call.ToolCallID, call.Meta)
	}

	s.writes.extend()
	s.screen.draw(Soon)
}

// stopping reports whether the turn, or a child whose id is given, is being stopped.
func stopping(s *State, child string) bool {
	t := s.turns.now
	return t != nil && t.cancelled || s.family.tree.Stopping(child)
}

// Request adds a permission request of the agent's, or an elicitation. It reports false if it is answered with cancelled at
// once: in a replay, or in a turn that is being stopped. It is left to the user unless rules may answer it.
func (s *State) Request(call *acp.ToolCallUpdate, n permission.New) (ticket *permission.Ticket, judge, ok bool) {
	if call != nil {
		call = permission.Carried(call)
	}
	t := s.turns.now
	if t != nil {
		s.replay.EndLate() // no replay asks
	}

	stopped := stopping(s, n.Child)
	if call != nil && (s.replay.log != nil || stopped) {
		if n.Child == "" {
			s.replay.Active().Apply(call)
		} else {
			s.family.tree.Apply(s.replay.Active(), n.Child, call)
		}
		s.screen.draw(Soon)
		return nil, false, false
	}
	if stopped {
		return nil, false, false
	}
	if call != nil {
		n.Call, n.Own = call.ToolCallID, call
		n.Before = s.screen.log.Calls().Permission(s.family.tree.Run(n.Child), n.Own)
		judge = s.requests.Ruled()
	}

	return s.requests.add(n), judge, true
}

// ShowQuestion asks the user a question of our own. It returns nil in a turn that is being stopped.
func ShowQuestion(s *State, n permission.New) *permission.Ticket {
	if stopping(s, n.Child) {
		return nil
	}
	return s.requests.Ask(n)
}

// ShowForm shows the user a form. It returns nil in a turn that is being stopped.
func ShowForm(s *State, made permission.New) *permission.Ticket {
	t, _, ok := s.Request(nil, made)
	if !ok {
		return nil
	}
	s.requests.Show(t)
	return t
}

// Answer answers a request as the user has chosen.
func (s *State) Answer(a permission.Answer) permission.Result {
	got := s.requests.list.Answer(a, s.screen.log)
	if got.Note != "" {
		s.briefing.notes = append(s.briefing.notes, got.Note)
	}
	if p := got.Accepted; p != nil {
		s.writes.accept(*p)
	}
	s.screen.Refresh()
	return got
}

// Call returns a call of the conversation as it goes on, nil if there is none of that id, or it is repeated.
func (s *State) Call(id string) *transcript.Call {
	if s.replay.log != nil {
		return nil
	}
	return s.screen.log.Calls().Call(id)
}
