package permission

import (
	"slices"
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
	call     *transcript.Call // a copy; nil: there is none
	details  bool
	file     int
	why      string
	rules    []rules.Rule
	editable bool
}

func (q *Requests) snapshot(r *request, log *transcript.Transcript) Snapshot {
	s := Snapshot{
		ID: r.ticket.ID, Version: r.version, at: r.at, made: r.New, details: r.details, file: r.file, why: r.why, rules: r.rules,
		editable: q.editable(r, log) != nil,
	}
	if c := log.Call(r.Call); c != nil {
		s.call = c.Clone()
	}
	return s
}

// Snapshot returns a request, and reports whether it is pending.
func (q *Requests) Snapshot(id string, log *transcript.Transcript) (Snapshot, bool) {
	r := q.find(id)
	if r == nil {
		return Snapshot{}, false
	}
	return q.snapshot(r, log), true
}

// All returns the ids of all pending requests.
func (q *Requests) All() []string {
	var ids []string
	for _, r := range q.list {
		ids = append(ids, r.ticket.ID)
	}
	return ids
}

// Shown returns the requests that the user is shown.
func (q *Requests) Shown(log *transcript.Transcript) []Snapshot {
	list := []Snapshot{}
	for _, r := range q.list {
		if r.shown {
			list = append(list, q.snapshot(r, log))
		}
	}
	return list
}

// RuleRequest returns what rules are asked about the request of an agent in a folder; false if it is about no tool call.
func (s Snapshot) RuleRequest(agent, cwd string) (rules.Request, bool) {
	c := s.call
	if c == nil {
		return rules.Request{}, false
	}
	in := c.Input()
	r := rules.Request{
		Kind: string(c.Kind), Tool: c.Name, Agent: agent, Cwd: cwd, Command: in.Command(), Dir: in.Dir(), Odd: in.Odd(),
	}
	for _, m := range in.Unknown() {
		r.Unknown = append(r.Unknown, m.Name)
	}
	for _, d := range c.Diffs() {
		r.Paths = append(r.Paths, d.Path)
	}
	for _, l := range c.Locations {
		r.Paths = append(r.Paths, l.Path)
	}
	r.Paths = append(r.Paths, in.Paths()...)
	slices.Sort(r.Paths)
	r.Paths = slices.Compact(r.Paths)
	return r, true
}
