package permission

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Snapshot is a request as it is at one moment. It shares nothing that changes with the session's state, so it may be looked at
// without the session's lock.
type Snapshot struct {
	ID      string
	Version int

	at       time.Time
	made     New
	call     *transcript.Call // nil: there is none
	late     *transcript.Call // the same call as updates describe it since, if that contradicts the request
	details  bool
	file     int
	width    int
	why      string
	rules    []rules.Rule
	editable bool
}

func (q *Requests) snapshot(r *request) Snapshot {
	s := Snapshot{
		ID: r.ticket.ID, Version: r.version, at: r.at, made: r.New, details: r.details, file: r.file, width: r.width, why: r.why, rules: r.rules,
		editable: q.editable(r) != nil,
	}
	if r.about != nil {
		s.call, s.late = r.about.call, r.about.contradicts
	}
	return s
}

// Snapshot returns a request, and reports whether it is pending.
func (q *Requests) Snapshot(id string) (Snapshot, bool) {
	r := q.find(id)
	if r == nil {
		return Snapshot{}, false
	}
	return q.snapshot(r), true
}

// All returns the ids of all pending requests.
func (q *Requests) All() []string {
	var ids []string
	for _, r := range q.list {
		ids = append(ids, r.ticket.ID)
	}
	return ids
}

// maxShownAtOnce is how many requests the user is shown, with all their lines. Others come when these are answered.
const maxShownAtOnce = 30

// Shown returns the requests that the user is shown.
func (q *Requests) Shown() []Snapshot {
	list := []Snapshot{}
	for _, r := range q.list {
		if r.shown && len(list) < maxShownAtOnce {
			list = append(list, q.snapshot(r))
		}
	}
	return list
}

// Contradicted reports whether the agent has since described the call in another way: rules allow neither of the two.
func (s Snapshot) Contradicted() bool { return s.late != nil }

// RuleRequest returns what rules are asked about the request of an agent in a folder; false if it is about no tool call.
func (s Snapshot) RuleRequest(agent, cwd string) (rules.Request, bool) {
	c := s.call
	if c == nil {
		return rules.Request{}, false
	}

	r := s.made.ruleRequest(c, agent, cwd)
	if s.late != nil {
		late := s.made.ruleRequest(s.late, agent, cwd)
		r.Command = bothCommands(c, s.late)
		r.Paths, r.Edits = append(r.Paths, late.Paths...), append(r.Edits, late.Edits...)
		r.Unknown = append(r.Unknown, late.Unknown...)
		r.Odd = cmp.Or(r.Odd, late.Odd)
	}
	for _, list := range []*[]string{&r.Paths, &r.Edits} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}

	return r, true
}

// RuleRequestOf returns what rules are asked about a call of an agent in a folder.
func RuleRequestOf(c *transcript.Call, agent, cwd string) rules.Request {
	in := c.Input()
	r := rules.Request{
		Kind: string(c.Kind), Tool: c.Name, Agent: agent, Cwd: cwd, Command: in.Command(), Dir: in.Dir(), Odd: in.Odd(),
	}
	if c.Server != "" { // tools of other servers may have the same name
		r.Tool = c.Server + "/" + c.Name
	}
	if c.TooMany() {
		r.Odd = cmp.Or(r.Odd, "it has lists of so many entries that not all are known")
	}
	for _, m := range in.Unknown() {
		r.Unknown = append(r.Unknown, m.Name)
	}

	for _, d := range c.Diffs() {
		r.Paths, r.Edits = append(r.Paths, d.Path), append(r.Edits, d.Path)
	}

	for _, l := range c.Locations {
		r.Paths = append(r.Paths, l.Path)
	}

	r.Paths = append(append(r.Paths, in.Paths()...), in.Named()...)
	r.Globs = in.Globs()
	return r
}

// ruleRequest is [RuleRequestOf] of a call that is made where the one who asks works.
func (n New) ruleRequest(c *transcript.Call, agent, cwd string) rules.Request {
	r := RuleRequestOf(c, agent, cwd)
	r.Base = n.Dir
	return r
}

// absolute is a path that is taken from a folder. It goes up as it says: a link may be before "..".
func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return strings.TrimSuffix(dir, "/") + "/" + path
}

// bothCommands returns the commands of two descriptions of a call, a line for each.
func bothCommands(a, b *transcript.Call) string {
	if a.Command() == "" || b.Command() == "" || a.Command() == b.Command() {
		return cmp.Or(a.Command(), b.Command())
	}
	return a.Command() + "\n" + b.Command()
}
