package session

import (
	"errors"
	"slices"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/rules"
)

// Requests are what waits for the user, and the rules that may answer in their place.
type Requests struct {
	screen  *Screen
	agent   *Agent
	turns   *turns
	list    permission.Requests
	own     []rules.Rule // made for this session only
	lasting bool         // there may be rules for good of its folder
}

func (r *Requests) check(closed bool) error {
	switch {
	case r.list.Stale(r.turns.now):
		return errors.New("a request is pending of a turn that is over")
	case closed && r.list.Len() > 0:
		return errors.New("a closed session has requests pending")
	}
	return nil
}

// Ruled reports whether there may be rules beside those of the settings.
func (r *Requests) Ruled() bool { return len(r.own) > 0 || r.lasting }

func (r *Requests) add(n permission.New) *permission.Ticket {
	if r.turns.now != nil && n.Child == "" { // a child may go on after the turn
		n.Turn = r.turns.now
	}
	r.screen.Refresh()
	return r.list.Add(n)
}

// Ask adds a question of our own, which the user is shown.
func (r *Requests) Ask(n permission.New) *permission.Ticket {
	n.Sent = true
	n.Title = plain.OneLine(r.agent.Title) + " " + n.Title
	t := r.add(n)
	r.Show(t)
	return t
}

// Show leaves a request to the user.
func (r *Requests) Show(t *permission.Ticket) {
	r.list.Show(t.ID, "", nil)
	r.screen.Refresh()
}

// GiveUp removes a request whose asker waits no longer.
func (r *Requests) GiveUp(t *permission.Ticket) {
	r.list.GiveUp(t.ID, r.screen.log)
	r.screen.Refresh()
}

// Pending returns a request, and reports whether it is pending.
func (r *Requests) Pending(id string) (permission.Snapshot, bool) { return r.list.Snapshot(id) }

// Waiting returns what waits for the user.
func (r *Requests) Waiting() []permission.Waiting { return r.list.Waiting() }

// All returns the ids of the pending requests.
func (r *Requests) All() []string { return r.list.All() }

// Decide answers a request as rules say, or leaves it to the user.
func (r *Requests) Decide(id string, version int, v rules.Verdict, judged []rules.Rule) {
	r.list.Decide(id, version, v, judged, r.screen.log)
	r.screen.Refresh()
}

// Inspect changes what is shown of a request.
func (r *Requests) Inspect(id, what string) {
	r.list.Inspect(id, what)
	r.screen.Refresh()
}

// LayOut notes how many cells a line of a request's text may have.
func (r *Requests) LayOut(id string, width int) {
	r.list.LayOut(id, width)
	r.screen.Refresh()
}

// Offer returns the text that a request would write, for the user to change.
func (r *Requests) Offer(id string, version int) (d *acp.Diff, option string) {
	return r.list.Offer(id, version)
}

// Fill answers a form.
func (r *Requests) Fill(f permission.Filled) {
	r.list.Fill(f, r.screen.log)
	r.screen.Refresh()
}

// Complete ends the wait for a page.
func (r *Requests) Complete(page string) {
	r.list.Complete(page, r.screen.log)
	r.screen.Refresh()
}

// AnnounceAgain has what waits for the user drawn and announced anew, in another editor.
func (r *Requests) AnnounceAgain() {
	r.list.AnnounceAgain()
	r.screen.Refresh()
}

// ShowAgain has what waits for the user drawn anew.
func (r *Requests) ShowAgain() {
	r.list.ShowAgain()
	r.screen.Refresh()
}

// withdraw answers what a turn asks with cancelled; nil is all.
func (r *Requests) withdraw(t any) []*permission.Ticket { return r.list.Withdraw(t, r.screen.log) }

func (r *Requests) withdrawOne(t *permission.Ticket) { r.list.WithdrawOne(t.ID, r.screen.log) }

// withdrawOf answers what children ask with cancelled.
func (r *Requests) withdrawOf(children []string) []*permission.Ticket {
	return r.list.WithdrawOf(children, r.screen.log)
}

// Drawn notes what the user is about to be shown.
func (r *Requests) Drawn(list []permission.Shown) { r.list.Drawn(list) }

// Rules returns the rules of this session.
func (r *Requests) Rules() []rules.Rule { return slices.Clone(r.own) }

// SetRules changes the rules of this session.
func (r *Requests) SetRules(change func([]rules.Rule) []rules.Rule) {
	r.own = change(r.own)
	r.screen.decided()
}

// record returns the rules of this session for its record.
func (r *Requests) record() (list []record.Rule) {
	for _, rule := range r.own {
		list = append(list, record.Rule(rule))
	}
	return list
}

// restore adds the rules of a record.
func (r *Requests) restore(list []record.Rule) {
	for _, of := range list {
		rule := rules.Rule(of)
		rule.From = "session"
		if !slices.Contains(r.own, rule) {
			r.own = append(r.own, rule)
		}
	}
}

// SetLasting notes whether there may be rules that are kept for the folder.
func (r *Requests) SetLasting(on bool) { r.lasting = on }
