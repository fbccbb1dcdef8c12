package session

import (
	"context"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/bounds"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/unsaved"
)

// Prompt queues what the user sends. It reports whether the caller is to start the session, which nobody else does then.
func (s *State) Prompt(p Prompt) (start bool) {
	if s.link.Closed() {
		s.queue.GiveBack(p)
		return false
	}

	if p.Unseen && p.Edit == nil { // it was meant for that mode
		p.Held = true
		s.screen.Say(heldForMode, "AcpWarning")
	}
	s.queue.add(p)
	s.place.await(p.Edit)
	early := p.Early || p.Edit != nil && !p.Edit.Again                // for which the session was begun
	if s.phase() == Login && early && len(s.link.login.methods) > 0 { // it is sent after the login
		s.screen.Refresh()
		return false
	}

	start = s.link.Claim()
	s.link.needLogin(false) // the user may have logged in elsewhere
	s.Next()
	return start
}

// Next begins the next turn, if there is one to begin.
func (s *State) Next() {
	s.screen.Refresh()
	if s.turns.now != nil || !s.link.takesPrompts() || s.options.AwaitsMode() {
		return
	}

	p, ok := s.queue.next()
	if !ok {
		return
	}

	s.replay.begin()
	now := time.Now()
	t := &Turn{Prompt: p, Connection: s.link.Agent(), Remote: s.link.remote, began: now, steers: s.link.can().Steer}
	t.Making, t.stop = context.WithCancel(context.Background())
	s.turns.now, s.turns.outcome, s.link.fault, s.link.used = t, "", "", now
	s.offers.suggestion = ""
	s.titles.begin(p.Text)
	s.spending.begin(!s.screen.log.Blocks().HasPrompts())
	s.checks.begin(t)
	t.Key = s.screen.log.Prompt(p.Text, p.names())
	s.queue.began(t.Key, p)
	s.options.sayAutonomy()
	s.screen.decided()
	s.screen.emit("AcpTurnStart", nil)
	s.place.begin(p.Edit)
	s.begun = t
}

// Send notes that the content of a turn is about to be sent, with what is said of skills and of unsaved text.
func (s *State) Send(t *Turn, skills Skills, text unsaved.Message) Prompted {
	switch {
	case s.turns.now != t:
		return Prompted{Lost: true}
	case t.cancelled:
		return Prompted{Stopped: true}
	}
	t.sent = true
	return s.briefing.send(t.Key, skills, text)
}

// Ended is what came of the end of a turn.
type Ended struct {
	Lost     bool // it had ended with its agent before
	TryLogin bool // the configured login is to be tried
}

// EndTurn ends a turn in wire order: everything the agent said of it was applied before. An error that wants a login, which is
// then not nil, keeps the prompt for after that.
//
// Unserved are sentences on MCP servers that the agent does not have, each said once.
func (s *State) EndTurn(t *Turn, reason acp.StopReason, err error, login *LoginNeeded, unserved []string) Ended {
	t.stop()
	if s.turns.now != t {
		return Ended{Lost: true}
	}

	s.replay.endTurn()
	s.screen.Refresh()
	s.writes.extend()
	s.turns.now, s.writes.edits, s.link.used, s.ended = nil, nil, time.Now(), t
	s.checks.looking = err == nil
	s.briefing.settle(err == nil && reason != acp.StopRefusal) // a refused prompt is not part of the conversation
	if t.cancelled && err != nil {
		reason, err = acp.StopCancelled, nil // an error after a stop is the stop
	}

	s.requests.withdraw(t)
	s.servers.say(unserved)
	s.tools.show(len(s.tools.uses))
	s.family.tree.Settle(s.screen.log)

	var end Ended
	toLogin := err != nil && login != nil && s.link.Agent() != nil
	kept := toLogin && (t.Prompt.Edit == nil || len(login.Methods) > 0) // until the user has logged in
	if kept {
		s.place.await(t.Prompt.Edit)
	} else {
		s.place.end(t, reason, err, login)
	}

	switch {
	case err == nil:
		s.screen.log.EndTurn(reason, s.spending.cost(), Tokens(t.Tokens))
	case toLogin:
		s.screen.log.PauseTurn()
		s.screen.needLogin(err, login.How)
		end.TryLogin = s.link.wantLogin(err, *login)
		if kept {
			s.queue.insert(t.Prompt)
		}
	default:
		s.link.fault = err.Error()
		s.screen.log.FailTurn(err)
		s.queue.Hold()
	}

	if err != nil {
		s.screen.emit("AcpError", map[string]any{"message": bounds.Cut(err.Error(), bounds.Message)})
	}
	announceEnd(s, t, reason, err, toLogin)
	s.Next()
	return end
}

// announceEnd has the end of a turn told. login reports whether err wants one.
func announceEnd(s *State, t *Turn, reason acp.StopReason, err error, login bool) {
	s.turns.outcome = ""
	if how := t.outcome(reason, err, login); how != "" {
		s.turns.outcome = s.agent.Title + " " + how
		if title := s.titles.Title(); title != "" {
			s.turns.outcome += ": " + title
		}
	}
	if err != nil {
		reason = "error"
	}
	s.screen.emit("AcpTurnEnd", map[string]any{"stop_reason": plain.OneLine(string(reason)), "message": s.turns.outcome})
}

// Outcome says how the latest turn ended, to a user who does not see the chat; "" if one runs, or if they have ended it.
func Outcome(s *State) string { return s.turns.outcome }

// Cancel stops the running turn, and returns it with the requests that are answered by that. It returns nil if no turn runs, or
// it is being stopped already. Without a turn what the agent asks all the same is answered as withdrawn.
func (s *State) Cancel() (*Turn, []*permission.Ticket) {
	t := s.turns.now
	switch {
	case t == nil && s.phase() == Idle:
		s.requests.withdraw(nil)
		s.screen.Refresh()
		return nil, nil
	case t == nil || t.cancelled:
		return nil, nil
	}
	t.cancelled = true
	t.stop()
	s.writes.drop()
	answered := s.requests.withdraw(t)
	s.screen.log.Calls().CancelCalls()
	s.screen.Refresh()
	return t, answered
}

// QueueAction is what is left to do about a prompt of the queue.
type QueueAction struct {
	Prompt Prompt
	Steer  bool // it is to be sent into the turn that runs
	Cancel bool // the turn that runs is to be stopped, and its end sends the prompt
}

// Requeue does to a waiting prompt what the user wants: "now" sends it at once, "steer" into the turn that runs, "edit" gives it
// back, "remove" removes it, "up" moves it towards the front. It has moved if it is not at that index, from 1; nothing is done
// if it is not there any more.
func (s *State) Requeue(action string, index int, text string) QueueAction {
	i := s.queue.find(index-1, text)
	if i < 0 {
		return QueueAction{}
	}

	s.screen.Refresh()
	p := s.queue.remove(i)
	switch action {
	case "now":
		p.Held = false
		s.queue.insert(p)
		s.options.goOn()
		s.OpenGate(nil)
		s.Next()
		return QueueAction{Cancel: s.turns.now != nil && s.begun == nil}
	case "up":
		s.queue.list = slices.Insert(s.queue.list, max(i-1, 0), p)
	case "steer":
		s.queue.steer(p)
		return QueueAction{Prompt: p, Steer: true}
	case "edit":
		s.queue.GiveBack(p)
	}

	return QueueAction{}
}

// Reorder makes the queue what the user wants of the prompts shown, in that order. All come back if the session is closed, and those that
// nobody would send if its agent is gone.
func (s *State) Reorder(shown []string, want []Wanted) {
	if s.link.Closed() {
		for _, w := range want {
			s.queue.GiveBack(Prompt{Text: w.Text, Context: w.Context})
		}
		return
	}
	s.queue.reorder(shown, want)
	if s.phase() == Disconnected {
		s.queue.giveBackWaiting()
	}
	s.Next()
}

// Steered shows a prompt that the agent has taken into the running turn, with notes for the user.
func Steered(s *State, p Prompt, notes []string) {
	s.queue.arrived(p)
	s.screen.log.Steer(p.Text, p.names())
	s.screen.Notes(notes)
}

// RequeueSteered puts prompts back to the front of the queue. They wait for the user if an error kept them from the agent, or if the
// user has stopped the turn meanwhile; those for an agent that is gone come back to the user, unless they have as the session was closed.
func (s *State) RequeueSteered(list []Prompt, t *Turn, err error) {
	list = slices.DeleteFunc(slices.Clone(list), func(p Prompt) bool { return !s.queue.arrived(p) })
	if s.link.Closed() || s.phase() == Disconnected || t != nil && s.link.Agent() == nil {
		s.queue.GiveBack(list...)
		return
	}

	held := err != nil || t != nil && t.cancelled
	for _, p := range slices.Backward(list) {
		p.Held = held
		s.queue.insert(p)
	}
	if err != nil {
		s.screen.note("not sent into the turn: "+err.Error(), "AcpWarning")
	}
	s.Next()
}

// OpenGate lets further turns begin, and takes the question back if it is not answered. A gate that is open already stays so; nil
// is any.
func (s *State) OpenGate(g *Gate) {
	if s.queue.openGate(g) {
		s.Next()
	}
}
