package host

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/drawing"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

func newSession(h *Host, a openArgs) *Session {
	s := &Session{host: h, id: a.Session, cwd: a.Cwd, placed: a.Place != nil}
	s.kept = h.records.Keeper(featured{s})
	s.width.Store(int32(a.Width))
	s.asked.Store(&a.Agent)
	s.dirs = furtherDirs(a.Cwd, a.Dirs)
	s.roots = realRoots(a.Cwd, s.dirs...)
	s.viewer.Cwd, s.viewer.Icons = a.Cwd, h.settings().Icons
	s.viewer.Text = s.textOf
	s.viewer.Changed = func() { s.do(func(st *session.State) { st.Requests().ShowAgain() }) }
	fork := a.Fork
	if a.Cut != "" {
		fork = "" // it is copied by its record, as far as that goes
	}

	s.guard.state = session.New(session.Config{
		ID: a.Session, Cwd: a.Cwd, Agent: described(a.Agent), Remote: a.Remote, MustResume: a.Strict,
		Fork: fork, Listed: a.Title, Lost: a.Lost,
		Place:  a.Place,
		NewLog: s.newLog,
		Display: func(calls *transcript.Calls, call string, meta acp.Meta) {
			h.terms.Display(s, calls, call, meta)
		},
	})
	return s
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
	s.do(func(st *session.State) { st.Screen().SetWidth(a.Width) })
	drawing.Refine(featured{s})
}

// TerminalChanged has the calls drawn again that show a terminal.
func (s *Session) TerminalChanged(name string) {
	s.do(func(st *session.State) { st.Screen().TerminalChanged(name) })
}

// textOf returns the text of a file that an agent names, as the user has it. It waits for the disk, and for Neovim as a prompt does: one
// that is held up cannot show what the disk has either.
func (s *Session) textOf(path string) (string, bool) {
	ctx, stop := port{s.host}.Answering(context.Background())
	defer stop()
	return s.host.files.Shown(ctx, paths.Absolute(path, s.cwd))
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
	if (featured{s}).Merging() {
		s.host.files.Linger(s.roots, session.MergeTail)
	}

	var a *agents.Agent
	var remote string
	var answered []*permission.Ticket
	s.do(func(st *session.State) { a, remote, answered = st.Close() })

	h := s.host
	h.mu.Lock()
	delete(h.sessions, s.id)
	finish := s.kept.Close()
	h.mu.Unlock()

	h.files.Forget(featured{s})
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

	heard := make(chan struct{})
	s.spawn(func() { // ends when the agent has what it is to have before
		defer close(heard)
		<-told
		ctx, stop := context.WithTimeout(context.Background(), time.Second)
		defer stop()
		awaitSent(ctx, answered)
	})
	return a.Close(remote, s, heard)
}

// realRoots are the folders of a session, links resolved.
func realRoots(cwd string, dirs ...string) []string {
	var roots []string
	for _, dir := range append([]string{cwd}, dirs...) {
		real, err := buffers.Real(dir)
		if err != nil {
			real = dir
		}
		roots = append(roots, real)
	}
	return roots
}

// furtherDirs are the absolute ones of dirs, each once and without cwd.
func furtherDirs(cwd string, dirs []string) []string {
	var list []string
	for _, dir := range dirs {
		dir = filepath.Clean(dir)
		if filepath.IsAbs(dir) && dir != filepath.Clean(cwd) && !slices.Contains(list, dir) {
			list = append(list, dir)
		}
	}
	return list
}
