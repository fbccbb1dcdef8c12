package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// The kinds of login methods.
const (
	byAgent    = "agent"    // authenticate is sent
	byTerminal = "terminal" // a command is run in a terminal window
	byUser     = "user"     // the user sets a variable, and starts again
)

// method is a way to log in, as the editor is told of it.
type method struct {
	ID          string            `msgpack:"id"`
	Name        string            `msgpack:"name"`
	Description string            `msgpack:"description"`
	Kind        string            `msgpack:"kind"`
	Argv        []string          `msgpack:"argv"`  // of a terminal …
	Env         map[string]string `msgpack:"env"`   // …, what is set in it …
	Hide        []string          `msgpack:"hide"`  // … and what is not
	Cwd         string            `msgpack:"cwd"`   // and where it runs
	Shown       string            `msgpack:"shown"` // all of the command, for the user to read
}

// loginTimeout is how long an agent may take to log in: the user may have to find a password.
const loginTimeout = 10 * time.Minute

// methods are the ways to log in that the agent offers and we have.
func (a *agent) methods(cwd string) []method {
	list := []method{}
	if a.info == nil {
		return list
	}
	for _, m := range a.info.AuthMethods {
		if got, ok := a.method(m, cwd); ok {
			list = append(list, got)
		}
	}
	return list
}

func (a *agent) loginIDs(cwd string) []string {
	var ids []string
	for _, m := range a.methods(cwd) {
		ids = append(ids, m.ID)
	}
	return ids
}

func (a *agent) method(m acp.AuthMethod, cwd string) (method, bool) {
	got := method{
		ID: m.ID, Name: transcript.Brief(m.Name), Description: transcript.Brief(m.Description),
		Env: map[string]string{}, Argv: []string{},
	}
	kind, args := m.Type, m.Args
	if kind == "" { // some say it there
		kind = metaOf[string](m.Meta, "type")
		if kind == acp.AuthTerminal {
			args = metaOf[[]string](m.Meta, "args")
		}
	}
	given := metaOf[struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	}](m.Meta, "terminal-auth")
	switch {
	case kind == acp.AuthTerminal:
		got.runs(append(append([]string{a.spec.Command}, a.spec.Args...), args...), m.Env)
	case kind == "" && given.Command != "":
		got.runs(append([]string{given.Command}, given.Args...), given.Env)
	case kind == "" || kind == "agent":
		got.Kind = byAgent
		return got, true
	case kind == "env_var":
		got.Kind = byUser
		return got, true
	default:
		return got, false
	}
	got.Cwd = cwd
	if a.spec.Cwd != "" {
		got.Cwd = a.spec.Cwd
	}
	env := maps.Clone(a.spec.Env)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, got.Env)
	got.Env = env
	for _, name := range hidden {
		if _, configured := a.spec.Env[name]; !configured {
			got.Hide = append(got.Hide, name)
		}
	}
	return got, true
}

// runs makes it a method that runs a command, with what the method itself sets in its environment.
func (m *method) runs(argv []string, env map[string]string) {
	m.Kind, m.Argv, m.Env = byTerminal, argv, map[string]string{}
	maps.Copy(m.Env, env)
	maps.DeleteFunc(m.Env, func(name, _ string) bool { return slices.Contains(hidden, name) })
	var words []string
	for _, name := range slices.Sorted(maps.Keys(m.Env)) {
		words = append(words, name+"="+quoted(m.Env[name]))
	}
	for _, arg := range argv {
		words = append(words, quoted(arg))
	}
	m.Shown = transcript.Visible(strings.Join(words, " "))
}

func quoted(word string) string {
	text, err := syntax.Quote(word, syntax.LangBash)
	if err != nil {
		return fmt.Sprintf("%q", word)
	}
	return text
}

// metaOf is what stands under a name of _meta, zero if it is not there or is something else.
func metaOf[T any](meta acp.Meta, name string) T {
	var value, none T
	if json.Unmarshal(meta[name], &value) != nil {
		return none
	}
	return value
}

// login logs in by the method of that id; without one by the configured one, or the user is asked. It waits for the agent.
func (s *Session) login(id string) {
	a := s.host.agent(s.spec(), s.cwd)
	<-a.ready
	if a.err != nil {
		s.do(func(st *session.State) { st.Fault(a.err.Error()) })
		return
	}
	methods := a.methods(s.cwd)
	if id == "" {
		id = s.spec().AuthMethod
	}
	i := slices.IndexFunc(methods, func(m method) bool { return m.ID == id })
	switch {
	case len(methods) == 0:
		s.host.say("info", s.spec().Title+" offers no way to log in from here"+s.spec().loginHint())
	case i < 0 && id != "" && id != s.spec().AuthMethod:
		s.host.say("warn", fmt.Sprintf("%s has no login method %q", s.spec().Title, transcript.OneLine(id)))
	case i >= 0 && methods[i].Kind == byAgent:
		s.authenticate(a, methods[i])
	default:
		if i >= 0 {
			methods = methods[i : i+1]
		}
		_ = s.host.ed.ExecLua(luaLogin, nil, s.id, methods, i >= 0)
	}
}

func (s AgentSpec) loginHint() string {
	if s.Login == "" {
		return ""
	}
	return "; " + s.Login
}

// authenticate has the agent log in. It waits for it.
func (s *Session) authenticate(a *agent, m method) {
	s.do(func(st *session.State) { st.Say("logging in: "+m.Name, "AcpDone") })
	ctx, stop := context.WithTimeout(context.Background(), loginTimeout)
	defer stop()
	_, err := a.proc.Authenticate(ctx, &acp.AuthenticateRequest{MethodID: m.ID})
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("no answer within %v", loginTimeout)
		}
		s.do(func(st *session.State) { st.Fault("login: " + err.Error()) })
		return
	}
	s.host.loggedIn(a.key)
}

// loginEnded takes the end of a login in a terminal. It waits for the agent to be started again.
func (s *Session) loginEnded(status int) {
	if status != 0 {
		text := fmt.Sprintf("the login ended with status %d, so nobody is logged in; :AcpLogin tries again", status)
		s.do(func(st *session.State) { st.Say(text, "AcpWarning") })
		return
	}
	h, key := s.host, s.spec().key()
	h.mu.Lock()
	a := h.agents[key]
	h.mu.Unlock()
	if a != nil && !a.atWork() { // else the others' turns would be cut off
		a.relogin.Store(true)
		a.stop()
	}
	h.loggedIn(key)
}

// atWork reports that a turn of the agent's runs.
func (a *agent) atWork() bool {
	for _, s := range a.host.all() {
		if ask(s, func(st *session.State) bool { return st.Serves(a) && st.InTurn() }) {
			return true
		}
	}
	return false
}

// loggedIn tries again what an agent, named by its key, refused before: the sessions that wait for the login begin, and their prompts go out.
func (h *Host) loggedIn(key string) {
	for _, s := range h.all() {
		if s.spec().key() == key && ask(s, (*session.State).LoggedIn) {
			go s.start() // ends when the session is ready or has failed
		}
	}
}

// loginNeeded returns how to log in, if that is what an error of the agent's asks for; else nil.
func (s *Session) loginNeeded(a *agent, err error) *session.LoginNeeded {
	if a == nil || !acp.IsCode(err, acp.CodeAuthRequired) {
		return nil
	}
	spec, need := s.spec(), &session.LoginNeeded{}
	var names []string
	for _, m := range a.methods(s.cwd) {
		text := m.Name
		if m.Kind == byUser && m.Description != "" {
			text += " (" + m.Description + ")"
		}
		names = append(names, text)
		need.Methods = append(need.Methods, m.ID)
		need.Automatic = need.Automatic || m.ID == spec.AuthMethod && m.Kind == byAgent
	}
	need.How = ":AcpLogin logs in, and your prompt is sent then: " + strings.Join(names, ", ")
	if len(names) == 0 {
		need.How = "log in with the agent's own program, then send again" + spec.loginHint()
	}
	return need
}

// tryLogin logs in by the configured method, which needs nothing of the user.
func (s *Session) tryLogin(a *agent) {
	for _, m := range a.methods(s.cwd) {
		if m.ID == s.spec().AuthMethod && m.Kind == byAgent {
			go s.authenticate(a, m) // ends when the agent answers or has taken too long
			return
		}
	}
}

// logout has the agent forget who is logged in. It waits for it.
func (s *Session) logout() {
	a := s.host.agent(s.spec(), s.cwd)
	<-a.ready
	switch {
	case a.err != nil:
		s.do(func(st *session.State) { st.Fault(a.err.Error()) })
		return
	case a.can().Auth.Logout == nil:
		s.host.say("info", s.spec().Title+" cannot log out from here")
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), listTimeout)
	defer stop()
	_, err := a.proc.Logout(ctx, &acp.LogoutRequest{})
	s.do(func(st *session.State) {
		if err != nil {
			st.Fault("logout: " + err.Error())
			return
		}
		st.Say("logged out; :AcpLogin logs in again", "AcpDone")
	})
}
