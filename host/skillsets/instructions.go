package skillsets

import (
	"errors"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// Skills are part of an agent's instructions where it takes some with the request that opens a session; else they go with a prompt, and
// so does what changes of them later.

// Instructions returns what the agent gets of skills with the request that opens a session, nil if nothing. It reads files.
func (k *Sets) Instructions(s feature.Session, a *agents.Agent) (*acp.SystemPrompt, session.Skills) {
	if a.Can().SessionCapabilities.SystemPrompt == nil || a.Refuses.SystemPrompt.Load() {
		return nil, session.Skills{}
	}
	set := k.For(s, a)
	if set.message.Text == "" {
		return nil, session.Skills{}
	}
	told := set.ForPrompt()
	told.Summary = set.summary() + ", in the system prompt"
	return &acp.SystemPrompt{Mode: acp.PromptAppend, Content: []acp.ContentBlock{acp.Text(set.message.Text)}}, told
}

// Refused reports whether an agent has refused instructions that it said it takes: it is asked again, and gets none from then on.
func Refused(a *agents.Agent, sent *acp.SystemPrompt, err error) bool {
	var wrong *acp.Error
	if sent == nil || !errors.As(err, &wrong) || wrong.Code != acp.CodeInvalidParams {
		return false
	}
	a.Refuses.SystemPrompt.Store(true)
	return true
}
