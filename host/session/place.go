package session

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/edit"
	"github.com/nvim-acp/nvim-acp/host/record"
)

// Placed returns what the session is about if it was begun at lines of a buffer, else nil.
func (s *State) Placed() *record.Place { return s.at.place }

// Place returns the lines that are edited as they are.
func (s *State) Place() edit.Snapshot { return s.at.edit.Snapshot() }

// Typed notes what the lines are by now.
func (s *State) Typed(lines []string, seen int) {
	s.at.edit.Typed(lines, seen)
	s.effects.Place = true
}

// StepPlace shows another version of the lines.
func (s *State) StepPlace(by int) {
	s.at.edit.Step(by)
	s.effects.Place = true
}

// LeavePlace notes what the user has decided on the lines.
func (s *State) LeavePlace(result string) {
	s.log.Say(result, "AcpDone")
	s.draw(Soon)
}

func (s *State) beginPlace(t *Turn) {
	if t.Prompt.Edit != nil {
		s.at.edit.Begin(*t.Prompt.Edit)
		s.queue.awaited = nil
		s.effects.Place = true
	}
}

// tellPlace takes what the agent has said into the answer.
func (s *State) tellPlace() {
	said := s.activeLog().Said()
	if s.replay.log == nil && said != "" && s.at.edit.Write(said) {
		s.effects.Place, s.effects.StopPlace = true, s.at.edit.Failed()
	}
}

// stopped is why there is no answer that the user did not want.
const stopped = "stopped"

// endPlace ends the answer with its turn.
func (s *State) endPlace(t *Turn, reason acp.StopReason, err error) {
	if t.Prompt.Edit == nil {
		return
	}

	fault, cut := "", false
	switch {
	case reason == acp.StopCancelled:
		fault = stopped
	case err != nil:
		fault = err.Error()
	case reason == acp.StopRefusal:
		fault = s.agent.Title + " refuses"
	case reason != acp.StopEndTurn:
		cut = true
	}

	s.at.edit.End(cut, fault)
	s.effects.Place = true
}

// settlePlace ends a place whose prompt was taken from the queue without being sent: by the user, or with its agent.
func (s *State) settlePlace() {
	if s.queue.awaited == nil || slices.ContainsFunc(s.queue.list, func(p Prompt) bool { return p.Edit == s.queue.awaited }) {
		return
	}
	s.at.edit.Begin(*s.queue.awaited)
	s.at.edit.End(false, cmp.Or(s.link.fault, stopped))
	s.queue.awaited = nil
	s.effects.Place = true
}

// readOnly are modes in which agents change nothing, as they are called, the best first.
var readOnly = []string{"ask", "read-only", "readonly", "read_only", "plan"}

// PlaceMode returns the mode for a session that is about lines of a buffer: one in which the agent changes nothing, "" if it
// offers none, or the session is a chat.
func (s *State) PlaceMode() string {
	opt := s.options.category(acp.CategoryMode)
	if opt == nil || s.at.place == nil {
		return ""
	}
	for _, word := range readOnly {
		for _, v := range opt.All() {
			if modeWord(v.Value) == word {
				return v.Value
			}
		}
	}
	return ""
}

// modeWord returns the word of a mode's id, which may be an address that ends with it.
func modeWord(id string) string {
	if i := strings.LastIndexAny(id, "#/"); i >= 0 {
		id = id[i+1:]
	}
	return strings.ToLower(id)
}
