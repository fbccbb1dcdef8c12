package permission

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Answer is what the user, or their permission function, has chosen.
type Answer struct {
	ID      string
	Option  string
	Version int    // of the request, as it was shown
	Reason  string // of a rejection, for the agent
	By      string // "user" or "function"
	Changed bool   // the user has changed what is to be written …
	Path    string // … into this file …
	Text    string // … to this
}

// Result is what came of an answer.
type Result struct {
	Counts   bool
	Note     string    // for the agent, with the next prompt
	Accepted *Proposal // the user's version of a text
	Settled  bool      // the proposal of a changed text is to be told: that it counts …
	Version  int       // … or, if Counts is false, which version is pending now; 0: none is
}

// Proposal is an agent's text for a file that the user has changed before allowing it. It is written in place of the agent's
// in the same turn, if the agent then writes what it had proposed.
type Proposal struct{ Path, Agents, Users string }

// counts reports whether an answer is to what is asked now: to the same version, or a rejection with a reason, which is right for the
// new one too. A text that the user has changed must be one for the file that it was given for.
func (q *Requests) counts(r *request, a Answer) bool {
	if d := q.editable(r); a.Changed && (d == nil || d.Path != a.Path) {
		return false
	}
	if r.version == a.Version {
		return true
	}
	i := slices.IndexFunc(r.Options, func(o acp.PermissionOption) bool { return o.OptionID == a.Option })
	return a.Reason != "" && i >= 0 && rejects(r.Options[i])
}

// Answer answers a request. An answer to something that has changed, or was answered, does not count; the request is then
// shown anew.
func (q *Requests) Answer(a Answer, log *transcript.Transcript) Result {
	q.changed = true
	r := q.find(a.ID)
	if r == nil {
		return Result{Settled: a.Changed}
	}
	if !q.counts(r, a) {
		r.asked = r.version // whoever answers by an autocommand is asked again
		return Result{Settled: a.Changed, Version: r.version}
	}

	i := slices.IndexFunc(r.Options, func(o acp.PermissionOption) bool { return o.OptionID == a.Option })
	if i < 0 {
		return Result{}
	}

	option := r.Options[i]
	if r.large && !rejects(option) {
		return Result{Settled: a.Changed, Version: r.version}
	}

	got := Result{Counts: true, Settled: a.Changed}
	if d := q.editable(r); a.Changed && a.Text != d.NewText { // it counts, so there is a diff
		got.Accepted = &Proposal{Path: filepath.Clean(d.Path), Agents: d.NewText, Users: a.Text}
	}

	heading := r.heading()
	r.chosen = plain.Brief(nameOf(option))
	q.remove(r, rejects(option), log)

	if a.Reason != "" {
		got.Note = fmt.Sprintf("Note from the user, who rejected %q: %s", heading, a.Reason)
		log.Say("rejected: "+plain.OneLine(a.Reason), "AcpDone")
	}
	if a.By != "user" {
		log.Answered(!rejects(option), "your permission function")
	}

	q.deliver(r, Outcome{Option: a.Option})
	return got
}

// editable returns the diff of a request that can be changed before it is allowed: of a file, whole, that the agent will write
// through the editor. It is nil if there is none.
func (q *Requests) editable(r *request) *acp.Diff {
	if r.about == nil || r.about.contradicts != nil || !q.Editable || once(r.Options, "allow") < 0 {
		return nil
	}
	diffs := r.about.call.Diffs()
	if len(diffs) == 0 {
		return nil
	}
	return diffs[fileShown(r.file, len(diffs))]
}

// Offer returns the text that a request would write, for the user to change, and the option that would allow it. It is nil if there is
// no such text, or the request is not any more as the user has seen it.
func (q *Requests) Offer(id string, version int) (d *acp.Diff, option string) {
	r := q.find(id)
	if r == nil || r.version != version {
		return nil, ""
	}
	if d = q.editable(r); d == nil {
		return nil, ""
	}
	return d, r.Options[once(r.Options, "allow")].OptionID
}

// Inspect changes what is shown of a request: "details" its raw form, "next" and "previous" which of its files.
func (q *Requests) Inspect(id, what string) {
	r := q.find(id)
	if r == nil {
		return
	}
	switch what {
	case "details":
		r.details = !r.details
	case "next":
		r.file++
	case "previous":
		r.file--
	}

	r.version++
	q.changed = true
}

// LayOut notes how many cells a line of a request's text may have.
func (q *Requests) LayOut(id string, width int) {
	if r := q.find(id); r != nil && r.width != width {
		r.width, q.changed = width, true
	}
}

// onTheWay returns the tickets of answers that may have no place on the wire yet.
func (q *Requests) onTheWay() []*Ticket {
	q.unsent = slices.DeleteFunc(q.unsent, func(t *Ticket) bool {
		select {
		case <-t.sent:
			return true
		default:
			return false
		}
	})
	return q.unsent
}
