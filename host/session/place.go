package session

import (
	"errors"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/edit"
	"github.com/nvim-acp/nvim-acp/host/record"
)

// Place is where the session is, if it was begun at lines of a buffer, and those lines, which are edited there.
type Place struct {
	screen  *Screen
	agent   *Agent
	at      *record.Place // nil: nowhere
	lines   edit.Place
	awaited *edit.Request // what is asked and waits in the queue; nil
	shown   bool          // the lines are to be shown: an effect
	stop    bool          // the turn is to be stopped: an effect
}

// check says what is impossible while a turn runs, which may be nil.
func (p *Place) check(t *Turn) error {
	if p.lines.Snapshot().Phase == edit.Working && (t == nil || t.Prompt.Edit == nil) && p.awaited == nil {
		return errors.New("an edit goes on without its turn")
	}
	return nil
}

// At returns what the session is about if it was begun at lines of a buffer, else nil.
func (p *Place) At() *record.Place { return p.at }

// Continue makes the session a chat, which no longer ends with its lines.
func (p *Place) Continue() { p.at = nil }

// Lines returns the lines that are edited as they are.
func (p *Place) Lines() edit.Snapshot { return p.lines.Snapshot() }

// FileChanged notes that the agent has changed a file.
func (p *Place) FileChanged() { p.lines.FileChanged() }

// Typed notes what the lines are by now.
func (p *Place) Typed(lines []string, seen int) {
	p.lines.Typed(lines, seen)
	p.shown = true
}

// Step shows another version of the lines.
func (p *Place) Step(by int) {
	p.lines.Step(by)
	p.shown = true
}

// Leave notes what the user has decided on the lines.
func (p *Place) Leave(result string) { p.screen.note(result, "AcpDone") }

// begin begins what a prompt asks.
func (p *Place) begin(asked *edit.Request) {
	if asked != nil {
		p.lines.Begin(*asked)
		p.awaited = nil
		p.shown = true
	}
}

// await notes what a prompt asks that is not sent yet, or not taken: the agent wants a login first, and what it has said is no answer.
func (p *Place) await(asked *edit.Request) {
	if asked == nil {
		return
	}
	if p.lines.Snapshot().Phase == edit.Working {
		p.lines.Begin(*asked)
		p.shown = true
	}
	p.awaited = asked
}

// Renew takes what a turn asks as it is sent.
func (p *Place) Renew(asked edit.Request) {
	p.lines.Renew(asked)
	p.shown = true
}

// write takes what the agent has said into the answer.
func (p *Place) write(said string) {
	if said != "" && p.lines.Write(said) {
		p.shown, p.stop = true, p.lines.Failed()
	}
}

// stopped is why there is no answer that the user did not want.
const stopped = "stopped"

// end ends the answer with its turn. login, unless it is nil, is how the user logs in.
func (p *Place) end(t *Turn, reason acp.StopReason, err error, login *LoginNeeded) {
	if t.Prompt.Edit == nil {
		return
	}

	fault, cut := "", false
	switch {
	case reason == acp.StopCancelled:
		fault = stopped
	case err != nil && login != nil:
		fault = login.fault(err)
	case err != nil:
		fault = err.Error()
	case reason == acp.StopRefusal:
		fault = p.agent.Title + " refuses"
	case reason != acp.StopEndTurn:
		cut = true
	}

	p.lines.End(cut, fault)
	p.shown = true
}

// drop ends what is asked, whose prompt was taken from the queue without being sent: by the user, or with its agent.
func (p *Place) drop(fault string) {
	p.lines.Begin(*p.awaited)
	p.lines.End(false, fault)
	p.awaited, p.shown = nil, true
}

// Forgotten says why the agent does not know how the session began. At lines of a buffer nobody sees that: there it is told.
func Forgotten(s *State, why string) {
	s.screen.Say(why, "AcpWarning")
	s.briefing.historyUnknown = s.briefing.historyUnknown || s.place.at != nil
}
