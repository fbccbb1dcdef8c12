package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// start connects the session to its agent: a new session, or the one it had. It waits for the agent.
func (s *Session) start() {
	s.mu.Lock()
	if s.agent != nil || s.closed {
		s.mu.Unlock()
		return
	}
	spec, remote := s.spec, s.remote
	s.state, s.fault = starting, ""
	s.status = true
	a := s.host.agent(spec, s.cwd)
	s.agent = a
	s.mu.Unlock()
	s.poke()
	kept, err := s.host.keptRules(s.cwd)
	s.change(func() { s.kept = len(kept) > 0 || err != nil })
	<-a.ready
	switch {
	case a.err != nil:
		s.failed(a, a.err)
	case !s.serves(a): // closed, or restarted, meanwhile
	case remote == "":
		s.create(a)
	default:
		s.reopen(a, remote)
	}
}

// create asks for a new session.
func (s *Session) create(a *agent) {
	a.opens()
	req := &acp.NewSessionRequest{Cwd: s.cwd, MCPServers: []acp.MCPServer{}}
	a.proc.StartNewSession(req, func(r *acp.NewSessionResponse, err error) {
		switch {
		case err != nil:
			a.opened("", nil)
			s.failed(a, fmt.Errorf("new session: %w", err))
			return
		case !s.serves(a): // closed meanwhile: nobody else would tell the agent
			a.opened("", nil)
			go a.closeSession(r.SessionID) // ends when the agent answers or ends
			return
		}
		s.mu.Lock()
		s.remote = r.SessionID
		s.options.init(r.Modes, r.Models, r.ConfigOptions)
		s.mu.Unlock()
		a.opened(r.SessionID, s)
		s.ready(a)
	})
}

// closeSession tells the agent that a session is over, where it wants to know. It waits for the answer.
func (a *agent) closeSession(id string) {
	if a.can().SessionCapabilities.Close != nil {
		_, _ = a.proc.CloseSession(context.Background(), &acp.CloseSessionRequest{SessionID: id}) // it is over anyway
	}
}

// opening is what an agent says of a session that it goes on with.
type opening struct {
	modes   *acp.SessionModeState
	models  *acp.SessionModelState
	options []acp.SessionConfigOption
}

// reopen goes on with a session of an earlier process: resumed where the agent can, else loaded, else begun anew.
func (s *Session) reopen(a *agent, remote string) {
	a.opens()
	a.mu.Lock()
	a.sessions[remote] = s // its id is known before the answer
	a.mu.Unlock()
	took := func(o opening, err error) { s.reopened(a, remote, o, err) }
	can := a.can()
	switch {
	case can.SessionCapabilities.Resume != nil:
		req := &acp.ResumeSessionRequest{SessionID: remote, Cwd: s.cwd}
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
		req := &acp.LoadSessionRequest{SessionID: remote, Cwd: s.cwd, MCPServers: []acp.MCPServer{}}
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

// reopened takes the answer: what was replayed replaces what was shown, but only if all went well. Where the agent cannot
// go on with a session it begins a new one, and says so; one that has ended meanwhile is told of elsewhere.
func (s *Session) reopened(a *agent, remote string, o opening, err error) {
	if err != nil {
		a.forget(remote)
		a.opened("", nil)
		s.change(func() {
			s.replay = nil
			if a.proc.Err() == nil {
				s.log.Say("the agent cannot go on with the earlier session, so it does not know what is above: "+err.Error(), "AcpWarning")
			}
		})
		if a.proc.Err() == nil && s.serves(a) {
			go s.create(a) // returns at once
		}
		return
	}
	a.opened(remote, s)
	s.change(func() {
		if s.replay != nil {
			s.log, s.replay, s.clear = s.replay, nil, true
			s.log.EndLoad()
		}
		s.options.init(o.modes, o.models, o.options)
	})
	s.ready(a)
}

// ready ends the start: the configured mode, model and options go out, then prompts that were typed meanwhile.
func (s *Session) ready(a *agent) {
	s.configure()
	s.change(func() {
		if s.agent != a {
			return
		}
		s.state = idle
		s.emit("AcpReady", nil)
	})
	s.next()
}

// failed shows why the session could not be started. The prompts that wait come back to the user; the next one tries again.
func (s *Session) failed(a *agent, err error) {
	s.change(func() {
		if s.agent != a {
			return
		}
		s.agent = nil
		s.state, s.fault = disconnected, err.Error()
		if acp.IsCode(err, acp.CodeAuthRequired) {
			s.state = login
			s.log.Fault("login needed: " + err.Error() + "\n" + a.loginHelp())
		} else {
			s.log.Fault(err.Error())
		}
		s.emit("AcpError", map[string]any{"message": err.Error()})
	})
	s.giveBack()
}

// loginHelp says how to log in.
func (a *agent) loginHelp() string {
	text := "log in with the agent's own program, then send again"
	if a.info == nil {
		return text // it refused before it told its methods
	}
	for _, m := range a.info.AuthMethods {
		text += "\n" + transcript.OneLine(m.Name)
		if m.Description != "" {
			text += ": " + transcript.OneLine(m.Description)
		}
	}
	return text
}
