package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// start connects the session to its agent, unless it is connected or that is under way. It waits for the disk and for the agent.
func (s *Session) start() {
	if ask(s, (*session.State).Claim) {
		s.connect()
	}
}

// connect is start for whoever has the claim: it begins a session, or goes on with the one there was.
func (s *Session) connect() {
	recalled := s.recall()
	if ask(s, (*session.State).Closed) {
		return
	}
	if recalled != nil {
		s.failed(nil, recalled)
		return
	}

	a := s.host.agent(s.spec(), s.cwd)
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
	s.timers.hintAfter(a.spec.patience()/6, func(wait time.Duration) {
		text := fmt.Sprintf("no answer for %v: it may be installing or unpacking itself; :AcpLog shows what it says, :AcpRestart starts it again", wait)
		text += a.tail()
		s.do(func(st *session.State) { st.Silent(a, text) })
	})
	kept, err := s.host.keptRules(s.cwd)
	s.do(func(st *session.State) { st.SetLasting(len(kept) > 0 || err != nil) })
	if open.Bare {
		go func() { // ends when the records are read
			before := s.host.lastHere(s.cwd)
			s.do(func(st *session.State) { st.SetLast(before) })
		}()
	}
	go func() { s.mentionSkills(s.skillsFor(a)) }() // ends when they are read

	<-a.ready
	switch {
	case a.err != nil:
		s.failed(a, a.err)
	case !s.serves(a): // closed, or restarted, meanwhile
	case open.Remote != "":
		s.reopen(a, open.Remote)
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
	t.hint = time.AfterFunc(wait, func() { do(wait) })
}

// serves reports whether the session is open and still that agent's.
func (s *Session) serves(a *agent) bool {
	return ask(s, func(st *session.State) bool { return st.Serves(a) })
}

// create asks for a new session.
func (s *Session) create(a *agent) {
	a.opens()
	req := &acp.NewSessionRequest{Cwd: s.cwd, AdditionalDirectories: s.furtherFor(a), MCPServers: s.serversFor(a)}
	a.proc.StartNewSession(req, func(r *acp.NewSessionResponse, err error) {
		if err != nil {
			s.began(a, "", session.Opened{}, fmt.Errorf("new session: %w", err))
			return
		}
		s.began(a, r.SessionID, session.Opened{Modes: r.Modes, Models: r.Models, Options: r.ConfigOptions}, nil)
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
			s.began(a, "", session.Opened{}, fmt.Errorf("fork the session: %w", err))
			return
		}
		s.began(a, r.SessionID, session.Opened{Modes: r.Modes, Models: r.Models, Options: r.ConfigOptions}, nil)
	})
}

// began handles the agent's answer, on the read goroutine: the session has an id, or there is none.
func (s *Session) began(a *agent, id string, o session.Opened, err error) {
	if err != nil {
		a.opened("", nil)
		s.failed(a, err)
		return
	}
	if !ask(s, func(st *session.State) bool { return st.Began(a, id, o) }) { // closed meanwhile: nobody else would tell the agent
		a.opened("", nil)
		go a.closeSession(id) // ends when the agent answers or ends
		return
	}
	a.opened(id, s)
	s.ready(a)
}

// furtherFor returns the further folders, if the agent takes such; else it says so.
func (s *Session) furtherFor(a *agent) []string {
	if len(s.dirs) == 0 || a.can().SessionCapabilities.AdditionalDirectories != nil {
		return s.dirs
	}
	text := s.spec().Title + " takes no further folders, so it does not know " + strings.Join(s.dirs, ", ")
	s.do(func(st *session.State) { st.Say(text, "AcpWarning") })
	return nil
}

// closeSession tells the agent that a session is over, where it wants to know. It waits for the answer.
func (a *agent) closeSession(id string) { a.closeWithin(context.Background(), id) }

func (a *agent) closeWithin(ctx context.Context, id string) {
	if a.can().SessionCapabilities.Close != nil {
		_, _ = a.proc.CloseSession(ctx, &acp.CloseSessionRequest{SessionID: id}) // it is over anyway
	}
}

// reopen goes on with a session of an earlier process: resumed where the agent can, else loaded, else begun anew. Where nothing
// is shown yet it is rather loaded.
func (s *Session) reopen(a *agent, remote string) {
	a.awaitClose(remote)
	if !s.serves(a) {
		return // closed, or restarted, meanwhile
	}
	a.opens()
	a.mu.Lock()
	a.sessions[remote] = s // its id is known before the answer
	a.mu.Unlock()

	can := a.can()
	bare := ask(s, (*session.State).Bare)
	switch {
	case can.SessionCapabilities.Resume != nil && !(bare && can.LoadSession):
		req := &acp.ResumeSessionRequest{
			SessionID: remote, Cwd: s.cwd, AdditionalDirectories: s.furtherFor(a), MCPServers: s.serversFor(a),
		}
		a.proc.StartResumeSession(req, func(r *acp.ResumeSessionResponse, err error) {
			if err != nil {
				r = &acp.ResumeSessionResponse{}
			}
			s.reopened(a, remote, session.Opened{Modes: r.Modes, Models: r.Models, Options: r.ConfigOptions}, err)
		})
	case can.LoadSession:
		s.do((*session.State).Load)
		req := &acp.LoadSessionRequest{
			SessionID: remote, Cwd: s.cwd, AdditionalDirectories: s.furtherFor(a), MCPServers: s.serversFor(a),
		}
		a.proc.StartLoadSession(req, func(r *acp.LoadSessionResponse, err error) {
			if err != nil {
				r = &acp.LoadSessionResponse{}
			}
			s.reopened(a, remote, session.Opened{Modes: r.Modes, Models: r.Models, Options: r.ConfigOptions}, err)
		})
	default:
		s.reopened(a, remote, session.Opened{}, errors.New("it can neither resume nor load sessions"))
	}
}

// awaitClose waits until the agent knows that a session is over, but not for long.
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

// reopened handles the answer: a replay is shown, or adds to what was shown, but only if all went well. Where the agent cannot
// go on with a session it begins a new one, and says so, unless the user has chosen this session or it has ended meanwhile.
func (s *Session) reopened(a *agent, remote string, o session.Opened, err error) {
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
	s.do(func(st *session.State) { st.Reopened(o) })
	s.ready(a)
}

func (s *Session) notReopened(a *agent, err error) {
	if !s.serves(a) {
		return
	}
	strict := ask(s, (*session.State).NotReopened)
	switch {
	case a.proc.Err() != nil: // nobody else tells the session, which the agent has forgotten
		s.failed(a, fmt.Errorf("%s has ended: %w", s.spec().Title, err))
	case strict:
		s.failed(a, fmt.Errorf("%s cannot go on with this session: %w", s.spec().Title, err))
	default:
		s.do(func(st *session.State) { st.BeginAnew(err) })
		go s.create(a) // returns at once
	}
}

// ready ends the start: the configured mode, model and options are sent, then prompts that were typed meanwhile.
func (s *Session) ready(a *agent) {
	s.configure(a)
	refused := s.refused()
	can := a.can()
	capable := session.Capabilities{
		Ready: true, Image: can.PromptCapabilities.Image, Audio: can.PromptCapabilities.Audio, Load: can.LoadSession,
		Steer: a.steers(), Fork: can.SessionCapabilities.Fork != nil, Delete: can.SessionCapabilities.Delete != nil,
	}
	s.do(func(st *session.State) { st.Ready(a, capable, a.loginIDs(s.cwd), refused) })
}

// failed shows why the session could not be started. The next prompt tries again.
func (s *Session) failed(a *agent, err error) {
	if s.host.leaving() {
		return
	}
	tail := ""
	if a != nil && a.err == nil && a.proc.Err() == nil { // else it is in the error
		tail = a.tail()
	}
	var c session.Connection // nil without an agent
	if a != nil {
		c = a
	}
	login := s.loginNeeded(a, err)
	if ask(s, func(st *session.State) bool { return st.Failed(c, err, tail, login) }) {
		s.tryLogin(a)
	}
}

// configure asks for the mode, model and options that the configuration names, and for those that the user has chosen before
// the agent was ready. The requests are on the wire when it returns.
func (s *Session) configure(a *agent) {
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
		s.startChange(c.Connection.(*agent), c)
	}
}

// startChange asks the agent for the change of an option. The answer is handled in wire order.
func (s *Session) startChange(a *agent, c *session.Change) {
	done := func(err error) {
		s.do(func(st *session.State) { st.Changed(c, err) })
		if err != nil {
			s.host.say("error", fmt.Sprintf("%s: %s was not changed: %v", s.spec().Title, transcript.OneLine(c.Option.Name), err))
		}
	}
	s.wire.Lock()
	defer s.wire.Unlock()
	switch c.Dialect {
	case "mode":
		a.proc.StartSetMode(&acp.SetSessionModeRequest{SessionID: c.Remote, ModeID: c.Option.CurrentValue},
			func(_ *acp.SetSessionModeResponse, err error) { done(err) })
	case "model":
		a.proc.StartSetModel(&acp.SetSessionModelRequest{SessionID: c.Remote, ModelID: c.Option.CurrentValue},
			func(_ *acp.SetSessionModelResponse, err error) { done(err) })
	default:
		req := &acp.SetSessionConfigOptionRequest{SessionID: c.Remote, ConfigID: c.Option.ID, Value: c.Option.CurrentValue}
		if c.Option.Type == acp.ConfigBoolean {
			req.Bool = &c.Option.CurrentBool
		}
		a.proc.StartSetConfigOption(req, func(r *acp.SetSessionConfigOptionResponse, err error) {
			if err == nil {
				s.do(func(st *session.State) { st.ReplaceOptions(r.ConfigOptions) })
			}
			done(err)
		})
	}
}

// refused returns the lines in which the agent has said since the last call that an MCP server of this session did not start.
// It copies the agent's log.
func (s *Session) refused() []string {
	var names []string
	var from uint64
	s.do(func(st *session.State) { names, from = st.Servers() })
	a, _ := s.connection()
	if a == nil || len(names) == 0 {
		return nil
	}
	var lines []string
	for _, e := range a.log.Since(from) {
		from = e.Seq
		if e.Dir != acp.DirStderr {
			continue
		}
		for line := range strings.Lines(e.Text) {
			named := slices.ContainsFunc(names, func(name string) bool { return strings.Contains(line, name) })
			if named && refusal.MatchString(line) {
				lines = append(lines, s.spec().Title+" says: "+transcript.OneLine(strings.TrimSpace(line)))
			}
		}
	}
	s.do(func(st *session.State) { st.Searched(max(from, 1) - 1) }) // the last one may grow, if it is of stderr
	return lines
}
