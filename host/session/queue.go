package session

import (
	"slices"
	"strings"
)

// Hold keeps the prompts that wait from being sent until the user says so.
func (s *State) Hold() {
	s.queue.list = slices.DeleteFunc(s.queue.list, func(p Prompt) bool { return p.Edit != nil }) // it is asked again rather than sent later
	for i := range s.queue.list {
		s.queue.list[i].Held = true
	}
	s.changed()
}

// QueueAction is what is left to do about a prompt of the queue.
type QueueAction struct {
	Prompt Prompt
	Steer  bool // it is to be sent into the turn that runs
	Cancel bool // the turn that runs is to be stopped, and its end sends the prompt
}

// Requeue does to a waiting prompt what the user wants: "now" sends it at once, "steer" into the turn that runs, "edit" gives it
// back, "remove" removes it, "up" moves it towards the front. It has moved if it is not at that index, from 1; nothing is done
// if it is not there any more.
func (s *State) Requeue(action string, index int, text string) QueueAction {
	i := index - 1
	if i < 0 || i >= len(s.queue.list) || s.queue.list[i].Text != text {
		i = slices.IndexFunc(s.queue.list, func(p Prompt) bool { return p.Text == text })
	}
	if i < 0 {
		return QueueAction{}
	}

	s.changed()
	p := s.queue.list[i]
	s.queue.list = slices.Delete(s.queue.list, i, i+1)
	switch action {
	case "now":
		p.Held = false
		s.queue.list = slices.Insert(s.queue.list, 0, p)
		s.OpenGate(nil)
		s.Next()
		return QueueAction{Cancel: s.turn != nil && s.effects.Begin == nil}
	case "up":
		s.queue.list = slices.Insert(s.queue.list, max(i-1, 0), p)
	case "steer":
		return QueueAction{Prompt: p, Steer: true}
	case "edit":
		s.giveBack(p)
	}

	return QueueAction{}
}

// Wanted is a prompt of the queue as the user wants it.
type Wanted struct {
	From    int          `msgpack:"from"` // its index in what was shown, from 1; 0 for a new prompt
	Text    string       `msgpack:"text"`
	Context []Attachment `msgpack:"context"` // what a text that is new or changed names
}

// rewrite gives a prompt another text. What it had beside its own words stays, and what these named goes.
func (p *Prompt) rewrite(text string, context []Attachment) {
	given := slices.DeleteFunc(slices.Clone(p.Context), func(a Attachment) bool { return strings.Contains(p.Text, a.Name) })
	p.Text, p.Context = text, append(given, context...)
}

// Reorder makes the queue what the user wants of the prompts shown, in that order. What was sent since is not queued again; what
// was queued since stays, at the end.
func (s *State) Reorder(shown []string, want []Wanted) {
	if s.Closed() {
		for _, w := range want {
			s.giveBack(Prompt{Text: w.Text, Context: w.Context})
		}
		return
	}

	at := make([]int, len(shown)) // in the queue; -1 for what was sent
	known := make([]bool, len(s.queue.list))
	next := len(s.queue.list) - 1
	for i := len(shown) - 1; i >= 0; i-- { // backwards, since prompts leave at the front
		at[i] = -1
		for j := next; j >= 0 && at[i] < 0; j-- {
			if s.queue.list[j].Text == shown[i] {
				at[i], known[j], next = j, true, j-1
			}
		}
	}

	held := slices.ContainsFunc(s.queue.list, func(p Prompt) bool { return p.Held })
	var queue []Prompt
	for _, w := range want {
		p := Prompt{Held: held}
		if from := w.From - 1; from >= 0 && from < len(at) {
			if at[from] < 0 {
				if w.Text != shown[from] { // it was sent as it was: the words must not be lost
					s.giveBack(Prompt{Text: w.Text, Context: w.Context})
				}
				continue
			}
			p = s.queue.list[at[from]]
		}
		if p.Text != w.Text {
			p.rewrite(w.Text, w.Context)
		}

		queue = append(queue, p)
	}

	for j, p := range s.queue.list {
		if !known[j] {
			queue = append(queue, p)
		}
	}

	s.queue.list = queue
	s.changed()
	s.Next()
}

// Steerable returns the running turn if words may be sent into it.
func (s *State) Steerable() *Turn {
	if t := s.turn; t != nil && t.sent && !t.cancelled && s.link.can().Steer {
		return t
	}
	return nil
}

// Steered shows a prompt that was sent into a turn, with notes for the user.
func (s *State) Steered(p Prompt, notes []string) {
	s.log.Steer(p.Text, p.names())
	s.Notes(notes)
	s.changed()
}

// RequeueSteered puts prompts back to the front of the queue. They wait for the user if an error kept them from the agent, or if the
// user has stopped the turn meanwhile; those for an agent that is gone come back to the user.
func (s *State) RequeueSteered(list []Prompt, t *Turn, err error) {
	if s.Closed() || t != nil && s.link.agent() == nil {
		s.giveBack(list...)
		return
	}
	for _, p := range slices.Backward(list) {
		p.Held = err != nil || t != nil && t.cancelled
		s.queue.list = slices.Insert(s.queue.list, 0, p)
	}
	if err != nil {
		s.log.Say("not sent into the turn: "+err.Error(), "AcpWarning")
	}
	s.Next()
}

// Drain takes the prompts that wait for the end of the running turn, but for those that wait for the user.
func (s *State) Drain() (*Turn, []Prompt) {
	t := s.turn
	if t == nil || t.cancelled {
		return t, nil
	}

	var taken []Prompt
	s.queue.list = slices.DeleteFunc(s.queue.list, func(p Prompt) bool {
		if !p.Held {
			taken = append(taken, p)
		}
		return !p.Held
	})
	s.changed()
	return t, taken
}
