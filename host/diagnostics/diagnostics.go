// Package diagnostics looks for the errors that a turn has brought into files, offers them or sends them to the agent, and has language
// servers told what has changed on the disk.
//
// What an error is compared with is in host/problems; what a session knows of it is part of its state.
package diagnostics

import (
	"context"

	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/history"
	"github.com/nvim-acp/nvim-acp/host/policy"
)

// Hooks are how Neovim is asked. None may be nil.
type Hooks struct {
	// Know asks a question for the agent of a session, and decodes the answer unless result is nil. It waits for Neovim, and returns
	// [feature.ErrNobody] if none is there, or leaves before it has answered.
	Know func(ctx context.Context, s feature.Session, question string, args map[string]any, result any) error
	// Pose returns a question that another call asks, and its answer, which must be called then.
	Pose func(s feature.Session, question string) (files.Question, feature.Answer)
}

// Checks looks for errors in the files that agents have changed. It is safe for concurrent use.
type Checks struct {
	host    feature.Host
	files   *files.Workspace
	history *history.History
	policy  *policy.Policy
	hooks   Hooks
	edits   tracker
	servers lspSync
}

// New returns checks that know of no turn.
func New(h feature.Host, w *files.Workspace, k *history.History, p *policy.Policy, hooks Hooks) *Checks {
	return &Checks{host: h, files: w, history: k, policy: p, hooks: hooks}
}

// AsksServers reports whether language servers answer a question: they are told before what has changed on the disk.
func AsksServers(question string) bool { return asksServers[question] }

type sendArgs struct{ feature.Target }

// Verbs are what a user can say, by their names.
func (c *Checks) Verbs() map[string]any {
	return map[string]any{"send_errors": feature.OnSession(c.host, c.send)}
}

// Changed notes a change of a file through the editor, by the agent of a session, or below a buffer: by is nil then. It does not wait.
func (c *Checks) Changed(by feature.Session, change files.Change) { c.edits.changed(by, change) }

// Moved notes that the user has renamed a file.
func (c *Checks) Moved(from, to string) { c.edits.moved(from, to) }

// Closed forgets a session.
func (c *Checks) Closed(s feature.Session) { c.edits.forget(s) }

// Checkpointed notes what the folders of a session held before it changed anything. It does not wait.
func (c *Checks) Checkpointed(roots []string, held checkpoint.Checkpoint) {
	c.servers.begin(roots, held)
}
