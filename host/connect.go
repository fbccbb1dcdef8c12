package host

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/login"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/skillsets"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// start connects the session to its agent, unless it is connected or that is under way. It waits for the disk and for the agent.
func (s *Session) start() {
	if ask(s, (*session.State).Claim) {
		s.connect()
	}
}

// connect is start for whoever has the claim: it begins a session, or goes on with the one there was.
func (s *Session) connect() {
	recalled := s.kept.Recall()
	if ask(s, (*session.State).Closed) {
		return
	}
	if recalled != nil {
		s.failed(nil, recalled)
		return
	}

	a := s.host.agents.Get(s.spec(), s.cwd)
	var open session.Opening
	connected := false
	s.do(func(st *session.State) {
		if connected = !st.Closed(); connected {
			open = st.Connect(a)
		}
	})
	if !connected {
		return
	}

	s.timers.hintAfter(a.Spec.Patience()/6, func(wait time.Duration) {
		why := ": it may be installing or unpacking itself"
		if line := a.Stray(); line != "" {
			why = ", but a line that is no message: " + line
		}
		text := fmt.Sprintf("no answer for %v%s\n:AcpLog shows what it says\n:AcpRestart starts it again", wait, why) + a.Tail()
		s.do(func(st *session.State) { st.Silent(a, text) })
	})
	kept, err := s.host.policy.Kept(s.cwd)
	s.do(func(st *session.State) { st.SetLasting(len(kept) > 0 || err != nil) })
	if open.Bare {
		s.spawn(func() { // ends when the records are read
			before := s.host.records.Last(s.cwd)
			s.do(func(st *session.State) { st.SetLast(before) })
		})
	}

	s.spawn(func() { s.host.skills.Mention(s.host.skills.For(featured{s}, a)) }) // ends when they are read
	s.spawn(func() {                                                             // ends with the host at the latest
		select { // Git would slow down the start of an agent that is quick
		case <-a.Ready:
		case <-time.After(100 * time.Millisecond):
		}
		s.host.history.Prepare(featured{s})
	})

	<-a.Ready
	switch {
	case a.Err != nil:
		s.failed(a, a.Err)
	case !s.Serves(a): // closed, or restarted, meanwhile
	case open.Remote != "":
		s.reopen(a, open.Remote)
	case open.Cut != nil:
		s.copyUntil(a, *open.Cut)
	case open.Fork != "":
		s.copy(a, open.Fork)
	default:
		s.create(a)
	}
}

// hintAfter has a function called after a while, unless the timer is stopped. It replaces the previous one.
func (t *timers) hintAfter(wait time.Duration, do func(wait time.Duration)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.hint != nil {
		t.hint.Stop()
	}
	t.hint = caught.After(wait, func() { do(wait) })
}

// create asks for a new session.
func (s *Session) create(a *agents.Agent) {
	a.Opens()
	text, told := s.host.skills.Instructions(featured{s}, a)
	req := &acp.NewSessionRequest{Cwd: s.cwd, AdditionalDirectories: s.furtherFor(a), MCPServers: s.serversFor(a), SystemPrompt: text}
	a.Proc.StartNewSession(req, onAnswer(s, func(r *acp.NewSessionResponse, err error) {
		if skillsets.Refused(a, text, err) {
			a.Opened("", nil)
			s.spawn(func() { s.create(a) }) // ends when it is asked for
			return
		}
		if err != nil {
			s.began(a, "", session.Opened{}, fmt.Errorf("new session: %w", err))
			return
		}
		o := session.Opened{Modes: r.Modes, Models: r.Models, Options: r.ConfigOptions, Skills: told}
		s.began(a, r.SessionID, o, nil)
	}))
}

// copy asks for a session that begins as another one was.
func (s *Session) copy(a *agents.Agent, fork string) {
	if a.Can().SessionCapabilities.Fork == nil {
		if ask(s, (*session.State).Placed) != nil {
			s.create(a)
			return
		}
		s.failed(a, fmt.Errorf("%s cannot fork sessions", s.spec().Title))
		return
	}

	a.Opens()
	text, told := s.host.skills.Instructions(featured{s}, a)
	req := &acp.ForkSessionRequest{
		SessionID: fork, Cwd: s.cwd, AdditionalDirectories: s.furtherFor(a), MCPServers: s.serversFor(a), SystemPrompt: text,
	}
	a.Proc.StartForkSession(req, onAnswer(s, func(r *acp.ForkSessionResponse, err error) {
		if skillsets.Refused(a, text, err) {
			a.Opened("", nil)
			s.spawn(func() { s.copy(a, fork) }) // ends when it is asked for
			return
		}
		if err != nil && a.Proc.Err() == nil && ask(s, (*session.State).Placed) != nil { // its context is welcome, not needed
			a.Opened("", nil)
			s.spawn(func() { s.create(a) }) // returns at once
			return
		}
		if err != nil {
			s.began(a, "", session.Opened{}, fmt.Errorf("fork the session: %w", err))
			return
		}

		s.began(a, r.SessionID, session.Opened{Modes: r.Modes, Models: r.Models, Options: r.ConfigOptions, Skills: told}, nil)
	}))
}

// began handles the agent's answer, on the read goroutine: the session has an id, or there is none.
func (s *Session) began(a *agents.Agent, id string, o session.Opened, err error) {
	if err != nil {
		a.Opened("", nil)
		s.failed(a, err)
		return
	}
	if !ask(s, func(st *session.State) bool { return st.Began(a, id, o) }) { // closed meanwhile: nobody else would tell the agent
		a.Opened("", nil)
		s.spawn(func() { a.CloseSession(id) }) // ends when the agent answers or ends
		return
	}

	a.Opened(id, s)
	s.sayOpened(o)
	s.ready(a)
}

// serversFor returns the MCP servers that the agent is given.
func (s *Session) serversFor(a *agents.Agent) []acp.MCPServer {
	return s.host.tools.Servers(featured{s}, a)
}

// furtherFor returns the further folders, if the agent takes such; else it says so.
func (s *Session) furtherFor(a *agents.Agent) []string {
	if len(s.dirs) == 0 || a.Can().SessionCapabilities.AdditionalDirectories != nil {
		return s.dirs
	}
	text := s.spec().Title + " takes no further folders, so it does not know " + strings.Join(s.dirs, ", ")
	s.do(func(st *session.State) { st.Say(text, "AcpWarning") })
	return nil
}

// reopen goes on with a session of an earlier process: resumed where the agent can, else loaded, else begun anew. Where nothing
// is shown yet it is rather loaded.
func (s *Session) reopen(a *agents.Agent, remote string) {
	a.AwaitClose(remote)
	if !s.Serves(a) {
		return // closed, or restarted, meanwhile
	}

	a.Opens()
	a.Expect(remote, s)

	can := a.Can()
	bare := ask(s, (*session.State).Bare)
	text, told := s.host.skills.Instructions(featured{s}, a)
	again := func(err error) bool {
		if !skillsets.Refused(a, text, err) {
			return false
		}
		a.Forget(remote, s)
		a.Opened("", nil)
		s.do(func(st *session.State) { st.DropReplay() })
		s.spawn(func() { s.reopen(a, remote) }) // ends when it is asked for
		return true
	}
	switch {
	case can.SessionCapabilities.Resume != nil && !(bare && can.LoadSession):
		req := &acp.ResumeSessionRequest{
			SessionID: remote, Cwd: s.cwd, AdditionalDirectories: s.furtherFor(a), MCPServers: s.serversFor(a), SystemPrompt: text,
		}
		a.Proc.StartResumeSession(req, onAnswer(s, func(r *acp.ResumeSessionResponse, err error) {
			if again(err) {
				return
			}
			if err != nil {
				r = &acp.ResumeSessionResponse{}
			}
			s.reopened(a, remote, session.Opened{Modes: r.Modes, Models: r.Models, Options: r.ConfigOptions, Skills: told}, err)
		}))
	case can.LoadSession:
		s.do((*session.State).Load)
		req := &acp.LoadSessionRequest{
			SessionID: remote, Cwd: s.cwd, AdditionalDirectories: s.furtherFor(a), MCPServers: s.serversFor(a), SystemPrompt: text,
		}
		a.Proc.StartLoadSession(req, onAnswer(s, func(r *acp.LoadSessionResponse, err error) {
			if again(err) {
				return
			}
			if err != nil {
				r = &acp.LoadSessionResponse{}
			}
			s.reopened(a, remote, session.Opened{Modes: r.Modes, Models: r.Models, Options: r.ConfigOptions, Skills: told}, err)
		}))
	default:
		s.reopened(a, remote, session.Opened{}, errors.New("it can neither resume nor load sessions"))
	}
}

// reopened handles the answer: a replay is shown, or adds to what was shown, but only if all went well. Where the agent cannot
// go on with a session it begins a new one, and says so, unless the user has chosen this session or it has ended meanwhile.
func (s *Session) reopened(a *agents.Agent, remote string, o session.Opened, err error) {
	if err != nil {
		a.Forget(remote, s)
		a.Opened("", nil)
		s.notReopened(a, err)
		return
	}
	if !s.Serves(a) { // closed or restarted meanwhile
		a.Forget(remote, s)
		a.Opened("", nil)
		return
	}

	a.Opened(remote, s)
	s.sayOpened(o)
	s.do(func(st *session.State) { st.Reopened(o) })
	s.ready(a)
}

func (s *Session) notReopened(a *agents.Agent, err error) {
	if !s.Serves(a) {
		return
	}

	mustResume := ask(s, (*session.State).NotReopened)
	switch {
	case a.Proc.Err() != nil: // nobody else tells the session, which the agent has forgotten
		s.failed(a, fmt.Errorf("%s has ended: %w", s.spec().Title, err))
	case mustResume:
		s.failed(a, fmt.Errorf("%s cannot go on with this session: %w", s.spec().Title, err))
	default:
		s.do(func(st *session.State) { st.BeginAnew(err) })
		s.spawn(func() { s.create(a) }) // returns at once
	}
}

// ready ends the start: the configured mode, model and options are sent, then prompts that were typed meanwhile.
func (s *Session) ready(a *agents.Agent) {
	s.configure(a)
	refused := s.host.tools.Refused(featured{s})
	can := a.Can()
	capable := session.Capabilities{
		Image: can.PromptCapabilities.Image, Audio: can.PromptCapabilities.Audio, Load: can.LoadSession,
		Steer: a.Steers(), Fork: can.SessionCapabilities.Fork != nil, Delete: can.SessionCapabilities.Delete != nil,
	}
	s.do(func(st *session.State) { st.Ready(a, capable, a.LoginIDs(s.cwd), refused) })
}

// failed shows why the session could not be started. The next prompt tries again.
func (s *Session) failed(a *agents.Agent, err error) {
	if s.host.leaving() {
		return
	}
	tail := ""
	if a != nil && a.Err == nil && a.Proc.Err() == nil { // else it is in the error
		tail = a.Tail()
	}
	need := login.Needed(featured{s}, a, err)
	if ask(s, func(st *session.State) bool { return st.Failed(a, err, tail, need) }) {
		s.host.logins.Try(featured{s}, a)
	}
}

// configure asks for the mode, model and options that the configuration names, and for those that the user has chosen before
// the agent was ready. The requests are on the wire when it returns.
func (s *Session) configure(a *agents.Agent) {
	spec := s.spec()
	want := maps.Clone(spec.Options)
	if want == nil {
		want = map[string]any{}
	}
	if spec.Mode != "" {
		want[acp.CategoryMode] = spec.Mode
	}
	if spec.Model != "" {
		want[acp.CategoryModel] = spec.Model
	}
	if mode := ask(s, (*session.State).PlaceMode); mode != "" {
		want[acp.CategoryMode] = mode
	}

	var changes []*session.Change
	var problems []error
	s.do(func(st *session.State) { changes, problems = st.Configure(want) })
	for _, err := range problems {
		s.host.say("warn", err.Error())
	}

	for _, c := range changes {
		s.startChange(a, c)
	}
}

// set changes an option: shown at once, and taken back with an error if the agent refuses. It is sent before any prompt that
// is sent later; before the agent is ready it is kept, and sent then.
func (s *Session) set(a setArgs) {
	var c *session.Change
	var err error
	s.do(func(st *session.State) { c, err = st.Set(a.Option, a.Value) })
	switch {
	case err != nil:
		s.host.say("warn", err.Error())
	case c != nil:
		s.startChange(c.Connection, c)
	}
}

// startChange asks the agent for the change of an option. The answer is handled in wire order.
func (s *Session) startChange(a *agents.Agent, c *session.Change) {
	done := func(err error) {
		if err != nil && a.Proc.Err() != nil {
			return // it has not refused: the value is that of the next agent
		}
		s.do(func(st *session.State) { st.Changed(c, err) })
		if err != nil {
			s.host.say("error", fmt.Sprintf("%s: %s was not changed: %v", s.spec().Title, plain.OneLine(c.Option.Name), err))
		}
	}

	s.wire.Lock()
	defer s.wire.Unlock()

	switch c.Dialect {
	case "mode":
		a.Proc.StartSetMode(&acp.SetSessionModeRequest{SessionID: c.Remote, ModeID: c.Option.CurrentValue},
			onAnswer(s, func(_ *acp.SetSessionModeResponse, err error) { done(err) }))
	case "model":
		a.Proc.StartSetModel(&acp.SetSessionModelRequest{SessionID: c.Remote, ModelID: c.Option.CurrentValue},
			onAnswer(s, func(_ *acp.SetSessionModelResponse, err error) { done(err) }))
	default:
		req := &acp.SetSessionConfigOptionRequest{SessionID: c.Remote, ConfigID: c.Option.ID, Value: c.Option.CurrentValue}
		if c.Option.Type == acp.ConfigBoolean {
			req.Bool = &c.Option.CurrentBool
		}
		a.Proc.StartSetConfigOption(req, onAnswer(s, func(r *acp.SetSessionConfigOptionResponse, err error) {
			if err == nil {
				s.do(func(st *session.State) { st.ReplaceOptions(r.ConfigOptions) })
			}
			done(err)
		}))
	}
}
