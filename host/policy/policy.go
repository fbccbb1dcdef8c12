package policy

import (
	"sync"

	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/secrets"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// The functions of lua/nvim-acp/host.lua that are called here.
const (
	luaRules   = `require("nvim-acp.host").rules(...)`
	luaPropose = `require("nvim-acp.host").propose(...)`
)

// Policy decides what agents may do. It is safe for concurrent use.
type Policy struct {
	host feature.Host

	files sync.Mutex // held while a file of rules is changed; no other lock is taken under it but mu

	mu       sync.Mutex // guards sessions
	sessions map[string]*known
}

// known is what is known of a session.
type known struct {
	known   recent[map[secrets.ID][]string] // files that may hold secrets
	others  recent[map[string][]string]     // their other names
	judged  secrets.Judged
	unasked unasked
}

// New returns a policy that knows of no session.
func New(h feature.Host) *Policy { return &Policy{host: h, sessions: map[string]*known{}} }

type (
	ruleArgs struct {
		feature.Target
		ID      string `msgpack:"id"`      // of the permission that the rule is suggested for …
		Version int    `msgpack:"version"` // … as it was shown
		Text    string `msgpack:"text"`    // of the suggestion, or of a rule to remove
		Scope   string `msgpack:"scope"`   // "session" or "project"
	}
	proposeArgs struct {
		feature.Target
		ID      string `msgpack:"id"`      // of the request …
		Version int    `msgpack:"version"` // … as it was shown
	}
	listArgs struct{ feature.Target }
)

// Verbs are what a user can say, by their names.
func (p *Policy) Verbs() map[string]any {
	return map[string]any{
		"propose":     feature.OnSession(p.host, p.propose),
		"rule_add":    feature.OnSession(p.host, p.add),
		"rule_remove": feature.OnSession(p.host, p.remove),
		"rules":       feature.OnSession(p.host, p.list),
	}
}

// Ruled reports whether there are rules of the configuration or of the project for a session. It does not wait.
func (p *Policy) Ruled(s feature.Session) bool {
	return len(s.Spec().Rules) > 0 || len(p.host.Settings().Rules) > 0
}

// Look looks for rules that are kept for the folder of a session, which any session of it may have made, here or in another Neovim. It
// reports whether there are rules for the session. It waits for the disk.
func (p *Policy) Look(s feature.Session) (ruled bool) {
	kept, err := p.Kept(s.Cwd())
	s.Do(func(st *session.State) {
		st.Requests().SetLasting(len(kept) > 0 || err != nil)
		ruled = st.Requests().Ruled()
	})
	return ruled || p.Ruled(s)
}

// Closed forgets a session.
func (p *Policy) Closed(s feature.Session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.sessions, s.LocalID())
}

func (p *Policy) of(s feature.Session) *known {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sessions[s.LocalID()] == nil {
		p.sessions[s.LocalID()] = new(known)
	}
	return p.sessions[s.LocalID()]
}
