package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// loginTimeout is how long an agent may take to log in: the user may have to find a password.
const loginTimeout = 10 * time.Minute

// login logs in by the method of that id; without one by the configured one, or the user is asked. It waits for the agent.
func (s *Session) login(id string, given key) {
	a := s.host.agents.Get(s.spec(), s.cwd)
	<-a.Ready
	if a.Err != nil {
		s.do(func(st *session.State) { st.Fault(a.Err.Error()) })
		return
	}
	methods := a.LoginMethods(s.cwd)
	if id == "" {
		id = s.spec().AuthMethod
	}
	i := slices.IndexFunc(methods, func(m agents.Method) bool { return m.ID == id })
	switch {
	case len(methods) == 0:
		s.host.say("info", s.spec().Title+" offers no way to log in from here"+s.spec().LoginHint())
	case i < 0 && id != "" && id != s.spec().AuthMethod:
		s.host.say("warn", fmt.Sprintf("%s has no login method %q", s.spec().Title, plain.OneLine(id)))
	case i >= 0 && (methods[i].Kind == agents.ByAgent || methods[i].Kind == agents.ByKey && given.asked):
		s.authenticate(a, methods[i], given.text)
	default:
		if i >= 0 {
			methods = methods[i : i+1]
		}
		if err := a.PlaceLogins(methods, s.cwd); err != nil {
			s.host.say("error", "login: "+err.Error())
			return
		}
		_ = s.host.ed.ExecLua(luaLogin, nil, s.id, methods, i >= 0)
	}
}

// key is what the user gives to a login method that takes one. It goes to the agent and nowhere else.
type key struct {
	asked bool   // the user was asked for it
	text  string // "": the agent is to find one, in its environment
}

// authenticate has the agent log in, with a key or without. It waits for it.
func (s *Session) authenticate(a *agents.Agent, m agents.Method, key string) {
	s.do(func(st *session.State) { st.Say("logging in: "+m.Name, "AcpDone") })
	ctx, stop := context.WithTimeout(context.Background(), loginTimeout)
	defer stop()
	r := &acp.AuthenticateRequest{MethodID: m.ID}
	if key != "" {
		r.Meta = s.spec().KeyMeta(key)
		s.host.keys.Add(key)
	}
	_, err := a.Proc.Authenticate(ctx, r)
	if key != "" {
		_ = s.host.ed.ExecLua(luaKey, nil, s.id, m.ID, err == nil)
	}
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("no answer within %v", loginTimeout)
		}
		text := s.host.keys.Hide(err.Error()) // some repeat it
		s.do(func(st *session.State) { st.Fault("login: " + text) })
		return
	}
	s.host.loggedIn(a.Key)
}

// loginEnded takes the end of a login in a terminal. It waits for the agent to be started again.
func (s *Session) loginEnded(status int) {
	if status != 0 {
		text := fmt.Sprintf("the login ended with status %d, so nobody is logged in; :AcpLogin tries again", status)
		s.do(func(st *session.State) { st.Say(text, "AcpWarning") })
		return
	}
	h, key := s.host, s.spec().Key(s.cwd)
	a := h.agents.Find(s.spec(), s.cwd)
	if a != nil && !h.atWork(a) { // else the others' turns would be cut off
		a.Relogin.Store(true)
		a.Stop()
	}
	h.loggedIn(key)
}

// atWork reports that a turn of the agent's runs.
func (h *Host) atWork(a *agents.Agent) bool {
	for _, s := range h.all() {
		if ask(s, func(st *session.State) bool { return st.Serves(a) && st.InTurn() }) {
			return true
		}
	}
	return false
}

// loggedIn tries again what an agent, named by its key, refused before: the sessions that wait for the login begin, and their prompts go out.
func (h *Host) loggedIn(key string) {
	for _, s := range h.all() {
		if s.spec().Key(s.cwd) == key && ask(s, (*session.State).LoggedIn) {
			s.spawn(s.start) // ends when the session is ready or has failed
		}
	}
}

// loginNeeded returns how to log in, if that is what an error of the agent's asks for; else nil.
func (s *Session) loginNeeded(a *agents.Agent, err error) *session.LoginNeeded {
	if a == nil || !acp.IsCode(err, acp.CodeAuthRequired) {
		return nil
	}
	spec, need := s.spec(), &session.LoginNeeded{}
	var names []string
	for _, m := range a.LoginMethods(s.cwd) {
		text := m.Name
		if m.Kind == agents.ByUser && m.Description != "" {
			text += " (" + m.Description + ")"
		}
		names = append(names, text)
		need.Methods = append(need.Methods, m.ID)
		need.Automatic = need.Automatic || automatic(spec, m)
	}
	need.How = ":AcpLogin logs in, and your prompt is sent then: " + strings.Join(names, ", ")
	if len(names) == 0 {
		need.How = "log in with the agent's own program, then send again" + spec.LoginHint()
	}
	return need
}

// automatic reports whether a method is the configured one and needs nothing of the user.
func automatic(spec agents.Spec, m agents.Method) bool {
	byItself := m.Kind == agents.ByAgent || m.Kind == agents.ByKey && !slices.Contains(spec.Kept, m.ID)
	return m.ID == spec.AuthMethod && byItself
}

// tryLogin logs in by the configured method, which needs nothing of the user.
func (s *Session) tryLogin(a *agents.Agent) {
	for _, m := range a.LoginMethods(s.cwd) {
		if automatic(s.spec(), m) {
			s.spawn(func() { s.authenticate(a, m, "") }) // ends when the agent answers or has taken too long
			return
		}
	}
}

// logout has the agent forget who is logged in. It waits for it.
func (s *Session) logout() {
	a := s.host.agents.Get(s.spec(), s.cwd)
	<-a.Ready
	switch {
	case a.Err != nil:
		s.do(func(st *session.State) { st.Fault(a.Err.Error()) })
		return
	case a.Can().Auth.Logout == nil:
		s.host.say("info", s.spec().Title+" cannot log out from here")
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), listTimeout)
	defer stop()
	_, err := a.Proc.Logout(ctx, &acp.LogoutRequest{})
	s.do(func(st *session.State) {
		if err != nil {
			st.Fault("logout: " + err.Error())
			return
		}
		st.Say("logged out; :AcpLogin logs in again", "AcpDone")
	})
}
