package permission

import (
	"sync"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/marks"
	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Viewer makes what is shown of a session's requests. What takes time is worked out once. It is safe for concurrent use.
type Viewer struct {
	Cwd     string
	Icons   transcript.Icons
	Text    func(path string) (string, bool) // the text of a file as the user has it; it may wait
	Changed func()                           // called from a goroutine of its own when the colours of a request are there

	mu    sync.Mutex // guards all below
	known map[string]*known
}

// known is what was worked out of a request.
type known struct {
	views   map[*acp.Diff]*transcript.DiffView
	command *commandView
	raw     acp.Raw // the request as JSON, if it has room …
	size    int     // … and its bytes …
	formed  bool    // … once it was made
}

// view is one request while it is worked out. The viewer's mutex is held.
type view struct {
	Snapshot
	*known
	viewer      *Viewer
	agent, name string          // title and name of the agent
	reads       int             // files that are being read, of diffs that are not shown
	quoted      bool            // something is shown in the agent's own words only
	title       string          // of the call, as it is shown
	named       []string        // texts of ours that name files
	files       map[string]bool // those that are named alone, as they are shown
	p           Shown
}

// headed is a title: who asks, and what.
func (v *view) headed(what string) string {
	v.p.What = what
	who := plain.OneLine(v.agent)
	if v.made.Who != "" {
		who += v.viewer.Icons.Between() + plain.Brief(v.made.Who)
	}
	return who + v.viewer.Icons.Between() + what
}

// short is a path as it is shown: relative where it is below the session's folder.
func (v *view) short(path string) string {
	return plain.OneLine(paths.Short(path, v.viewer.Cwd))
}

// doing says in words what a kind of tool does.
func doing(kind acp.ToolKind) string {
	words := map[acp.ToolKind]string{
		acp.ToolKindRead: "read", acp.ToolKindEdit: "edit", acp.ToolKindDelete: "delete", acp.ToolKindMove: "move",
		acp.ToolKindSearch: "search", acp.ToolKindExecute: "run", acp.ToolKindFetch: "fetch", acp.ToolKindSwitchMode: "change its mode",
	}
	if word := words[kind]; word != "" {
		return word
	}
	if kind != acp.ToolKindOther && kind != "" {
		return "use a tool of the kind " + plain.Brief(string(kind))
	}
	return "use a tool"
}

// commandView is a command laid out in rows, each with every byte of its part.
type commandView struct {
	of    string // the command
	lines []string
	marks marks.List
}

// folder returns a folder as it is shown: with ~ for the user's own.
func (v *view) folder(dir string) string {
	if dir == "" {
		dir = v.viewer.Cwd
	}
	return plain.OneLine(paths.Home(dir))
}
