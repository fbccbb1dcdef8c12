package session

import (
	"cmp"
	"errors"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/permission"
)

// Opening is how a session is to be opened.
type Opening struct {
	Remote string // the agent's id of the one to go on with, "" for a new one …
	Fork   string // … which may begin as a copy
	Cut    *Cut   // … of an earlier point; nil: of all
	Bare   bool   // it is new, and nothing is shown
}

// Connect gives the session its connection, which the caller has claimed.
func (s *State) Connect(c Connection) Opening {
	if s.lost {
		text := "the program nvim-acp ended here and was started again"
		if s.replay.recorded {
			text += "; restored from local history"
		}
		s.screen.note(text, "AcpDone")
		s.lost, s.replay.recorded = false, false // so that it is not said twice
	}

	l := &s.link
	l.at, l.fault = starting{agent: c}, ""
	s.family.forget()
	s.screen.restate()
	return Opening{Remote: l.remote, Fork: l.fork, Cut: l.cut, Bare: l.remote == "" && l.fork == "" && s.screen.log.Blocks().Empty()}
}

// drop lets go of the connection: the link is what is given then. The values that the options had, those under way included, are kept
// for the next one. A replay is over: a late one is shown as far as it has come.
func (s *State) drop(then linkState) {
	if s.link.takesOptions() {
		s.options.save()
	}
	if a := s.link.Agent(); a != nil {
		s.link.left = a
	}
	s.link.at = then
	s.replay.EndLate()
	s.replay.forget()
	s.family.forget()
}

// Opened is what an agent says of a session that it has opened.
type Opened struct {
	Modes   *acp.SessionModeState
	Models  *acp.SessionModelState
	Options []acp.SessionConfigOption
	Skills  Skills // what it got of them with the request; none if its hash is ""
	Copied  bool   // a new session begins with the conversation of another one
}

// Began notes that the agent has begun a new session. It reports false if the session is not that connection's any more.
func (s *State) Began(c Connection, id string, o Opened) bool {
	if !s.link.Serves(c) {
		return false
	}
	s.DropReplay()
	if o.Copied {
		s.replay.Unasked()
	}
	s.link.remote = id
	s.spending.meter = meter{known: !o.Copied}
	if !o.Copied {
		s.spending.anew()
	}
	s.briefing.forget()
	s.briefing.instructed(o.Skills)
	s.options.init(o.Modes, o.Models, o.Options)
	return true
}

// Reopened notes that the agent goes on with the session. What was replayed is shown, or adds to what was shown.
func (s *State) Reopened(o Opened) {
	for _, u := range s.replay.held {
		learn(s, u, false)
	}
	s.replay.held = nil
	s.replay.end()
	s.link.mustResume = false
	s.spending.meter = meter{} // nobody knows whether its sum goes on
	s.family.tree.Settle(s.screen.log)
	s.briefing.instructed(o.Skills)
	s.options.init(o.Modes, o.Models, o.Options)
	s.screen.Refresh()
}

// DropReplay notes that the session is asked for again, or cannot be: what came of it so far is not shown.
func (s *State) DropReplay() {
	s.replay.forget()
	s.family.forget()
}

// Ready ends the start. Unserved are as for EndTurn.
func (s *State) Ready(c Connection, can Capabilities, logins, unserved []string) {
	if !s.link.Serves(c) {
		return
	}
	s.servers.say(unserved)
	s.link.login.tried, s.link.login.methods = false, logins
	s.hint = true
	s.link.at, s.link.used, s.link.cuts = ready{agent: c, can: can}, time.Now(), can.Cuts
	s.screen.emit("AcpReady", nil)
	s.Next()
}

// Failed shows why the session could not be started, with the end of the agent's stderr. The prompts that wait come back to
// the user, unless a login is all that they need. It reports whether the configured login is to be tried.
func (s *State) Failed(c Connection, err error, tail string, login *LoginNeeded) (try bool) {
	if s.link.Agent() != c || s.link.Closed() {
		return false
	}

	s.drop(detached{shown: Disconnected})
	s.requests.withdraw(nil)
	keep := false
	if login != nil {
		s.screen.needLogin(err, login.How)
		try = s.link.wantLogin(err, *login)
		keep = len(login.Methods) > 0
	} else {
		s.link.fault = err.Error()
		s.screen.log.Fault(err.Error() + tail)
	}

	s.screen.Emit("AcpError", map[string]any{"message": err.Error()})
	if !keep {
		s.queue.giveBackAll()
	}

	return try
}

// Lost notes that the agent's process has ended, or with no error that the user ends it. The prompt of a turn that is cut off
// comes back to the user, before those that wait. It reports false if that is not the session's connection, or if the agent
// is started again at once for a login.
func (s *State) Lost(c Connection, err error, relogin bool) bool {
	if !s.link.Serves(c) {
		return false
	}

	s.screen.Refresh()
	s.requests.withdraw(nil)
	if s.phase() == Login && relogin {
		s.drop(detached{shown: Login})
		return false
	}
	t := s.turns.now
	if t != nil {
		s.briefing.settle(false)
		t.stop()
		s.writes.extend()
		s.place.end(t, "", cmp.Or(err, errRestarted), nil)
		s.queue.GiveBack(t.Prompt)
		announceEnd(s, t, "", cmp.Or(err, errRestarted), false)
		s.ended = t
	}

	s.drop(detached{shown: Disconnected})
	s.turns.now, s.writes.edits, s.queue.gate = nil, nil, nil
	s.queue.giveBackAll()
	s.screen.log.FailCalls()

	why := errRestarted.Error()
	if err == nil {
		s.screen.note(why, "AcpDone")
	} else {
		why = err.Error()
		s.link.fault = why
		text := " disconnected: " + why
		if exit := (*acp.ExitError)(nil); errors.As(err, &exit) {
			text = " " + exit.Reason()
		}
		s.screen.log.Fault(s.agent.Title + text)
	}
	if t != nil {
		s.screen.log.ExpectChanges()
	}

	s.screen.emit("AcpDisconnected", map[string]any{"message": why})
	return true
}

// IdleSince reports whether nothing runs or waits, and nothing has happened since then. With resumable false it also reports
// false if something was said: the agent could not go on with the session.
func (s *State) IdleSince(c Connection, since time.Time, resumable bool) bool {
	quiet := s.link.Serves(c) && s.phase() == Idle && s.queue.Len()+s.requests.list.Len() == 0 && !s.family.AtWork()
	return quiet && s.link.used.Before(since) && (resumable || s.titles.first == "")
}

// Detach lets go of an idle connection, which the next prompt starts again. It returns the agent's id of the session.
func (s *State) Detach(c Connection, since time.Time) (remote string, ok bool) {
	if !s.IdleSince(c, since, true) {
		return "", false
	}
	remote = s.link.remote
	s.drop(detached{shown: Disconnected})
	s.link.fault = ""
	if s.titles.first == "" {
		s.link.remote = "" // there is nothing to go on with
	}
	s.screen.restate()
	return remote, true
}

// LoggedIn lets a session go on that waits for a login. It reports whether it is to be started.
func (s *State) LoggedIn() (start bool) {
	if s.phase() != Login {
		return false
	}
	s.screen.note("logged in", "AcpDone")
	s.link.fault = ""
	s.link.needLogin(false)
	s.Next()
	return s.link.Agent() == nil
}

// Close ends the session for good. It returns its connection, if it has one, the agent's id, and the requests that are answered by that.
// The prompts that wait come back to the user, and those on their way into the turn.
func (s *State) Close() (Connection, string, []*permission.Ticket) {
	c := s.link.Agent()
	answered := s.requests.withdraw(nil)
	s.writes.drop()
	s.drop(closed{})
	s.queue.GiveBack(s.queue.steered...)
	s.queue.steered = nil
	s.queue.giveBackAll()
	s.hint = true
	return c, s.link.remote, answered
}
