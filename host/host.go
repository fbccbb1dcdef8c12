// Package host joins the editor to the agents: what the user asks becomes protocol, what agents do becomes text in buffers.
//
// Package main starts it with [Serve], which returns when Neovim goes, unless that has detached the host. A [Host] owns its agents'
// processes, its sessions and one render goroutine; each session's state is guarded by the session's own mutex, and no lock is held
// across a call to Neovim or to an agent.
package host

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/attach"
	"github.com/nvim-acp/nvim-acp/host/attaching"
	"github.com/nvim-acp/nvim-acp/host/budget"
	"github.com/nvim-acp/nvim-acp/host/diagnostics"
	"github.com/nvim-acp/nvim-acp/host/drawing"
	"github.com/nvim-acp/nvim-acp/host/editing"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/find"
	"github.com/nvim-acp/nvim-acp/host/guard"
	"github.com/nvim-acp/nvim-acp/host/history"
	"github.com/nvim-acp/nvim-acp/host/login"
	"github.com/nvim-acp/nvim-acp/host/logview"
	"github.com/nvim-acp/nvim-acp/host/moves"
	"github.com/nvim-acp/nvim-acp/host/outside"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/policy"
	"github.com/nvim-acp/nvim-acp/host/prompt"
	"github.com/nvim-acp/nvim-acp/host/records"
	"github.com/nvim-acp/nvim-acp/host/reviewing"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/settings"
	"github.com/nvim-acp/nvim-acp/host/skillsets"
	"github.com/nvim-acp/nvim-acp/host/terminals"
	"github.com/nvim-acp/nvim-acp/host/tools"
	"github.com/nvim-acp/nvim-acp/host/viewing"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// Interface is raised whenever a verb, or a Lua function called here, changes; lua/nvim-acp/rpc.lua has the same number.
const Interface = 18

// Host is one Neovim's sessions and agents.
type Host struct {
	ed       feature.Editor
	life     *attaching.Life
	version  string
	run      string // marks every process of ours
	argv0    string // how we were started, for the guard
	files    *files.Workspace
	review   *reviewing.Review
	history  *history.History
	checks   *diagnostics.Checks
	places   *editing.Places
	find     *find.Files
	log      *logview.Log
	prompts  *prompt.Prompts
	skills   *skillsets.Sets
	viewer   *viewing.Viewer
	features []speaking
	moves    *moves.Moves
	budget   *budget.Budget
	outside  *outside.Searches
	render   *drawing.Renderer
	records  *records.Records
	terms    *terminals.Set
	agents   *agents.Pool
	tools    *tools.Tools
	policy   *policy.Policy
	keys     acp.Secrets // that users gave to agents: in no record
	logins   *login.Logins
	done     chan struct{} // closed when the host begins to close

	guarding sync.Mutex // guards guard; held while it is started
	guard    *guard.Guard

	given atomic.Pointer[settings.Settings] // set once, by hello; never changed then

	mu       sync.Mutex // guards all below
	sessions map[string]*Session
}

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
			return of(s).viewer.View(list, s.Spec().Title, s.Spec().Name)
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

// leaving reports that the host is being closed.
func (h *Host) leaving() bool {
	select {
	case <-h.done:
		return true
	default:
		return false
	}
}

// settings are those of the user's configuration, which the first verb brings. They must not be changed.
func (h *Host) settings() *settings.Settings {
	if s := h.given.Load(); s != nil {
		return s
	}
	return &settings.Settings{}
}

func (h *Host) session(id string) *Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sessions[id]
}

// all returns the sessions.
func (h *Host) all() []*Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.sessions))
}

// watch returns the guard. A host in which it cannot be started still ends its processes itself, unless it is killed.
func (h *Host) watch() *guard.Guard {
	h.guarding.Lock()
	defer h.guarding.Unlock()
	if h.guard == nil {
		h.guard = guard.New([]string{h.argv0, "guard"}, h.run, func(err error) { h.say("warn", err.Error()) })
	}
	return h.guard
}

// letGo forgets what was known of a Neovim that has left. It does not wait.
func (h *Host) letGo() {
	h.files.DetachEditor()
	h.tools.Detached()
	h.terms.Unwatch()
	h.log.Close()
	for _, s := range h.all() {
		if ask(s, (*session.State).Placed) != nil { // its lines are gone
			s.close()
		}
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
	}
	h.files.AttachEditor()
	h.terms.ShowAll()
	h.review.AttachEditor()
}
