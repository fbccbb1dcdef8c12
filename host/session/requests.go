package session

import (
	"slices"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Request adds a permission request of the agent's, or an elicitation. It reports false if it is answered with cancelled at
// once: in a replay, or in a turn that is being stopped. It is left to the user unless rules may answer it.
func (s *State) Request(call *acp.ToolCallUpdate, n permission.New) (ticket *permission.Ticket, judge, ok bool) {
	if call != nil {
		call = permission.Carried(call)
	}
	if s.turn != nil {
		s.EndLateReplay() // no replay asks
	}

	stopped := s.turn != nil && s.turn.cancelled || s.family.Stopping(n.Child)
	if call != nil && (s.replay.log != nil || stopped) {
		if n.Child == "" {
			s.activeLog().Apply(call)
		} else {
			s.family.Apply(s.activeLog(), n.Child, call)
		}
		s.draw(Soon)
		return nil, false, false
	}
	if stopped {
		return nil, false, false
	}
	if call != nil {
		n.Call, n.Own = call.ToolCallID, call
		n.Before = s.log.Permission(s.family.Run(n.Child), n.Own)
		judge = len(s.ruled.own) > 0 || s.ruled.lasting
	}

	return s.add(n), judge, true
}

func (s *State) add(n permission.New) *permission.Ticket {
	if s.turn != nil && n.Child == "" { // a child may go on after the turn
		n.Turn = s.turn
	}
	s.changed()
	return s.requests.Add(n)
}

// Ask adds a question of our own, which the user is shown.
func (s *State) Ask(n permission.New) *permission.Ticket {
	n.Sent = true
	n.Title = plain.OneLine(s.agent.Title) + " " + n.Title
	t := s.add(n)
	s.Show(t)
	return t
}

// Show leaves a request to the user.
func (s *State) Show(t *permission.Ticket) {
	s.requests.Show(t.ID, "", nil)
	s.changed()
}

// GiveUp removes a request whose asker waits no longer.
func (s *State) GiveUp(t *permission.Ticket) {
	s.requests.GiveUp(t.ID, s.log)
	s.changed()
}

// Pending returns a request, and reports whether it is pending.
func (s *State) Pending(id string) (permission.Snapshot, bool) { return s.requests.Snapshot(id) }

// Waiting returns what waits for the user.
func (s *State) Waiting() []permission.Waiting { return s.requests.Waiting() }

// AllPending returns the ids of the pending requests.
func (s *State) AllPending() []string { return s.requests.All() }

// Unasked returns a call that its agent has not asked about, if there may be rules for it; ruled says that there are some beside those of
// the session. It is nil in a replay.
func (s *State) Unasked(id string, ruled bool) *transcript.Call {
	c := s.log.Call(id)
	if c == nil || c.Asked() || s.replay.log != nil || s.turn == nil || !ruled && len(s.ruled.own) == 0 && !s.ruled.lasting {
		return nil
	}
	return c.Clone()
}

// Decide answers a request as rules say, or leaves it to the user.
func (s *State) Decide(id string, version int, v rules.Verdict, judged []rules.Rule) {
	s.requests.Decide(id, version, v, judged, s.log)
	s.changed()
}

// Answer answers a request as the user has chosen.
func (s *State) Answer(a permission.Answer) permission.Result {
	got := s.requests.Answer(a, s.log)
	if got.Note != "" {
		s.briefing.notes = append(s.briefing.notes, got.Note)
	}
	if p := got.Accepted; p != nil {
		if s.writes.edits == nil {
			s.writes.edits = map[string]permission.Proposal{}
		}
		s.writes.edits[p.Path] = *p
	}
	s.changed()
	return got
}

// Inspect changes what is shown of a request.
func (s *State) Inspect(id, what string) {
	s.requests.Inspect(id, what)
	s.changed()
}

// LayOut notes how many cells a line of a request's text may have.
func (s *State) LayOut(id string, width int) {
	s.requests.LayOut(id, width)
	s.changed()
}

// Offer returns the text that a request would write, for the user to change.
func (s *State) Offer(id string) (d *acp.Diff, version int, option string) {
	return s.requests.Offer(id)
}

// Fill answers a form.
func (s *State) Fill(f permission.Filled) {
	s.requests.Fill(f, s.log)
	s.changed()
}

// Complete ends the wait for a page.
func (s *State) Complete(page string) {
	s.requests.Complete(page, s.log)
	s.changed()
}

// ShowRequests has what waits for the user drawn anew.
func (s *State) ShowRequests() {
	s.requests.ShowAgain()
	s.changed()
}

// Rules returns the rules of this session.
func (s *State) Rules() []rules.Rule { return slices.Clone(s.ruled.own) }

// SetRules changes the rules of this session; lasting says whether there may be others, kept for its folder.
func (s *State) SetRules(change func([]rules.Rule) []rules.Rule) { s.ruled.own = change(s.ruled.own) }

// SetLasting notes whether there may be rules that are kept for the folder.
func (s *State) SetLasting(on bool) { s.ruled.lasting = on }

// ShowForm shows the user a form. It returns nil in a turn that is being stopped.
func ShowForm(s *State, made permission.New) *permission.Ticket {
	t, _, ok := s.Request(nil, made)
	if !ok {
		return nil
	}
	s.Show(t)
	return t
}
