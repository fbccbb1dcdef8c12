package host

import (
	"context"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// prompt queues what the user sends; it goes out at once when no turn runs.
func (s *Session) prompt(a promptArgs) {
	s.mu.Lock()
	s.queue = append(s.queue, prompt{text: a.Text, context: a.Context})
	dead, claimed := s.agent == nil, s.claim()
	if s.state == login && !dead { // the user may have logged in elsewhere
		s.state = idle
	}
	s.mu.Unlock()
	switch {
	case claimed:
		go s.connect() // ends when the session is ready or has failed
	case !dead:
		s.next()
	}
}

// next begins the next turn, if there is one to begin.
func (s *Session) next() {
	s.mu.Lock()
	defer s.hurry()
	defer s.mu.Unlock()
	s.status = true
	i := slices.IndexFunc(s.queue, func(p prompt) bool { return !p.held })
	if s.turn != nil || s.state != idle || i < 0 {
		return
	}
	s.endLate()
	p := s.queue[i]
	s.queue = slices.Delete(s.queue, i, i+1)
	t := &turn{prompt: p}
	t.making, t.stop = context.WithCancel(context.Background())
	s.turn, s.state, s.fault, s.late, s.used = t, busy, "", time.Time{}, time.Now()
	s.begins(p.text)
	s.log.Prompt(p.text, names(p.context))
	s.emit("AcpTurnStart", nil)
	go s.send(s.agent, s.remote, t, p) // ends when the prompt is on its way
}

func names(list []attachment) []string {
	var out []string
	for _, a := range list {
		if a.Mentioned {
			continue // the words name it already
		}
		out = append(out, transcript.OneLine(a.Name))
	}
	return out
}

// send makes the prompt's content and sends it, unless it was stopped before.
func (s *Session) send(a *agent, remote string, t *turn, p prompt) {
	blocks, notes, err := s.content(t.making, p, a.info.AgentCapabilities.PromptCapabilities)
	if err != nil && t.making.Err() == nil {
		if s.endTurn(t, "", err) { // else its agent is gone, and the prompt has been given back
			s.giveBack(p)
		}
		return
	}
	s.change(func() { s.sayAll(notes) })
	skills := s.skillsFor(a)
	s.mentionSkills(skills)
	s.openWindow()
	s.wire.Lock()
	defer s.wire.Unlock()
	can := a.can().PromptCapabilities
	s.mu.Lock()
	stopped, lost := t.cancelled, s.turn != t
	t.sent = !stopped && !lost
	if t.sent {
		blocks = append(append(blocks, s.takeNotes(t)...), s.tell(t, skills, can)...)
	}
	s.mu.Unlock()
	switch {
	case lost: // with its agent, and the prompt is given back
		return
	case stopped:
		s.endTurn(t, acp.StopCancelled, nil)
		return
	}
	a.proc.Prompt(&acp.PromptRequest{SessionID: remote, Prompt: blocks}, func(r *acp.PromptResponse, err error) {
		switch {
		case err == nil:
			s.endTurn(t, r.StopReason, nil)
		case a.proc.Err() == nil: // else the agent is gone, and disconnected ends the turn
			s.endTurn(t, "", err)
		}
	})
}

// endTurn ends a turn in wire order: everything the agent said of it has been taken in. It reports false if the turn has
// ended with its agent.
func (s *Session) endTurn(t *turn, reason acp.StopReason, err error) (ended bool) {
	if err != nil && s.host.leaving() {
		return false
	}
	t.stop()
	wanted := false // a login
	refused := s.refused()
	s.change(func() {
		if s.turn != t {
			return // its agent is gone
		}
		ended = true
		s.sayUnserved(refused)
		s.mergeOn()
		s.turn, s.edits, s.used = nil, nil, time.Now()
		if t.cancelled && err != nil {
			reason, err = acp.StopCancelled, nil // an error after a stop is the stop
		}
		s.dropAsks(t)
		if err != nil {
			s.untell(t)
			wanted = acp.IsCode(err, acp.CodeAuthRequired) && s.agent != nil
			if wanted {
				s.log.PauseTurn()
				s.needLogin(s.agent, err)
				s.queue = slices.Insert(s.queue, 0, t.prompt) // to be sent when that has been done
			} else {
				s.state, s.fault = idle, err.Error()
				s.log.FailTurn(err)
			}
			s.emit("AcpError", map[string]any{"message": err.Error()})
			reason = "error"
		} else {
			s.state = idle
			s.log.EndTurn(reason)
		}
		if err != nil && !wanted {
			s.hold()
		}
		s.emit("AcpTurnEnd", map[string]any{"stop_reason": transcript.OneLine(string(reason))})
	})
	s.host.disk.poke()
	s.next()
	return ended
}

// hold keeps the prompts that wait from being sent until the user says so. s.mu is held.
func (s *Session) hold() {
	for i := range s.queue {
		s.queue[i].held = true
	}
}

// cancel is the user's stop: the running turn, and what waits behind it. What it returns is closed when the agent is told.
func (s *Session) cancel() <-chan struct{} {
	s.mu.Lock()
	s.hold()
	s.mu.Unlock()
	return s.cancelTurn()
}

// cancelTurn stops the running turn: what waits for the user is answered first, then the agent is told.
func (s *Session) cancelTurn() <-chan struct{} {
	told := make(chan struct{})
	s.mu.Lock()
	t, a, remote := s.turn, s.agent, s.remote
	if t == nil || t.cancelled {
		s.mu.Unlock()
		close(told)
		return told
	}
	t.cancelled = true
	t.stop()
	s.state = cancelling
	answered := s.dropAsks(t)
	s.log.CancelCalls()
	s.status = true
	s.mu.Unlock()
	s.hurry()
	go func() { // ends when the agent has been told
		defer close(told)
		ctx, stop := context.WithTimeout(context.Background(), time.Second)
		defer stop()
		for _, sent := range answered {
			select {
			case <-sent:
			case <-ctx.Done():
			}
		}
		s.wire.Lock()
		defer s.wire.Unlock()
		s.mu.Lock()
		running := s.turn == t && t.sent
		s.mu.Unlock()
		if running {
			a.proc.Cancel(&acp.CancelNotification{SessionID: remote})
		}
	}()
	return told
}

// update takes in an update, on the read goroutine.
func (s *Session) update(u acp.SessionUpdate) {
	s.mu.Lock()
	s.used = time.Now()
	u = s.modeUpdate(u)
	s.lateReplay(u)
	shown := s.story().Apply(u)
	if !shown {
		s.learn(u)
	}
	if _, ok := u.(*acp.Plan); ok || !shown || s.log.Moved() {
		s.status = true // the plan is in it, and the place
	}
	s.terminalMeta(u)
	s.mergeOn()
	if s.replay == nil {
		s.updates[kindOf(u)] = true
	}
	s.mu.Unlock()
	s.poke()
	switch u := u.(type) {
	case *acp.ToolCall:
		s.host.disk.poke()
		s.readPast(u.ToolCallID)
	case *acp.ToolCallUpdate:
		s.host.disk.poke()
		s.readPast(u.ToolCallID)
	}
}
