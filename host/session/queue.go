package session

import (
	"fmt"
	"slices"

	"github.com/nvim-acp/nvim-acp/host/edit"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/record"
)

// maxHad is of how many prompts a session keeps the ids, the latest.
const maxHad = 100

// Queue is the prompts that wait, and what keeps them.
type Queue struct {
	screen   *Screen
	requests *Requests
	list     []Prompt
	steered  []Prompt   // on their way into the running turn: the agent has not answered
	had      []string   // ids of the prompts that came from the editor, the latest of them
	back     []Prompt   // that come back to the user
	attached []attached // to prompts that have begun turns, the latest of them
	gate     *Gate      // nil: open
	refused  int        // how often the agent has not taken the mode that the user has chosen
}

// ModesRefused returns how often the agent has not taken a mode that the user has chosen.
func (q *Queue) ModesRefused() int { return q.refused }

// Gate keeps the next turn from beginning until the user has decided on what the last one has changed.
type Gate struct {
	ticket *permission.Ticket // of the question; nil until it is known that there is something to decide
}

func (q *Queue) check(closed bool) error {
	seen := map[string]bool{}
	for _, p := range q.list {
		switch {
		case closed:
			return fmt.Errorf("a closed session has a prompt waiting: %q", p.Text)
		case p.ID != "" && seen[p.ID]:
			return fmt.Errorf("prompt %s waits twice", p.ID)
		}
		seen[p.ID] = true
	}
	return nil
}

// Len is how many prompts wait.
func (q *Queue) Len() int { return len(q.list) }

// Had returns the ids of the prompts that came from the editor, the latest of them.
func (q *Queue) Had() []string { return append([]string{}, q.had...) }

// add has a prompt wait behind the others.
func (q *Queue) add(p Prompt) {
	q.list = append(q.list, p)
	if p.ID != "" {
		q.had = append(q.had[max(0, len(q.had)-maxHad+1):], p.ID)
	}
	if q.gate != nil && q.gate.ticket != nil {
		q.sayGated()
	}
}

// insert puts prompts at the front.
func (q *Queue) insert(list ...Prompt) { q.list = slices.Insert(q.list, 0, list...) }

// next takes the first prompt that may be sent, if there is one.
func (q *Queue) next() (p Prompt, ok bool) {
	i := slices.IndexFunc(q.list, func(p Prompt) bool { return !p.Held })
	if i < 0 || q.gate != nil {
		return Prompt{}, false
	}
	return q.remove(i), true
}

func (q *Queue) remove(i int) Prompt {
	p := q.list[i]
	q.list = slices.Delete(q.list, i, i+1)
	return p
}

// find returns the index of a prompt with a text, which it is expected at; -1 if there is none any more.
func (q *Queue) find(i int, text string) int {
	if i < 0 || i >= len(q.list) || q.list[i].Text != text {
		return slices.IndexFunc(q.list, func(p Prompt) bool { return p.Text == text })
	}
	return i
}

// has reports whether what is asked at lines of a buffer waits.
func (q *Queue) has(asked *edit.Request) bool {
	return slices.ContainsFunc(q.list, func(p Prompt) bool { return p.Edit == asked })
}

// Hold keeps the prompts that wait from being sent until the user says so.
func (q *Queue) Hold() {
	q.list = slices.DeleteFunc(q.list, func(p Prompt) bool { return p.Edit != nil }) // it is asked again rather than sent later
	for i := range q.list {
		q.list[i].Held = true
	}
	q.screen.Refresh()
}

const heldForMode = "queued prompts are held: they would run in another mode than was chosen (:AcpQueue)"

// holdForMode holds the prompts that would run in another mode than the user has chosen. What is asked at lines of a buffer has a mode of
// its own.
func (q *Queue) holdForMode() {
	held := false
	q.refused++
	for i := range q.list {
		p := &q.list[i]
		held = held || !p.Held && p.Edit == nil
		p.Held = p.Held || p.Edit == nil
	}
	if held {
		q.screen.Say(heldForMode, "AcpWarning")
	}
}

// steer notes that a prompt is on its way into the running turn.
func (q *Queue) steer(p Prompt) { q.steered = append(q.steered, p) }

// arrived notes what has become of a prompt that was on its way. It reports false if that has come back to the user meanwhile.
func (q *Queue) arrived(p Prompt) bool {
	i := slices.IndexFunc(q.steered, func(o Prompt) bool { return o.ID == p.ID && o.Text == p.Text })
	if i < 0 {
		return false
	}
	q.steered = slices.Delete(q.steered, i, i+1)
	q.screen.Refresh()
	return true
}

// Drain takes the prompts that wait for the end of a turn, but for those that wait for the user.
func (q *Queue) Drain() (taken []Prompt) {
	q.list = slices.DeleteFunc(q.list, func(p Prompt) bool {
		if !p.Held {
			taken = append(taken, p)
			q.steer(p)
		}
		return !p.Held
	})
	q.screen.Refresh()
	return taken
}

// GiveBack returns prompts to the user. Those of a place are not for the prompt of a chat.
func (q *Queue) GiveBack(list ...Prompt) {
	for _, p := range list {
		if p.Edit == nil {
			q.back = append(q.back, p)
		}
	}
}

// All returns the prompts that wait, with those on their way into the running turn.
func (q *Queue) All() []Prompt { return slices.Concat(q.steered, q.list) }

// restore returns the prompts to the user that a record has.
func (q *Queue) restore(list []record.Prompt) {
	for _, w := range list {
		p := Prompt{ID: w.ID, Text: w.Text}
		for _, a := range w.Context {
			p.Context = append(p.Context, Attachment(a))
		}
		q.GiveBack(p)
	}
}

// giveBackAll returns all that wait to the user.
func (q *Queue) giveBackAll() {
	q.GiveBack(q.list...)
	q.list = nil
}

// giveBackWaiting returns those that do not wait for the user to the user.
func (q *Queue) giveBackWaiting() {
	q.list = slices.DeleteFunc(q.list, func(p Prompt) bool {
		if !p.Held {
			q.GiveBack(p)
		}
		return !p.Held
	})
}

// Wanted is a prompt of the queue as the user wants it.
type Wanted struct {
	From    int          `msgpack:"from"` // its index in what was shown, from 1; 0 for a new prompt
	Text    string       `msgpack:"text"`
	Context []Attachment `msgpack:"context"` // what a text that is new or changed names …
	Names   []string     `msgpack:"names"`   // … with these words, as far as that is to be found now
}

// reorder makes the queue what the user wants of the prompts shown, in that order. What was sent since is not queued again; what
// was queued since stays, at the end.
func (q *Queue) reorder(shown []string, want []Wanted) {
	at := make([]int, len(shown)) // in the queue; -1 for what was sent
	known := make([]bool, len(q.list))
	next := len(q.list) - 1
	for i := len(shown) - 1; i >= 0; i-- { // backwards, since prompts leave at the front
		at[i] = -1
		for j := next; j >= 0 && at[i] < 0; j-- {
			if q.list[j].Text == shown[i] {
				at[i], known[j], next = j, true, j-1
			}
		}
	}

	held := slices.ContainsFunc(q.list, func(p Prompt) bool { return p.Held })
	var list []Prompt
	for _, w := range want {
		p := Prompt{Held: held}
		if from := w.From - 1; from >= 0 && from < len(at) {
			if at[from] < 0 {
				if w.Text != shown[from] { // it was sent as it was: the words must not be lost
					q.GiveBack(Prompt{Text: w.Text, Context: w.Context})
				}
				continue
			}
			p = q.list[at[from]]
		}
		if p.Text != w.Text {
			p.rewrite(w)
		}

		list = append(list, p)
	}

	for j, p := range q.list {
		if !known[j] {
			list = append(list, p)
		}
	}

	q.list = list
}

// CloseGate keeps further turns from beginning. Whoever calls it calls [State.OpenGate].
func (q *Queue) CloseGate() *Gate {
	q.gate = &Gate{}
	return q.gate
}

// AskAtGate asks the user to decide, and returns nil if the gate is open by now.
func (q *Queue) AskAtGate(g *Gate, n permission.New) *permission.Ticket {
	if g == nil || q.gate != g {
		return nil
	}
	if len(q.list) > 0 {
		q.sayGated()
	}
	g.ticket = q.requests.Ask(n)
	return g.ticket
}

// openGate opens a gate, nil for any, and takes the question back if it is not answered. It reports false if that is open already.
func (q *Queue) openGate(g *Gate) bool {
	if q.gate == nil || g != nil && q.gate != g {
		return false
	}
	if t := q.gate.ticket; t != nil {
		q.requests.withdrawOne(t)
	}
	q.gate = nil
	return true
}

// sayGated says why a prompt waits.
func (q *Queue) sayGated() {
	const text = "the next prompt waits until you have decided on the changes: :AcpPermit, :AcpReview turn; :AcpStop leaves them"
	q.screen.log.Mark(text, "AcpNotice")
}
