package permission

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/host/webpage"
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
	large    bool
}

// Contradicted reports whether the agent has since described the call in another way: rules allow neither of the two.
func (s Snapshot) Contradicted() bool { return s.late != nil }

// OnlyRejected reports whether the user was shown that the request cannot be allowed, since it cannot be read.
func (s Snapshot) OnlyRejected() bool { return s.large }

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
		r.Globs, r.Unknown = append(r.Globs, late.Globs...), append(r.Unknown, late.Unknown...)
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

// New is a request as it is made.
type New struct {
	Call    string              // id of the tool call it is about, "" for a question of our own
	Own     *acp.ToolCallUpdate // what the request says of that call …
	Before  *transcript.Call    // … and what was known of it before, nil if nothing was
	Title   string              // of a question of our own
	Kind    string              // the same: "read", "write", "elicitation"
	Lines   []string
	Text    string // Markdown, below Lines
	Raw     any    // the request as it came, for who wants the details; it is not changed
	Options []acp.PermissionOption
	Diff    *acp.Diff // of a question of our own: what would be written
	Form    *Form     // of an elicitation
	Turn    any       // the turn in which it is made, nil outside of any
	Child   string    // id of the child session that asks, "" if the session itself does …
	Who     string    // … and how that is called
	Dir     string    // folder that it works in, "" for the session's
	Sent    bool      // nothing has to be sent for its answer
}

// question is what a request that is about no call asks, on one line: the title of a form only says who asks.
func (n New) question() string {
	if n.Form != nil {
		for _, line := range n.Lines {
			if line = strings.TrimSpace(line); line != "" {
				return line
			}
		}
	}
	return n.Title
}

// Form is an elicitation: a form to fill in, or a page to visit.
type Form struct {
	Schema *acp.ElicitationSchema // of a form
	Page   *webpage.Page          // to be visited …
	ID     string                 // … and the agent's id of it

	problems map[string]string // of the values that were sent last, by field
}
