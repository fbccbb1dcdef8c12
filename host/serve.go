package host

import (
	"cmp"
	"os"

	"github.com/google/uuid"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/attach"
	"github.com/nvim-acp/nvim-acp/host/attaching"
	"github.com/nvim-acp/nvim-acp/host/drawing"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/outside"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/settings"
	"github.com/nvim-acp/nvim-acp/host/terminals"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/memory"
)

func newHost(ed feature.Editor, version, argv0 string) *Host {
	h := &Host{
		ed:       ed,
		version:  version,
		argv0:    argv0,
		run:      ownMark(),
		done:     make(chan struct{}),
		sessions: map[string]*Session{},
		terms:    terminals.New(ed),
	}
	caught.OnPanic(h.fault)
	h.life = attaching.New(port{h}, ed, attaching.Config{Version: version, Interface: Interface, Mark: h.run}, attaching.Hooks{
		Register: h.register,
		Leave: func() {
			h.watch().Alone()
			h.review.DetachEditor(h.files.AllKnown())
		},
		LetGo:   h.letGo,
		CatchUp: func() { h.review.CatchUp() },
		Change:  h.change,
		Show:    h.showAll,
	})
	h.agents = agents.NewPool(pooled{h}, agents.Config{Version: version, Run: h.run}, h.done)
	h.outside = outside.New()
	h.render = drawing.New(port{h}, drawing.Hooks{
		Away:      h.life.Away,
		Missed:    h.life.Drawn,
		EditWaits: func() string { return h.files.Waiting() },
		Requests: func(s feature.Session, list []permission.Snapshot) []permission.Shown {
			shown := of(s).viewer.View(list, s.Spec().Title, s.Spec().Name)
			s.Do(func(st *session.State) { st.Requests().Drawn(shown) })
			return shown
		},
	})
	h.files = newFiles(h)
	h.addFeatures()
	return h
}

// markVar has the mark that Neovim has chosen for the host's processes: it starts a guard for them if the host is killed.
const markVar = "NVIM_ACP_MARK"

func ownMark() string {
	defer os.Unsetenv(markVar) // else the agents would have it
	return cmp.Or(os.Getenv(markVar), uuid.NewString())
}

// Serve talks to Neovim on stdin and stdout until it goes, unless it has detached the host, then to others on a socket. In the end it
// ends every process of ours. argv0 is the program's own name.
func Serve(version, argv0 string) error {
	defer memory.Hold()()
	seat := new(attach.Seat)
	h := newHost(seat, version, argv0)
	neovim, err := attaching.TakeStdio()
	if err != nil {
		return err
	}

	g, err := attach.NewGuest(neovim.In, neovim.Out, neovim)
	if err != nil {
		return err
	}

	g.SetPID(os.Getppid())
	caught.Go(h.render.Run) // until close
	caught.Go(h.files.Run)  // until close
	for _, f := range h.features {
		if f, ok := f.(interface{ Run() }); ok {
			caught.Go(f.Run) // until close
		}
	}

	if err := h.life.Sit(g); err != nil {
		return err
	}

	<-h.life.Over()
	h.close()
	return h.life.Err()
}

// close ends everything: the agents are told to end, and the guard sees to those that do not.
func (h *Host) close() {
	close(h.done)
	h.life.Close()
	h.history.Stop()
	h.terms.Close()
	for _, a := range h.agents.All() {
		a.Terminate()
	}

	h.outside.Stop()
	h.tools.Close()
	h.records.Stop()
	h.review.Save()
	h.budget.Wait()
	_ = h.files.Close()
	h.history.Wait()
	h.viewer.Close()
	h.guarding.Lock()
	defer h.guarding.Unlock()

	h.guard.Leave()
	h.life.Forget()
}

// letGo forgets what was known of a Neovim that has left. It does not wait.
func (h *Host) letGo() {
	h.files.DetachEditor()
	h.tools.Detached()
	h.terms.Unwatch()
	h.log.Close()
	for _, s := range h.all() {
		if ask(s, hasPlace) { // its lines are gone
			s.close()
		}
	}
	for _, s := range h.all() {
		s.kept.Decided() // what waits is recorded from now on
	}
}

// change takes the settings of a Neovim that is attached. Records stay where they are.
func (h *Host) change(s settings.Settings) {
	s.StateDir = h.settings().StateDir
	h.given.Store(&s)
	h.setLogging(&s)
}

// showAll has all that there is drawn by a Neovim that knows nothing of it.
func (h *Host) showAll() {
	for _, s := range h.all() {
		h.render.Hurry(featured{s})
		s.kept.Changed()
	}
	h.files.AttachEditor()
	h.terms.ShowAll()
	h.review.AttachEditor()
}
