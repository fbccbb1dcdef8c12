package policy

import (
	"fmt"
	"sync"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// unasked notes the calls of a session that were held against the rules that deny since their agent has not asked about them. It is
// safe for concurrent use; the zero value is ready.
type unasked struct {
	mu    sync.Mutex
	calls map[string]bool // guarded by mu
}

// first reports whether a call is new.
func (u *unasked) first(call string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.calls[call] || len(u.calls) >= maxUnasked {
		return false
	}
	if u.calls == nil {
		u.calls = map[string]bool{}
	}
	u.calls[call] = true
	return true
}

// maxUnasked is how many calls of a session are looked at.
const maxUnasked = 10_000

// Unasked says that a call runs which a rule denies, if its agent has not asked about it: then no rule could stop it. It does not
// wait.
func (p *Policy) Unasked(s feature.Session, call string, status acp.ToolCallStatus) {
	if status != acp.ToolCallInProgress && status != acp.ToolCallCompleted {
		return
	}

	var c *transcript.Call
	ruled := p.Ruled(s)
	s.Do(func(st *session.State) {
		if of := st.Call(call); of != nil && !of.Asked() && st.Turn() != nil && (ruled || st.Requests().Ruled()) {
			c = of.Clone()
		}
	})
	if c == nil || !p.of(s).unasked.first(call) {
		return
	}

	s.Spawn(func() { // ends when the rules are read and have followed links
		list, _ := p.inForce(s) // who judges says what is wrong with them
		verdict := rules.Judge(list, permission.RuleRequestOf(c, s.Spec().Name, s.Cwd()))
		if verdict.Action == "deny" {
			text := fmt.Sprintf("%s ran this without asking, so no rule could stop it: %s", s.Spec().Title, plain.OneLine(verdict.Why))
			s.Do(func(st *session.State) { st.Screen().SayOnce(text) })
		}
	})
}
