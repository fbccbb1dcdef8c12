package policy

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/input"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// unasked notes the calls of a session, by what was known of them, that were held against the rules that deny since their agent has not
// asked about them. It is safe for concurrent use; the zero value is ready.
type unasked struct {
	mu    sync.Mutex
	calls map[[sha256.Size]byte]bool // sums of what was judged; guarded by mu
}

// first reports whether a call is new, or something new is known of it.
func (u *unasked) first(id string, r rules.Request) bool {
	call := sha256.Sum256(fmt.Append(nil, id, r))
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.calls[call] || len(u.calls) >= maxUnasked {
		return false
	}
	if u.calls == nil {
		u.calls = map[[sha256.Size]byte]bool{}
	}
	u.calls[call] = true
	return true
}

// Denied returns why a rule denies what an agent does through the editor, "" if none does. The user is told, too. It waits for the disk.
func (p *Policy) Denied(s feature.Session, r rules.Request) (why string) {
	if !p.Look(s) {
		return ""
	}

	list, _ := p.inForce(s)
	r.Agent, r.Cwd = s.Spec().Name, s.Cwd()
	verdict := rules.Judge(list, r)
	if verdict.Action != "deny" {
		return ""
	}
	s.Do(func(st *session.State) {
		st.Screen().SayOnce(s.Spec().Title + " was refused this: " + plain.OneLine(verdict.Why))
	})
	return verdict.Why
}

// Command returns what rules are asked about a command that the editor is to run, for an agent that works in a folder.
func Command(r *acp.CreateTerminalRequest, base string) rules.Request {
	var command any = r.Command // shell text
	if len(r.Args) > 0 {
		command = append([]string{r.Command}, r.Args...)
	}
	raw, _ := json.Marshal(map[string]any{"command": command}) // it has no values that fail
	in := input.Read(raw)
	return rules.Request{Kind: "execute", Base: base, Command: in.Command(), Dir: r.Cwd, Odd: in.Odd()}
}

// maxUnasked is how many calls of a session are looked at.
const maxUnasked = 10_000

// Unasked says that a call runs, or has run, which a rule denies, if its agent has not asked about it: then no rule could stop it. What is
// known of the call may come late: it is judged again. It does not wait.
func (p *Policy) Unasked(s feature.Session, call string, status acp.ToolCallStatus) {
	if status == acp.ToolCallPending || status == "" {
		return
	}

	var c *transcript.Call
	ruled := p.Ruled(s)
	s.Do(func(st *session.State) {
		if of := st.Call(call); of != nil && !of.Asked() && st.Turn() != nil && (ruled || st.Requests().Ruled()) {
			c = of.Clone()
		}
	})
	if c == nil {
		return
	}

	s.Spawn(func() { // ends when the rules are read and have followed links
		r := permission.RuleRequestOf(c, s.Spec().Name, s.Cwd())
		if !p.of(s).unasked.first(call, r) {
			return
		}
		list, _ := p.inForce(s) // who judges says what is wrong with them
		verdict := rules.Judge(list, r)
		if verdict.Action == "deny" {
			does := "ran"
			if status == acp.ToolCallFailed {
				does = "tried"
			}
			text := fmt.Sprintf("%s %s this without asking, so no rule could stop it: %s", s.Spec().Title, does, plain.OneLine(verdict.Why))
			s.Do(func(st *session.State) { st.Screen().SayOnce(text) })
		}
	})
}
