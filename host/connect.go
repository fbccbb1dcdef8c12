package host

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/login"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/skillsets"
	"github.com/nvim-acp/nvim-acp/host/tools"
	"github.com/nvim-acp/nvim-acp/internal/memory"
)

// start connects the session to its agent, unless it is connected or that is under way. It waits for the disk and for the agent.
func (s *Session) start() {
	if ask(s, func(st *session.State) bool { return st.Link().Claim() }) {
		s.connect()
	}
}

// connect is start for whoever has the claim: it begins a session, or goes on with the one there was.
func (s *Session) connect() {
	recalled := s.kept.Recall()
	if ask(s, func(st *session.State) bool { return st.Link().Closed() }) {
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
		if connected = !st.Link().Closed(); connected {
			open = st.Connect(a)
		}
	})
	if !connected {
		return
	}

	s.timers.hintAfter(s.after, a.Spec.Patience()/6, func(wait time.Duration) {
		text := fmt.Sprintf("no answer for %v%s\n:AcpLog shows what it says\n:AcpRestart starts it again", wait, whySilent(a)) + a.Tail()
		s.do(func(st *session.State) { st.Replay().Silent(a, text) })
	})
	s.host.policy.Look(featured{s})
	if open.Bare {
		s.spawn(func() { // ends when the records are read
			before := s.host.records.Last(s.cwd)
			s.do(func(st *session.State) { st.Titles().SetLast(before) })
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
	h := handshake{featured{s}, a}
	switch {
	case a.Err != nil:
		s.failed(a, a.Err)
	case !s.Serves(a): // closed, or restarted, meanwhile
	case open.Remote != "":
		h.reopen(open.Remote)
	case open.Cut != nil:
		h.copyUntil(*open.Cut)
	case open.Fork != "":
		h.copy(open.Fork)
	default:
		h.create()
	}
}

// handshake brings a session to its agent: it is begun there, copied, loaded or resumed, until it is ready.
type handshake struct {
	featured
	agent *agents.Agent
}

// given is what the agent is given with a session.
type given struct {
	dirs    []string
	servers []acp.MCPServer
	text    *acp.SystemPrompt // nil: none
	skills  session.Skills    // that text tells of

	opened func(id string, s agents.Session) // see [agents.Agent.Opens]
}

// give returns what the agent is given with a session that it is asked for. It reports false if it is not to be asked: the session is not
// its any more.
func (s handshake) give(instruct bool) (g given, ok bool) {
	g.opened = s.agent.Opens()
	if instruct {
		g.text, g.skills = s.host.skills.Instructions(s.featured, s.agent)
	}
	g.dirs = s.furtherFor()
	if g.servers, ok = s.host.tools.Servers(s.featured, s.agent); !ok {
		g.opened("", nil)
	}
	return g, ok
}

// onOpened is a function for the agent's answer to a request for a session, which is not being opened any more behind it, whatever comes of
// that. What do returns asks once more, or for another session; nil does not.
func onOpened[R any](s handshake, g given, do func(R, error) (again func())) func(R, error) {
	return onAnswer(s.Session, func(r R, err error) {
		var again func()
		func() {
			defer g.opened("", nil) // unless it has its id
			again = do(r, err)
		}()
		if again != nil {
			s.spawn(again) // ends when it is asked for
		}
	})
}

// retry reports whether the agent has refused a part of what it was given with a session. Then the session, of which it may have said
// something under an id, is to be asked for again without that.
func (s handshake) retry(g given, remote string, err error) bool {
	if !s.noteRefusal(g, err) {
		return false
	}
	if remote != "" {
		s.agent.Forget(remote, s.Session)
		s.do(func(st *session.State) { st.DropReplay() })
	}
	return true
}

// noteRefusal notes what the agent has refused of what it was given, so that it is not given that again, and reports whether to ask again.
func (s handshake) noteRefusal(g given, err error) bool {
	return tools.NoteRefusedStdio(s.agent, g.servers, err) || skillsets.Refused(s.agent, g.text, err)
}

// create asks for a new session.
func (s handshake) create() {
	g, ok := s.give(true)
	if !ok {
		return
	}

	req := &acp.NewSessionRequest{Cwd: s.cwd, AdditionalDirectories: g.dirs, MCPServers: g.servers, SystemPrompt: g.text}
	s.agent.Proc.StartNewSession(req, onOpened(s, g, func(r *acp.NewSessionResponse, err error) (again func()) {
		if s.retry(g, "", err) {
			return s.create
		}
		if err != nil {
			s.failed(s.agent, fmt.Errorf("new session: %w", err))
			return nil
		}
		s.began(g, r.SessionID, session.Opened{Modes: r.Modes, Models: r.Models, Options: r.ConfigOptions, Skills: g.skills})
		return nil
	}))
}

// copy asks for a session that begins as another one was.
func (s handshake) copy(fork string) {
	if s.agent.Can().SessionCapabilities.Fork == nil {
		if ask(s.Session, hasPlace) {
			s.create()
			return
		}
		s.failed(s.agent, fmt.Errorf("%s cannot fork sessions", s.spec().Title))
		return
	}

	g, ok := s.give(true)
	if !ok {
		return
	}

	req := &acp.ForkSessionRequest{
		SessionID: fork, Cwd: s.cwd, AdditionalDirectories: g.dirs, MCPServers: g.servers, SystemPrompt: g.text,
	}
	s.agent.Proc.StartForkSession(req, onOpened(s, g, func(r *acp.ForkSessionResponse, err error) (again func()) {
		if s.retry(g, "", err) {
			return func() { s.copy(fork) }
		}
		if err != nil && s.agent.Proc.Err() == nil && ask(s.Session, hasPlace) { // its context is welcome, not needed
			return s.create
		}
		if err != nil {
			s.failed(s.agent, fmt.Errorf("fork the session: %w", err))
			return nil
		}

		s.began(g, r.SessionID, session.Opened{Modes: r.Modes, Models: r.Models, Options: r.ConfigOptions, Skills: g.skills, Copied: true})
		return nil
	}))
}

// began handles the agent's answer, on the read goroutine: the session has an id.
func (s handshake) began(g given, id string, o session.Opened) {
	if !ask(s.Session, func(st *session.State) bool { return st.Began(s.agent, id, o) }) {
		// It was closed meanwhile: nobody else would tell the agent.
		s.spawn(func() { s.agent.CloseSession(id) }) // ends when the agent answers or ends
		return
	}

	g.opened(id, s.Session)
	s.sayOpened(o)
	s.ready()
}

// furtherFor returns the further folders, if the agent takes such; else it says so.
func (s handshake) furtherFor() []string {
	if len(s.dirs) == 0 || s.agent.Can().SessionCapabilities.AdditionalDirectories != nil {
		return s.dirs
	}
	text := s.spec().Title + " takes no further folders, so it does not know " + strings.Join(s.dirs, ", ")
	s.do(func(st *session.State) { st.Screen().Say(text, "AcpWarning") })
	return nil
}

// reopen goes on with a session of an earlier process: resumed where the agent can, else loaded, else begun anew. Where nothing
// is shown yet it is rather loaded.
func (s handshake) reopen(remote string) {
	s.agent.AwaitClose(remote)
	if !s.Serves(s.agent) {
		return // closed, or restarted, meanwhile
	}

	can := s.agent.Can()
	if can.SessionCapabilities.Resume == nil && !can.LoadSession {
		if create := s.notReopened(remote, errors.New("it can neither resume nor load sessions")); create != nil {
			create()
		}
		return
	}

	bare := ask(s.Session, func(st *session.State) bool { return st.Log().Blocks().Empty() })
	g, ok := s.give(true)
	if !ok {
		return
	}

	s.agent.Expect(remote, s.Session)
	reopen := func() { s.reopen(remote) }
	switch {
	case can.SessionCapabilities.Resume != nil && !(bare && can.LoadSession):
		s.do(func(st *session.State) { st.Replay().Unasked() })
		req := &acp.ResumeSessionRequest{
			SessionID: remote, Cwd: s.cwd, AdditionalDirectories: g.dirs, MCPServers: g.servers, SystemPrompt: g.text,
		}
		s.agent.Proc.StartResumeSession(req, onOpened(s, g, func(r *acp.ResumeSessionResponse, err error) (again func()) {
			if s.retry(g, remote, err) {
				return reopen
			}
			if err != nil {
				return s.notReopened(remote, err)
			}
			s.reopened(g, remote, session.Opened{Modes: r.Modes, Models: r.Models, Options: r.ConfigOptions, Skills: g.skills})
			return nil
		}))
	default:
		s.do(func(st *session.State) { st.Replay().Load() })
		req := &acp.LoadSessionRequest{
			SessionID: remote, Cwd: s.cwd, AdditionalDirectories: g.dirs, MCPServers: g.servers, SystemPrompt: g.text,
		}
		s.agent.Proc.StartLoadSession(req, onOpened(s, g, func(r *acp.LoadSessionResponse, err error) (again func()) {
			if s.retry(g, remote, err) {
				return reopen
			}
			if err != nil {
				return s.notReopened(remote, err)
			}
			s.reopened(g, remote, session.Opened{Modes: r.Modes, Models: r.Models, Options: r.ConfigOptions, Skills: g.skills})
			return nil
		}))
	}
}

// reopened handles the answer: a replay is shown, or adds to what was shown, but only if all went well.
func (s handshake) reopened(g given, remote string, o session.Opened) {
	if !s.Serves(s.agent) { // closed or restarted meanwhile
		s.agent.Forget(remote, s.Session)
		return
	}

	g.opened(remote, s.Session)
	s.sayOpened(o)
	s.do(func(st *session.State) { st.Reopened(o) })
	s.ready()
}

// notReopened returns what begins a new session in place of one with which the agent cannot go on, and says so; nil if the user has chosen
// this session or it has ended meanwhile.
func (s handshake) notReopened(remote string, err error) (create func()) {
	s.agent.Forget(remote, s.Session)
	if !s.Serves(s.agent) {
		return nil
	}

	mustResume := ask(s.Session, func(st *session.State) bool {
		st.DropReplay()
		return st.Link().MustResume()
	})
	switch {
	case s.agent.Proc.Err() != nil: // nobody else tells the session, which the agent has forgotten
		s.failed(s.agent, fmt.Errorf("%s has ended: %w", s.spec().Title, err))
	case mustResume:
		s.failed(s.agent, fmt.Errorf("%s cannot go on with this session: %w", s.spec().Title, err))
	default:
		text := "the agent cannot resume this session, so it does not know the messages above: " + err.Error()
		s.do(func(st *session.State) { session.Forgotten(st, text) })
		return s.create
	}
	return nil
}

// ready ends the start: the configured mode, model and options are sent, then prompts that were typed meanwhile.
func (s handshake) ready() {
	s.configure()
	can, refused := s.agent.Can(), s.host.tools.Refused(s.featured)
	capable := session.Capabilities{
		Image: can.PromptCapabilities.Image, Audio: can.PromptCapabilities.Audio, Load: can.LoadSession,
		Steer: s.agent.Steers(), Fork: can.SessionCapabilities.Fork != nil, Delete: can.SessionCapabilities.Delete != nil,
		Cuts: cutsForks(s.agent),
	}
	s.do(func(st *session.State) { st.Ready(s.agent, capable, s.agent.LoginIDs(s.cwd), refused) })
	memory.Release()
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

// cutsForks reports whether an agent copies conversations up to a message.
func cutsForks(a *agents.Agent) bool {
	return a.Can().SessionCapabilities.Fork != nil && a.Implementation().ForksAtMessages()
}

// copyUntil asks for a session that begins as another one was at an earlier point. Where the agent cannot, it begins a new one,
// and its first prompt tells what was said before.
func (s handshake) copyUntil(cut session.Cut) {
	if cut.Fork == "" || cut.Behind == "" || !cutsForks(s.agent) {
		s.create()
		return
	}

	g, ok := s.give(false)
	if !ok {
		return
	}

	req := &acp.ForkSessionRequest{
		SessionID: cut.Fork, Cwd: s.cwd, AdditionalDirectories: g.dirs, MCPServers: g.servers, Meta: acp.ForkAt(cut.Behind),
	}
	s.agent.Proc.StartForkSession(req, onOpened(s, g, func(r *acp.ForkSessionResponse, err error) (again func()) {
		if s.retry(g, "", err) {
			return func() { s.copyUntil(cut) }
		}
		if err != nil && s.agent.Proc.Err() == nil {
			s.do(func(st *session.State) {
				const text = "the agent cannot go back to this point, so the next prompt sends it the conversation: "
				st.Screen().Say(text+err.Error(), "AcpWarning")
			})
			return s.create
		}
		if err != nil {
			s.failed(s.agent, fmt.Errorf("fork the session: %w", err))
			return nil
		}

		s.do(func(st *session.State) { st.Briefing().KnowsHistory() })
		s.began(g, r.SessionID, session.Opened{Modes: r.Modes, Models: r.Models, Options: r.ConfigOptions, Copied: true})
		return nil
	}))
}
