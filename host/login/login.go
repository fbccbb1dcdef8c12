// Package login has agents log in and out: by themselves, with a key that the user gives, or by a command in a terminal.
//
// Package host says when an agent refuses to work without, see [Logins.Needed] and [Logins.Try].
package login

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// loginTimeout is how long an agent may take to log in: the user may have to find a password.
const loginTimeout = 10 * time.Minute

const logoutTimeout = 10 * time.Second

// The functions of lua/nvim-acp/host.lua that are called here.
const (
	luaLogin = `require("nvim-acp.host").login(...)`
	luaKey   = `require("nvim-acp.host").key(...)`
)

// Logins has agents log in and out. It is safe for concurrent use.
type Logins struct {
	host   feature.Host
	agents *agents.Pool
	keys   *acp.Secrets // that users gave to agents: in no record

	mu    sync.Mutex        // guards all below
	begun map[string]target // by session: what its login in a terminal is for
}

// target is an agent, as it runs in a folder.
type target struct {
	spec agents.Spec
	cwd  string
}

// New returns what logs in agents of a pool. It adds the keys that it is given to keys.
func New(h feature.Host, pool *agents.Pool, keys *acp.Secrets) *Logins {
	return &Logins{host: h, agents: pool, keys: keys, begun: map[string]target{}}
}

type loginArgs struct {
	feature.Target
	Method string `msgpack:"method"` // "": the configured one, or the user is asked
	Asked  bool   `msgpack:"asked"`  // for a key …
	Key    string `msgpack:"key"`    // … which is this, or "" to go without
	Status int    `msgpack:"status"` // that the command of a terminal ended with
}

// Verbs are what a user can say, by their names.
func (l *Logins) Verbs() map[string]any {
	spawning := func(do func(feature.Session, loginArgs)) func(loginArgs) {
		return feature.OnSession(l.host, func(s feature.Session, a loginArgs) { s.Spawn(func() { do(s, a) }) })
	}
	return map[string]any{
		"login":       spawning(func(s feature.Session, a loginArgs) { l.login(s, a.Method, key{a.Asked, a.Key}) }),
		"login_ended": l.ended,
		"logout":      spawning(func(s feature.Session, _ loginArgs) { l.logout(s) }),
	}
}

// login logs in by the method of that id; without one by the configured one, or the user is asked. It waits for the agent.
func (l *Logins) login(s feature.Session, id string, given key) {
	spec := s.Spec()
	a := l.agents.Get(spec, s.Cwd())
	<-a.Ready
	if a.Err != nil {
		l.fault(s, a.Err.Error())
		return
	}

	methods := a.LoginMethods(s.Cwd())
	if id == "" {
		id = s.Spec().AuthMethod
	}

	i := slices.IndexFunc(methods, func(m agents.Method) bool { return m.ID == id })
	switch {
	case len(methods) == 0:
		l.host.Say("info", s.Spec().Title+" offers no way to log in from here"+s.Spec().LoginHint())
	case i < 0 && id != "" && id != s.Spec().AuthMethod:
		l.host.Say("warn", fmt.Sprintf("%s has no login method %q", s.Spec().Title, plain.OneLine(id)))
	case i >= 0 && (methods[i].Kind == agents.ByAgent || methods[i].Kind == agents.ByKey && given.asked):
		l.authenticate(s, a, methods[i], given.text)
	default:
		if i >= 0 {
			methods = methods[i : i+1]
		}
		if err := a.PlaceLogins(methods, s.Cwd()); err != nil {
			l.host.Say("error", "login: "+plain.Reason(err))
			return
		}
		l.mu.Lock()
		l.begun[s.LocalID()] = target{spec, s.Cwd()}
		l.mu.Unlock()
		_ = l.host.ExecLua(luaLogin, nil, s.LocalID(), methods, i >= 0)
	}
}

// key is what the user gives to a login method that takes one. It goes to the agent and nowhere else.
type key struct {
	asked bool   // the user was asked for it
	text  string // "": the agent is to find one, in its environment
}

// authenticate has the agent log in, with a key or without. It waits for it.
func (l *Logins) authenticate(s feature.Session, a *agents.Agent, m agents.Method, key string) {
	s.Do(func(st *session.State) { st.Screen().Say("logging in: "+m.Name, "AcpDone") })
	ctx, stop := context.WithTimeout(context.Background(), loginTimeout)
	defer stop()
	r := &acp.AuthenticateRequest{MethodID: m.ID}
	if key != "" {
		r.Meta = s.Spec().KeyMeta(key)
		l.keys.Add(key)
	}

	_, err := a.Proc.Authenticate(ctx, r)
	if key != "" {
		_ = l.host.ExecLua(luaKey, nil, s.LocalID(), m.ID, err == nil)
	}
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("no answer within %v", loginTimeout)
		}
		text := l.keys.Hide(err.Error()) // some repeat it
		l.fault(s, "login: "+text)
		return
	}

	l.loggedIn(a.Key)
}

// fault says what has gone wrong in the chat, and where nobody sees that, as of a session at lines of a buffer, in a message.
func (l *Logins) fault(s feature.Session, text string) {
	if feature.Ask(s, func(st *session.State) bool { st.Screen().Fault(text); return st.Place().At() != nil }) {
		l.host.Say("error", s.Spec().Title+": "+text)
	}
}

// ended takes the end of a login in a terminal. It counts for the agent, also where the session for which it was is closed by now.
func (l *Logins) ended(a loginArgs) {
	l.host.Saw(a.N)
	l.mu.Lock()
	t, known := l.begun[a.Session]
	delete(l.begun, a.Session)
	l.mu.Unlock()
	s := l.host.Session(a.Session)
	if s != nil {
		t = target{s.Spec(), s.Cwd()}
	} else if !known {
		return
	}

	say := func(text, group string) {
		if s == nil || feature.Ask(s, func(st *session.State) bool { st.Screen().Say(text, group); return st.Place().At() != nil }) {
			l.host.Say("warn", text)
		}
	}
	if a.Status != 0 {
		say(fmt.Sprintf("the login ended with status %d, so nobody is logged in; :AcpLogin tries again", a.Status), "AcpWarning")
	} else {
		caught.Go(func() { l.renew(t, say) }) // ends when the agent is told to end
	}
	if s != nil {
		s.Do(func(st *session.State) { st.Screen().Saw(a.N) })
	}
}

// renew has an agent started again after a login, and tries again what it has refused. It says why not.
func (l *Logins) renew(t target, say func(text, group string)) {
	a := l.agents.Find(t.spec, t.cwd)
	switch {
	case a == nil:
	case l.atWork(a): // that would be cut off
		say(t.spec.Title+" is at work, so it is not started again; if it still wants a login, :AcpRestart does that", "AcpDone")
	default:
		a.Relogin.Store(true)
		a.Stop()
	}
	l.loggedIn(t.spec.Key(t.cwd))
}

// atWork reports whether a turn, a subagent or a command of the agent's runs.
func (l *Logins) atWork(a *agents.Agent) bool {
	return slices.ContainsFunc(l.host.Sessions(), func(s feature.Session) bool { return feature.Agent(s) == a && s.Runs() })
}

// loggedIn tries again what an agent, named by its key, refused before: the sessions that wait for the login begin, and their prompts go
// out.
func (l *Logins) loggedIn(key string) {
	for _, s := range l.host.Sessions() {
		if s.Spec().Key(s.Cwd()) == key && feature.Ask(s, (*session.State).LoggedIn) {
			s.Spawn(s.Start) // ends when the session is ready or has failed
		}
	}
}

// Needed returns how to log in, if that is what an error of the agent's asks for; else nil.
func Needed(s feature.Session, a *agents.Agent, err error) *session.LoginNeeded {
	if a == nil || !acp.IsCode(err, acp.CodeAuthRequired) {
		return nil
	}

	spec, need := s.Spec(), &session.LoginNeeded{}
	var names []string
	for _, m := range a.LoginMethods(s.Cwd()) {
		text := m.Name
		if m.Kind == agents.ByUser && m.Description != "" {
			text += " (" + m.Description + ")"
		}
		names = append(names, text)
		need.Methods = append(need.Methods, m.ID)
		need.Automatic = need.Automatic || automatic(spec, m)
	}

	need.How = ":AcpLogin logs in; pending prompts are sent afterwards. Methods: " + strings.Join(names, ", ")
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

// Try logs in by the configured method, if that needs nothing of the user. It does not wait.
func (l *Logins) Try(s feature.Session, a *agents.Agent) {
	for _, m := range a.LoginMethods(s.Cwd()) {
		if automatic(s.Spec(), m) {
			s.Spawn(func() { l.authenticate(s, a, m, "") }) // ends when the agent answers or has taken too long
			return
		}
	}
}

// logout has the agent forget who is logged in. It waits for it.
func (l *Logins) logout(s feature.Session) {
	a := l.agents.Get(s.Spec(), s.Cwd())
	<-a.Ready
	switch {
	case a.Err != nil:
		s.Do(func(st *session.State) { st.Screen().Fault(a.Err.Error()) })
		return
	case a.Can().Auth.Logout == nil:
		l.host.Say("info", s.Spec().Title+" cannot log out from here")
		return
	}

	ctx, stop := context.WithTimeout(context.Background(), logoutTimeout)
	defer stop()
	_, err := a.Proc.Logout(ctx, &acp.LogoutRequest{})
	s.Do(func(st *session.State) {
		if err != nil {
			st.Screen().Fault("logout: " + err.Error())
			return
		}
		st.Screen().Say("logged out; :AcpLogin logs in again", "AcpDone")
	})
}
