// Package permission keeps what waits for the user: permission requests, forms and pages of agents, and questions of our
// own about files.
//
// A session's state holds its [Requests], which have no lock and start no goroutine: they are guarded by the session. Whoever
// asked waits on a [Ticket]. What the user is shown is made from a [Snapshot], by a [Viewer], outside the session's lock.
package permission

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// request is something the user must decide. It waits for as long as it takes.
type request struct {
	New
	about   *subject // nil for a question of our own
	ticket  *Ticket
	at      time.Time
	version int          // counts the changes of what the user, rules and functions are given
	content uint64       // of the call, as far as these are given it
	details bool         // the raw request is shown too
	file    int          // of several diffs the one that is shown
	width   int          // cells that Lua has for its text; 0: not known yet
	large   bool         // the user was shown that it can only be rejected
	shown   bool         // the rules have left it to the user …
	why     string       // … for this reason
	rules   []rules.Rule // … and these are they
	chosen  string       // the name of the option, once it is answered

	asked     int // the version of what is asked
	announced int // the version that AcpPermission was raised for, 0 while the editor does not have the request
}

// Ticket is how whoever has asked waits for the answer. It is safe for concurrent use.
type Ticket struct {
	ID     string
	answer chan Outcome // size 1
	sent   chan struct{}
}

// Outcome is the answer to a request: the id of an option, or "" if the request was withdrawn; of a form what is sent.
type Outcome struct {
	Option string
	Ruled  bool // a rule has chosen the option: the user has not seen the request
	Form   *acp.CreateElicitationResponse
}

// Wait returns the answer, or the error of the context.
func (t *Ticket) Wait(ctx context.Context) (Outcome, error) {
	select {
	case got := <-t.answer:
		return got, nil
	case <-ctx.Done():
		return Outcome{}, ctx.Err()
	}
}

// Answered returns the answer if there is one already.
func (t *Ticket) Answered() (Outcome, bool) {
	select {
	case got := <-t.answer:
		return got, true
	default:
		return Outcome{}, false
	}
}

// MarkSent says that the agent's answer has its place on the wire. It must be called once.
func (t *Ticket) MarkSent() { close(t.sent) }

// Sent is closed when the answer has its place on the wire.
func (t *Ticket) Sent() <-chan struct{} { return t.sent }

// Decision is an answer that is to be delivered.
type Decision struct {
	ticket  *Ticket
	outcome Outcome
}

// Deliver hands the answer to whoever waits. It does not block.
func (d Decision) Deliver() { d.ticket.answer <- d.outcome }

// Event is a `User` autocommand to raise.
type Event struct {
	Name string
	Data map[string]any
}

// Requests are the pending requests of a session, the oldest first. It is not safe for concurrent use.
type Requests struct {
	Session  string // id, which begins those of the requests
	Folder   string // of the session, in which commands run that name none
	Editable bool   // the agent writes through the editor, so that what it writes can be changed before

	list      []*request
	changed   bool
	decisions []Decision
	events    []Event
	unsent    []*Ticket // those that were answered and whose answers may have no place on the wire yet
}

// Len returns how many requests are pending.
func (q *Requests) Len() int { return len(q.list) }

// Changed reports whether what the user is to be shown has changed since it was last asked.
func (q *Requests) Changed() bool {
	was := q.changed
	q.changed = false
	return was
}

// Waiting is a request that waits for the user.
type Waiting struct{ ID, Title string }

// Waiting returns the requests that the rules have left to the user, the oldest first.
func (q *Requests) Waiting() []Waiting {
	var out []Waiting
	for _, r := range q.list {
		if r.shown {
			out = append(out, Waiting{r.ticket.ID, plain.OneLine(r.heading())})
		}
	}
	return out
}

// ShowAgain has everything that is pending shown anew.
func (q *Requests) ShowAgain() { q.changed = true }

// AnnounceAgain has everything that is pending shown and announced anew: another editor has come.
func (q *Requests) AnnounceAgain() {
	for _, r := range q.list {
		r.announced = 0
	}
	q.changed = true
}

// Take returns the answers that are to be delivered and the events to raise, once.
func (q *Requests) Take() (decisions []Decision, events []Event) {
	if q.changed {
		q.announce()
	}
	decisions, events = q.decisions, q.events
	q.decisions, q.events = nil, nil
	return decisions, events
}

// Add puts a request at the end. The user is not shown it before [Requests.Show].
//
// Its id is that of no other, also of a session that was opened again, or whose program has died: Neovim remembers by it what the user has
// seen, hidden and filled in.
func (q *Requests) Add(n New) *Ticket {
	t := &Ticket{ID: q.Session + "/" + rand.Text(), answer: make(chan Outcome, 1), sent: make(chan struct{})}
	if n.Sent {
		t.MarkSent()
	}

	r := &request{New: n, ticket: t, at: time.Now(), version: 1, asked: 1}
	if n.Own != nil {
		before := n.Before
		for _, other := range q.list { // the log has what they say of their calls
			if other.about != nil && other.Call == n.Call {
				before = other.about.base
			}
		}
		r.about = newSubject(n.Own, before, q.Folder)
		r.content = r.about.sum()
	}

	q.list = append(q.list, r)
	q.changed = true
	return t
}

func (q *Requests) find(id string) *request {
	i := slices.IndexFunc(q.list, func(r *request) bool { return r.ticket.ID == id })
	if i < 0 {
		return nil
	}
	return q.list[i]
}

// heading is what a request is about, on one line.
func (r *request) heading() string {
	if r.about != nil {
		return plain.Brief(r.about.call.Heading())
	}
	return r.question()
}

// Show leaves a request to the user, for a reason that rules give, "" if there are none.
func (q *Requests) Show(id, why string, judged []rules.Rule) {
	r := q.find(id)
	if r == nil {
		return
	}
	q.changed = true
	r.why, r.rules = why, judged
	r.shown = true
}

// announce raises AcpPermission for the requests that the editor has, once for each version of what is asked. One that others have
// pushed out could not be answered meanwhile: it is announced again.
func (q *Requests) announce() {
	now, later := q.split()
	for _, r := range later {
		r.announced = 0
	}
	for _, r := range now {
		if r.announced != r.asked {
			r.announced = r.asked
			q.emit("AcpPermission", map[string]any{"id": r.ticket.ID, "title": r.heading(), "options": optionsOf(r.Options)})
		}
	}
}

func (q *Requests) emit(name string, data map[string]any) {
	q.events = append(q.events, Event{name, data})
}

// remove takes a request away that is answered, or withdrawn with no option chosen; rejected says how it was answered.
func (q *Requests) remove(r *request, rejected bool, log *transcript.Transcript) {
	i := slices.Index(q.list, r)
	if i < 0 {
		return
	}

	q.list = slices.Delete(q.list, i, i+1)
	q.changed = true
	if r.Call != "" {
		log.Calls().PermissionDone(r.Call, rejected)
		if r.chosen != "" && !rejected {
			log.Calls().Allowed(r.Call)
		}
	}

	answer := r.chosen
	if answer == "" {
		answer = "withdrawn"
	}

	log.Unrecorded().Decided(r.ticket.ID, r.heading(), answer)
	q.emit("AcpPermissionDone", map[string]any{"id": r.ticket.ID})
}

func (q *Requests) deliver(r *request, o Outcome) {
	q.decisions = append(q.decisions, Decision{r.ticket, o})
	q.unsent = append(q.onTheWay(), r.ticket)
}

// GiveUp removes a request whose asker waits no longer.
func (q *Requests) GiveUp(id string, log *transcript.Transcript) {
	if r := q.find(id); r != nil {
		q.remove(r, false, log)
	}
}

// Withdraw answers the requests of a turn as withdrawn, or with a nil turn all of them. It returns the tickets of all answers that the
// agent may not have yet, also of those that the user has just given: it is to have them before it hears of a stop.
func (q *Requests) Withdraw(turn any, log *transcript.Transcript) []*Ticket {
	for _, r := range slices.Clone(q.list) {
		if turn != nil && r.Turn != turn {
			continue
		}
		q.remove(r, false, log)
		q.deliver(r, Outcome{})
	}
	return slices.Clone(q.onTheWay())
}

// WithdrawOf answers the requests of child sessions as withdrawn. It returns tickets as [Requests.Withdraw] does.
func (q *Requests) WithdrawOf(children []string, log *transcript.Transcript) []*Ticket {
	for _, r := range slices.Clone(q.list) {
		if r.Child == "" || !slices.Contains(children, r.Child) {
			continue
		}
		q.remove(r, false, log)
		q.deliver(r, Outcome{})
	}
	return slices.Clone(q.onTheWay())
}

// WithdrawOne answers a request as withdrawn, if it is pending.
func (q *Requests) WithdrawOne(id string, log *transcript.Transcript) {
	if r := q.find(id); r != nil {
		q.remove(r, false, log)
		q.deliver(r, Outcome{})
	}
}

// CallChanged applies an update of a tool call: its requests are shown anew where that makes a difference, and those of a call
// that is over are withdrawn.
func (q *Requests) CallChanged(u *acp.ToolCallUpdate, log *transcript.Transcript) {
	for _, r := range slices.Clone(q.list) {
		switch {
		case r.about == nil || r.Call != u.ToolCallID:
			continue
		case u.Status == acp.ToolCallCompleted || u.Status == acp.ToolCallFailed:
			q.remove(r, false, log)
			q.deliver(r, Outcome{})
			continue
		}

		r.about.update(u)
		if sum := r.about.sum(); sum != r.content {
			r.content, q.changed = sum, true
			r.version++
			r.asked = r.version
		}
	}
}

// Decide answers a request by a rule: with the option that allows or denies once. It reports whether that could be done; a
// request of another version is left to the user.
func (q *Requests) Decide(id string, version int, v rules.Verdict, judged []rules.Rule, log *transcript.Transcript) bool {
	r := q.find(id)
	if r == nil {
		return false
	}
	if r.version != version { // it is another request by now: the user decides
		v = rules.Verdict{Action: "ask", Why: "the request changed while the rules were asked"}
	}
	if r.large && v.Action == "allow" {
		v = rules.Verdict{Action: "ask", Why: "it is too large to be read here"}
	}

	i := once(r.Options, v.Action)
	if i < 0 {
		q.Show(id, v.Why, judged)
		return false
	}

	r.rules = judged
	r.chosen = plain.Brief(nameOf(r.Options[i]))
	q.remove(r, v.Action == "deny", log)
	by := "rule"
	if v.Rule != nil {
		by += ": " + plain.OneLine(v.Rule.Conditions())
	}

	log.Answered(v.Action == "allow", by)
	q.deliver(r, Outcome{Option: r.Options[i].OptionID, Ruled: true})
	return true
}

// once returns the index of the option that a rule may choose: the one that allows or denies this one time; -1 if there is none.
func once(options []acp.PermissionOption, action string) int {
	want := map[string]acp.PermissionOptionKind{"allow": acp.AllowOnce, "deny": acp.RejectOnce}[action]
	if want == "" {
		return -1
	}
	return slices.IndexFunc(options, func(o acp.PermissionOption) bool { return o.Kind == want })
}

func rejects(o acp.PermissionOption) bool { return strings.HasPrefix(string(o.Kind), "reject") }

// Stale reports whether a request is pending of another turn than the running one, nil if none runs.
func (q *Requests) Stale(running any) bool {
	return slices.ContainsFunc(q.list, func(r *request) bool { return r.Turn != nil && r.Turn != running })
}

// rawOf returns what an agent, or a tool, has asked for as JSON; nil if it is no JSON.
func rawOf(v any) acp.Raw {
	out, err := acp.Marshal(v)
	if v == nil || err != nil {
		return nil
	}
	return out
}
