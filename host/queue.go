package host

import "slices"

// requeue does to a waiting prompt what the user wants: sends it now, or into the turn that runs, gives it back to be edited,
// removes it, or moves it towards the front.
func (s *Session) requeue(a queueArgs) {
	i := a.Index - 1
	s.mu.Lock()
	if i < 0 || i >= len(s.queue) || s.queue[i].text != a.Text {
		s.mu.Unlock()
		return // sent or removed meanwhile
	}
	p := s.queue[i]
	running := s.turn != nil
	s.queue = slices.Delete(s.queue, i, i+1)
	switch a.Action {
	case "now":
		p.held = false
		s.queue = slices.Insert(s.queue, 0, p)
	case "up":
		s.queue = slices.Insert(s.queue, max(i-1, 0), p)
	}
	s.status = true
	s.mu.Unlock()
	s.hurry()
	switch {
	case a.Action == "steer":
		s.steer(p)
	case a.Action == "edit":
		s.giveBack(p)
	case a.Action == "now" && running:
		s.cancelTurn() // the end of the turn sends what is first in the queue
	case a.Action == "now":
		s.next()
	}
}
