// Package prompt makes of what a user sends what an agent gets: blocks of content, and a message about unsaved text where the agent reads
// the disk.
//
// Package host calls it before a prompt is sent, and sends the result. How a message about unsaved text reads is in host/unsaved.
package prompt

import (
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/policy"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// Carry puts the text of earlier sessions into the attachments that name one. It waits for the disk.
type Carry func(context []session.Attachment) error

// Prompts makes the prompts of all sessions. It is safe for concurrent use, and has no goroutines but those of the sessions.
type Prompts struct {
	host   feature.Host
	files  *files.Workspace
	policy *policy.Policy
	carry  Carry
}

// New returns a Prompts.
func New(h feature.Host, w *files.Workspace, p *policy.Policy, carry Carry) *Prompts {
	return &Prompts{host: h, files: w, policy: p, carry: carry}
}
