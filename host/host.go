// Package host joins the editor to the agents: what the user asks becomes protocol, what agents do becomes text in buffers.
//
// Package main starts it with [Serve], which returns when Neovim goes, unless that has detached the host. A [Host] owns its agents'
// processes, its sessions and one render goroutine; each session's state is guarded by the session's own mutex, and no lock is held
// across a call to Neovim or to an agent.
package host

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
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
	"github.com/nvim-acp/nvim-acp/host/policy"
	"github.com/nvim-acp/nvim-acp/host/prompt"
	"github.com/nvim-acp/nvim-acp/host/records"
	"github.com/nvim-acp/nvim-acp/host/reviewing"
	"github.com/nvim-acp/nvim-acp/host/settings"
	"github.com/nvim-acp/nvim-acp/host/skillsets"
	"github.com/nvim-acp/nvim-acp/host/terminals"
	"github.com/nvim-acp/nvim-acp/host/tools"
	"github.com/nvim-acp/nvim-acp/host/viewing"
)

// Interface is raised whenever a verb, a Lua function called here, or a field of either changes; lua/nvim-acp/rpc.lua has the same number.
const Interface = 28

// parts are the features. They are made once, by newHost and addFeatures.
type parts struct {
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
	tools    *tools.Tools
	policy   *policy.Policy
	keys     acp.Secrets // that users gave to agents: in no record
	logins   *login.Logins
}

// Host is one Neovim's sessions and agents.
type Host struct {
	ed feature.Editor
	parts
	life    *attaching.Life
	version string
	run     string // marks every process of ours
	argv0   string // how we were started, for the guard
	files   *files.Workspace
	render  *drawing.Renderer
	records *records.Records
	terms   *terminals.Set
	agents  *agents.Pool
	done    chan struct{} // closed when the host begins to close

	guarding sync.Mutex // guards guard; held while it is started
	guard    *guard.Guard

	given atomic.Pointer[settings.Settings] // replaced as a whole, by hello and with each Neovim that attaches

	mu       sync.Mutex // guards all below
	sessions map[string]*Session
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

// speaking is a feature that takes verbs.
type speaking interface{ Verbs() map[string]any }
