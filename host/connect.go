package host

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// start connects the session to its agent, unless it has one or that is under way. It waits for the disk and for the agent.
func (s *Session) start() {
	s.mu.Lock()
	claimed := s.claim()
	s.mu.Unlock()
	if claimed {
		s.connect()
	}
}

// claim reports whether the caller is to connect the session: nobody else does then, until it has an agent or has failed.
// A verb claims at once, and not in the goroutine that connects: that may run when all is over. s.mu is held.
func (s *Session) claim() bool {
	if s.agent != nil || s.closed || s.claimed {
		return false
	}
	s.claimed = true
	return true
}

// connect is start for who has the claim: it begins a session, or goes on with the one there was.
func (s *Session) connect() {
	recalled := s.recall()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	if recalled != nil {
		s.mu.Unlock()
		s.failed(nil, recalled)
		return
	}
	s.sayLost()
	spec, remote, fork := s.spec(), s.remote, s.fork
	bare := remote == "" && fork == "" && s.log.Empty()
	s.state, s.fault = starting, ""
	s.status = true
	a := s.host.agent(spec, s.cwd)
	s.agent, s.claimed, s.hint = a, false, s.hintSilence(a)
	s.mu.Unlock()
	s.poke()
	kept, err := s.host.keptRules(s.cwd)
	s.change(func() { s.lasting = len(kept) > 0 || err != nil })
	if bare {
		go func() { // ends when the records are read
			before := s.host.lastHere(s.cwd)
			s.change(func() { s.last = before })
		}()
	}
	go func() { s.mentionSkills(s.skillsFor(a)) }() // ends when they are read
	<-a.ready
	switch {
	case a.err != nil:
		s.failed(a, a.err)
	case !s.serves(a): // closed, or restarted, meanwhile
	case remote != "":
		s.reopen(a, remote)
	case fork != "":
		s.copy(a, fork)
	default:
		s.create(a)
	}
}

// sayLost says that the host which had the session has ended. s.mu is held.
func (s *Session) sayLost() {
	if !s.lost {
		return
	}
	text := "the program nvim-acp ended here and was started again"
	if s.recorded {
		text += "; what is above is from the record"
	}
	s.log.Say(text, "AcpDone")
	s.lost, s.recorded = false, false // so that it is not said twice
}

// create asks for a new session.
func (s *Session) create(a *agent) {
	a.opens()
	req := &acp.NewSessionRequest{Cwd: s.cwd, AdditionalDirectories: s.furtherFor(a), MCPServers: s.serversFor(a)}
	a.proc.StartNewSession(req, func(r *acp.NewSessionResponse, err error) {
		if err != nil {
			s.began(a, "", opening{}, fmt.Errorf("new session: %w", err))
			return
		}
		s.began(a, r.SessionID, opening{r.Modes, r.Models, r.ConfigOptions}, nil)
	})
}

// copy asks for a session that begins as another one was.
func (s *Session) copy(a *agent, fork string) {
	if a.can().SessionCapabilities.Fork == nil {
		s.failed(a, fmt.Errorf("%s cannot fork sessions", s.spec().Title))
		return
	}
	a.opens()
	req := &acp.ForkSessionRequest{
		SessionID: fork, Cwd: s.cwd, AdditionalDirectories: s.furtherFor(a), MCPServers: s.serversFor(a),
	}
	a.proc.StartForkSession(req, func(r *acp.ForkSessionResponse, err error) {
		if err != nil {
			s.began(a, "", opening{}, fmt.Errorf("fork the session: %w", err))
			return
		}
		s.began(a, r.SessionID, opening{r.Modes, r.Models, r.ConfigOptions}, nil)
	})
}

// began takes the answer of the agent, on the read goroutine: the session has an id, or there is none.
func (s *Session) began(a *agent, id string, o opening, err error) {
	if err != nil {
		a.opened("", nil)
		s.failed(a, err)
		return
	}
	s.mu.Lock()
	served := !s.closed && s.agent == a
	if served {
		s.remote, s.told = id, ""
		s.options.init(o.modes, o.models, o.options)
	}
	s.mu.Unlock()
	if !served { // closed meanwhile: nobody else would tell the agent
		a.opened("", nil)
		go a.closeSession(id) // ends when the agent answers or ends
		return
	}
	a.opened(id, s)
	s.ready(a)
}

// furtherFor are the further folders, if the agent takes such; else the user is told.
func (s *Session) furtherFor(a *agent) []string {
	if len(s.dirs) == 0 || a.can().SessionCapabilities.AdditionalDirectories != nil {
		return s.dirs
	}
	s.change(func() {
		s.log.Say(s.spec().Title+" takes no further folders, so it is not told of "+strings.Join(s.dirs, ", "), "AcpWarning")
	})
	return nil
}

// closeSession tells the agent that a session is over, where it wants to know. It waits for the answer.
func (a *agent) closeSession(id string) { a.closeWithin(context.Background(), id) }

func (a *agent) closeWithin(ctx context.Context, id string) {
	if a.can().SessionCapabilities.Close != nil {
		_, _ = a.proc.CloseSession(ctx, &acp.CloseSessionRequest{SessionID: id}) // it is over anyway
	}
}

// opening is what an agent says of a session that it goes on with.
type opening struct {
	modes   *acp.SessionModeState
	models  *acp.SessionModelState
	options []acp.SessionConfigOption
}

// reopen goes on with a session of an earlier process: resumed where the agent can, else loaded, else begun anew. Where
// nothing is shown yet it is rather loaded.
func (s *Session) reopen(a *agent, remote string) {
	a.awaitClose(remote)
	if !s.serves(a) {
		return // closed, or restarted, meanwhile
	}
	a.opens()
	a.mu.Lock()
	a.sessions[remote] = s // its id is known before the answer
	a.mu.Unlock()
	took := func(o opening, err error) { s.reopened(a, remote, o, err) }
	can := a.can()
	s.mu.Lock()
	bare := s.log.Empty()
	s.mu.Unlock()
	switch {
	case can.SessionCapabilities.Resume != nil && !(bare && can.LoadSession):
		req := &acp.ResumeSessionRequest{
			SessionID: remote, Cwd: s.cwd, AdditionalDirectories: s.furtherFor(a), MCPServers: s.serversFor(a),
		}
		a.proc.StartResumeSession(req, func(r *acp.ResumeSessionResponse, err error) {
			if err != nil {
				r = &acp.ResumeSessionResponse{}
			}
			took(opening{r.Modes, r.Models, r.ConfigOptions}, err)
		})
	case can.LoadSession:
		s.change(func() {
			s.state = loading
			s.replay = s.newLog()
			s.replay.BeginLoad()
		})
		req := &acp.LoadSessionRequest{
			SessionID: remote, Cwd: s.cwd, AdditionalDirectories: s.furtherFor(a), MCPServers: s.serversFor(a),
		}
		a.proc.StartLoadSession(req, func(r *acp.LoadSessionResponse, err error) {
			if err != nil {
				r = &acp.LoadSessionResponse{}
			}
			took(opening{r.Modes, r.Models, r.ConfigOptions}, err)
		})
	default:
		took(opening{}, errors.New("it can neither resume nor load sessions"))
	}
}

// awaitClose waits until the agent has taken in that a session is over, but not for long.
func (a *agent) awaitClose(id string) {
	a.mu.Lock()
	done := a.closing[id]
	a.mu.Unlock()
	if done == nil {
		return
	}
	select {
	case <-done:
	case <-time.After(5 * time.Second):
	}
}

// reopened takes the answer: what was replayed is shown, or adds to what was shown, but only if all went well. Where the agent cannot
// go on with a session it begins a new one, and says so, unless the user has chosen this session or it has ended meanwhile.
func (s *Session) reopened(a *agent, remote string, o opening, err error) {
	if err != nil {
		a.forget(remote, s)
		a.opened("", nil)
		s.notReopened(a, err)
		return
	}
	if !s.serves(a) { // closed or restarted meanwhile
		a.forget(remote, s)
		a.opened("", nil)
		return
	}
	a.opened(remote, s)
	s.change(func() {
		switch {
		case s.replay == nil:
		case !s.replay.Empty() && !s.log.HasPrompts():
			s.replaced(s.replay)
			s.log.EndLoad()
		case s.replay.HasPrompts():
			s.log.Add(s.replay)
		default: // nothing was replayed, or not yet: what is shown stays
			s.late = time.Now().Add(lateTime)
		}
		if s.recorded {
			s.log.Mark("what is above is from the record kept here", "AcpDone")
		}
		s.replay, s.recorded, s.strict = nil, false, false
		s.options.init(o.modes, o.models, o.options)
	})
	s.ready(a)
}

func (s *Session) notReopened(a *agent, err error) {
	s.mu.Lock()
	if s.agent != a { // what replays now is another's
		s.mu.Unlock()
		return
	}
	s.replay = nil
	strict, there := s.strict, a.proc.Err() == nil
	s.mu.Unlock()
	switch {
	case !there: // and nobody else tells the session, which is forgotten by it
		s.failed(a, fmt.Errorf("%s has ended: %w", s.spec().Title, err))
	case strict:
		s.failed(a, fmt.Errorf("%s cannot go on with this session: %w", s.spec().Title, err))
	case s.serves(a):
		s.change(func() {
			s.log.Say("the agent cannot go on with the earlier session, so it does not know what is above: "+err.Error(), "AcpWarning")
		})
		go s.create(a) // returns at once
	}
}

// replaced shows another transcript in place of the one that is shown and recorded. s.mu is held.
func (s *Session) replaced(log *transcript.Transcript) {
	s.log, s.clear, s.anew, s.recorded = log, true, true, false
}

// lateTime is how long after the answer to session/load a replay may begin that the answer should have followed.
const lateTime = 10 * time.Second

// lateQuiet is how long such a replay is silent when it is over.
const lateQuiet = time.Second

// lateReplay takes a replay that comes after the answer to session/load. Where nothing is shown of the session it is shown as it
// comes; else what it adds is shown when it is over. s.mu is held.
func (s *Session) lateReplay(u acp.SessionUpdate) {
	if s.replay != nil && s.lateEnd != nil {
		s.lateEnd.Reset(lateQuiet)
	}
	if s.late.IsZero() {
		return
	}
	switch u.(type) {
	case *acp.UserMessageChunk:
		switch {
		case time.Now().After(s.late) || s.turn != nil:
		case s.log.HasPrompts():
			s.replay = s.newLog()
			s.replay.BeginLoad()
			s.lateEnd = time.AfterFunc(lateQuiet, func() { s.change(s.endLate) })
		default:
			s.replaced(s.newLog())
		}
	case *acp.AgentMessageChunk, *acp.AgentThoughtChunk, *acp.ToolCall, *acp.ToolCallUpdate: // no replay begins so
	default:
		return
	}
	s.late = time.Time{}
}

// endLate ends a replay that came late. s.mu is held.
func (s *Session) endLate() {
	if s.lateEnd == nil {
		return
	}
	s.lateEnd.Stop()
	if s.replay != nil {
		s.log.Add(s.replay)
	}
	s.replay, s.lateEnd = nil, nil
}

// ready ends the start: the configured mode, model and options go out, then prompts that were typed meanwhile.
func (s *Session) ready(a *agent) {
	s.configure(a)
	refused := s.refused()
	s.change(func() {
		if s.agent != a {
			return
		}
		s.sayUnserved(refused)
		s.loginTried, s.logins = false, a.loginIDs(s.cwd)
		s.hint.Stop()
		s.state = idle
		s.used = time.Now()
		s.emit("AcpReady", nil)
	})
	s.next()
}

// failed shows why the session could not be started. The prompts that wait come back to the user, unless a login is all that
// they need; the next one tries again.
func (s *Session) failed(a *agent, err error) {
	if s.host.leaving() {
		return
	}
	var back []prompt
	text, tail := err.Error(), ""
	if a != nil && a.err == nil && a.proc.Err() == nil { // else it is in the error
		tail = a.tail()
	}
	s.change(func() {
		if s.agent != a || s.closed {
			return
		}
		s.agent, s.claimed = nil, false
		kept := false // the prompts wait for a login
		if acp.IsCode(err, acp.CodeAuthRequired) {
			s.needLogin(a, err)
			kept = a.info != nil && len(a.methods(s.cwd)) > 0
		} else {
			s.state, s.fault = disconnected, text
			s.log.Fault(text + tail)
		}
		s.emit("AcpError", map[string]any{"message": text})
		if !kept {
			back, s.queue = s.queue, nil
		}
	})
	s.giveBack(back...)
}
