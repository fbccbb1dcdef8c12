package host

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/attaching"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// do takes a step: it hands the session's state to a function, and when the state is released it runs what the step asks of
// others, in order. The function must not block, nor call a method of the session.
func (s *Session) do(step func(*session.State)) {
	e := s.guard.do(step)

	for _, d := range e.Decisions {
		d.Deliver()
	}

	s.setTimers(e)
	if e.Left != nil {
		s.host.tools.Left(featured{s}, e.Left)
	}
	if e.Ended != nil {
		s.host.history.End(featured{s}, e.Ended) // before anybody sees it: who then asks for the turns waits for this one
	}
	switch e.Draw {
	case session.Now:
		s.host.render.Hurry(featured{s})
		s.kept.Changed()
	case session.Soon:
		s.host.render.Poke(featured{s})
		s.kept.Changed()
	}
	if e.Decided {
		s.kept.Decided()
	}

	switch {
	case e.Place && e.Ended != nil:
		s.host.places.Hurry(featured{s})
	case e.Place:
		s.host.places.Changed(featured{s})
	}

	if e.StopPlace {
		s.spawn(func() { s.cancelTurn() }) // ends when the agent has been told
	}

	s.giveBack(e.GiveBack)
	if e.Begin != nil {
		s.spawn(func() { s.send(e.Begin) }) // ends when the prompt is on its way
	}
}

// spawn calls a function in a goroutine of the session's. A panic in it fails the session, and no other.
func (s *Session) spawn(do func()) { caught.GoOr(do, s.crashed) }

// after calls a function after a while, as spawn does.
func (s *Session) after(wait time.Duration, do func()) *time.Timer {
	return caught.After(wait, func() { s.within("host.(*Session).after", do) })
}

// within calls a function of which a panic fails the session. place names it.
func (s *Session) within(place string, do func()) {
	if err := caught.Do(place, do); err != nil {
		s.crashed(err)
	}
}

// onAnswer is a function for the answer of the agent, of which a panic fails the session.
func onAnswer[R any](s *Session, do func(R, error)) func(R, error) {
	return func(r R, err error) {
		s.within("host.onAnswer", func() { do(r, err) })
	}
}

// crashed ends what goes on in a session in which the program itself has failed. The others go on, and its next prompt starts it again.
// It may be called from any goroutine, and does not wait.
func (s *Session) crashed(fault *caught.Error) {
	h := s.host
	h.logFault(fault)
	if err := caught.Do("host.(*Session).crashed", func() { s.giveUp(fault) }); err != nil {
		h.logFault(err)
	}
	title := ""
	_ = caught.Do("host.(*Session).title", func() { title = ask(s, func(st *session.State) string { return st.Titles().Title() }) })
	h.say("error", fmt.Sprintf("%s: the session %q is stopped, the others go on; its next prompt starts it again", fault, title))
}

// giveUp lets go of the agent, as if it had ended: prompts come back, and what it is at work on is stopped.
func (s *Session) giveUp(fault error) {
	a, remote := s.connection()
	if a == nil {
		s.do(func(st *session.State) { st.Failed(nil, fault, "", nil) })
		return
	}

	s.Lost(a, fault)
	a.Forget(remote, s)
	select {
	case <-a.Ready:
		if remote != "" && a.Err == nil {
			a.Proc.Cancel(&acp.CancelNotification{SessionID: remote})
		}
	default: // it has not been asked for anything
	}
}

// setTimers stops and restarts the session's timers as a step asks for.
func (s *Session) setTimers(e session.Effects) {
	if !e.StopHint && !e.Stop && !e.Restart {
		return
	}

	t := &s.timers
	t.mu.Lock()
	defer t.mu.Unlock()

	if e.StopHint && t.hint != nil {
		t.hint.Stop()
	}
	if t.late != nil && (e.Stop || e.Restart) {
		t.late.Stop()
		t.late = nil
	}
	if e.Restart {
		t.late = s.after(session.LateQuiet, func() {
			s.do(func(st *session.State) {
				if st.Turn() == nil { // in a turn, what comes next may still be of the replay
					st.Replay().EndLate()
				}
			})
		})
	}
}

// ask is do for a step that returns something.
func ask[R any](s *Session, step func(*session.State) R) (result R) {
	s.do(func(st *session.State) { result = step(st) })
	return result
}

// connection is the agent that serves the session, nil if none does, and its id of the session.
func (s *Session) connection() (a *agents.Agent, remote string) {
	s.do(func(st *session.State) { a, remote = st.Link().Agent(), st.Link().Remote() })
	return a, remote
}

// giveBack puts prompts that are not sent back into the prompt buffer, with what was attached to them.
func (s *Session) giveBack(list []session.Prompt) {
	if len(list) == 0 {
		return
	}
	var back []attaching.Unsent
	for _, p := range list {
		back = append(back, attaching.Unsent{ID: cmp.Or(p.ID, uuid.NewString()), Text: p.Text, Context: p.Context})
	}
	at := attaching.Home{Cwd: s.cwd, Name: s.spec().Title}
	s.spawn(func() { s.host.life.GiveBack(s.id, back, at) }) // ends when Neovim answers or goes away
}

// await waits for the answer to a request, or for whoever asked to give up.
func (s *Session) await(ctx context.Context, t *permission.Ticket) (permission.Outcome, error) {
	got, err := t.Wait(ctx)
	if err == nil {
		return got, nil
	}
	s.do(func(st *session.State) { st.Requests().GiveUp(t) })
	if got, ok := t.Answered(); ok { // at the same moment
		return got, nil
	}
	return permission.Outcome{}, err
}
