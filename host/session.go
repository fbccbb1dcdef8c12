package host

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/attaching"
	"github.com/nvim-acp/nvim-acp/host/drawing"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/records"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// Session is one conversation: what joins its [session.State] to Neovim, to its agent and to its record. Its methods may be
// called from any goroutine; none waits, unless it says so.
//
// Locks are taken in this order: records.Keeper's, Session.wire, the state's, terminals.Set and its terminals. Those of Host, of the
// pool and its agents, of files and the dirty lists are taken alone.
type Session struct {
	host  *Host
	id    string // local
	cwd   string
	dirs  []string // further folders
	roots []string // real paths of all folders
	kept  *records.Keeper

	asked  atomic.Pointer[agents.Spec] // how its agent is to be started; a restart may change it
	guard  guarded
	viewer permission.Viewer // used outside of the guard
	timers timers
	placed bool         // it is for lines of a buffer
	cut    atomic.Bool  // it was said that a list of the agent's was longer than what is taken
	width  atomic.Int32 // cells of a row of the transcript; 0: no window has shown it

	// wire orders what is sent to the agent about turns: a prompt is never overtaken by its cancellation. It is held across
	// calls that only enqueue.
	wire sync.Mutex
}

// guarded is a state that cannot be reached but through do.
type guarded struct {
	mu    sync.Mutex
	state *session.State
}

// do hands the state to a function and returns its effects.
func (g *guarded) do(step func(*session.State)) session.Effects {
	g.mu.Lock()
	defer g.mu.Unlock()
	step(g.state)
	e := g.state.Take()
	if checked != "" {
		check(g.state)
	}
	return e
}

// checked is a file for what is impossible of a state, after any step; "": nothing is checked. Tests name one.
var checked = os.Getenv("NVIM_ACP_CHECK")

func check(st *session.State) {
	if err := st.Check(); err != nil {
		if f, failed := regular.OpenFile(checked, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); failed == nil {
			fmt.Fprintf(f, "%v\n%s\n", err, debug.Stack())
			_ = f.Close()
		}
	}
}

// timers are those of a session. They are safe for concurrent use.
type timers struct {
	mu   sync.Mutex  // guards all below
	hint *time.Timer // says that the agent is silent; nil before the first start
	late *time.Timer // ends a replay that came late
}

// LocalID is the session's id in this Neovim.
func (s *Session) LocalID() string { return s.id }

func newSession(h *Host, a openArgs) *Session {
	s := &Session{host: h, id: a.Session, cwd: a.Cwd, placed: a.Place != nil}
	s.kept = h.records.Keeper(featured{s})
	s.width.Store(int32(a.Width))
	s.asked.Store(&a.Agent)
	s.dirs = furtherDirs(a.Cwd, a.Dirs)
	s.roots = realRoots(a.Cwd, s.dirs...)
	s.viewer.Cwd, s.viewer.Icons = a.Cwd, h.settings().Icons
	s.viewer.Text = s.textOf
	s.viewer.Changed = func() { s.do((*session.State).ShowRequests) }
	fork := a.Fork
	if a.Cut != "" {
		fork = "" // it is copied by its record, as far as that goes
	}

	s.guard.state = session.New(session.Config{
		ID: a.Session, Agent: described(a.Agent), Remote: a.Remote, MustResume: a.Strict, Fork: fork, Listed: a.Title, Lost: a.Lost,
		Place:  a.Place,
		NewLog: s.newLog,
		Display: func(log *transcript.Transcript, call string, meta acp.Meta) {
			h.terms.Display(s, log, call, meta)
		},
	})
	return s
}

// described is what a session says of an agent.
func described(s agents.Spec) session.Agent {
	return session.Agent{Name: s.Name, Title: s.Title, EditsThroughEditor: s.Quirk("edits_through_editor"), Where: s.Where()}
}

// do takes a step: it hands the session's state to a function, and when the state is released it runs what the step asks of
// others, in order. The function must not block, nor call a method of the session.
func (s *Session) do(step func(*session.State)) {
	e := s.guard.do(step)

	for _, d := range e.Decisions {
		d.Deliver()
	}

	s.setTimers(e)
	if e.Ended {
		s.host.history.End(featured{s}) // before anybody sees it: who then asks for the turns waits for this one
	}
	switch e.Draw {
	case session.Now:
		s.host.render.Hurry(featured{s})
		s.kept.Changed()
	case session.Soon:
		s.host.render.Poke(featured{s})
		s.kept.Changed()
	}

	switch {
	case e.Place && e.Ended:
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
	_ = caught.Do("host.(*Session).title", func() { title = ask(s, (*session.State).Title) })
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

// logFault writes where the program has failed, with the stack, to stderr: Neovim has the last lines of that, a detached host a file.
func (h *Host) logFault(fault *caught.Error) {
	fmt.Fprintf(os.Stderr, "%v\n%s\n", fault, fault.Stack)
}

// fault is what is done where the program has failed outside of any session.
func (h *Host) fault(fault *caught.Error) {
	h.logFault(fault)
	h.say("error", fault.Error()+": what it was at is not done; everything else goes on")
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
		t.late = s.after(session.LateQuiet, func() { s.do((*session.State).QuietLateReplay) })
	}
}

// ask is do for a step that returns something.
func ask[R any](s *Session, step func(*session.State) R) (result R) {
	s.do(func(st *session.State) { result = step(st) })
	return result
}

// newLog returns an empty transcript. Its blocks have ids that no earlier one of this session had, in this host or another:
// what the editor still shows of those stays.
func (s *Session) newLog() *transcript.Transcript {
	set := s.host.settings()
	return transcript.New(transcript.Options{
		Prefix:       uuid.NewString()[:8],
		Icons:        set.Icons,
		FoldThoughts: set.Chat.FoldThoughts,
		FoldCalls:    set.Chat.FoldCalls,
		Tail:         set.Terminal.Tail,
		Width:        int(s.width.Load()),
		Unseen:       s.placed && s.width.Load() == 0,
		Cwd:          s.cwd,
		Terminal:     func(name string) (transcript.Command, bool) { return s.host.terms.Command(s, name, set.Terminal.Tail) },
		Output:       func(name string) string { return s.host.terms.Text(s, name) },
		Text:         s.textOf,
	})
}

// setWidth notes how wide the rows of a transcript are.
func (s *Session) setWidth(a widthArgs) {
	s.width.Store(int32(a.Width)) // of a transcript that is loaded later
	s.do(func(st *session.State) { st.SetWidth(a.Width) })
	drawing.Refine(featured{s})
}

// TerminalChanged has the calls drawn again that show a terminal.
func (s *Session) TerminalChanged(name string) {
	s.do(func(st *session.State) { st.TerminalChanged(name) })
}

// textOf returns the text of a file that an agent names, as the user has it. It waits for Neovim and the disk, a second at most.
func (s *Session) textOf(path string) (string, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return s.host.files.Shown(ctx, paths.Absolute(path, s.cwd))
}

// spec is how the session's agent is started.
func (s *Session) spec() agents.Spec {
	spec := *s.asked.Load()
	spec.Dirs, spec.Session = s.dirs, s.id
	return spec
}

// connection is the agent that serves the session, nil if none does, and its id of the session.
func (s *Session) connection() (a *agents.Agent, remote string) {
	s.do(func(st *session.State) { a, remote = st.Connection() })
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

// restart ends the agent's process, if it runs, and starts the session again, with spec if there is one. It waits for the
// process to end.
func (s *Session) restart(spec *agents.Spec) {
	if spec != nil {
		s.asked.Store(spec)
		s.do(func(st *session.State) { st.SetAgent(described(*spec)) })
	}
	if a, _ := s.connection(); a != nil {
		a.Stop()
	}
	s.start()
}

// close ends the session for good. The channel that it returns is closed when the agent knows.
func (s *Session) close() <-chan struct{} {
	told := s.cancel()
	if s.Merging() {
		s.host.files.Linger(s.roots, session.MergeTail)
	}

	var a *agents.Agent
	var remote string
	s.do(func(st *session.State) { a, remote = st.Close() })

	h := s.host
	h.mu.Lock()
	delete(h.sessions, s.id)
	finish := s.kept.Close()
	h.mu.Unlock()

	h.files.Forget(s)
	for _, f := range h.features {
		if f, ok := f.(interface{ Closed(s feature.Session) }); ok {
			f.Closed(featured{s})
		}
	}

	h.terms.Forget(s)
	finish(func() {
		h.review.Close(featured{s})
		h.history.Forget(featured{s})
	})
	h.files.Poke()

	if a == nil || a.Gone() || remote == "" {
		done := make(chan struct{})
		close(done)
		return done
	}

	return a.Close(remote, s, told)
}

// await waits for the answer to a request, or for whoever asked to give up.
func (s *Session) await(ctx context.Context, t *permission.Ticket) (permission.Outcome, error) {
	got, err := t.Wait(ctx)
	if err == nil {
		return got, nil
	}
	s.do(func(st *session.State) { st.GiveUp(t) })
	if got, ok := t.Answered(); ok { // at the same moment
		return got, nil
	}
	return permission.Outcome{}, err
}
