package session

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/subagents"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Claim reports whether the caller is to connect the session: nobody else does then, until it is connected or has failed. A
// verb claims at once, and not in the goroutine that connects: that may run when all is over.
func (s *State) Claim() bool {
	return s.link.claim()
}

// Opening is how a session is to be opened.
type Opening struct {
	Remote string // the agent's id of the one to go on with, "" for a new one …
	Fork   string // … which may begin as a copy
	Cut    *Cut   // … of an earlier point; nil: of all
	Bare   bool   // it is new, and nothing is shown
}

// Connect gives the session its connection, which the caller has claimed.
func (s *State) Connect(c Connection) Opening {
	if s.history.lost {
		text := "the program nvim-acp ended here and was started again"
		if s.history.recorded {
			text += "; restored from local history"
		}
		s.log.Say(text, "AcpDone")
		s.history.lost, s.history.recorded = false, false // so that it is not said twice
	}

	l := &s.link
	l.at, l.fault = starting{agent: c}, ""
	s.family = subagents.Tree{}
	s.frame.status = true
	s.draw(Soon)
	return Opening{Remote: l.remote, Fork: l.fork, Cut: l.cut, Bare: l.remote == "" && l.fork == "" && s.log.Empty()}
}

// drop lets go of the connection: the link is what is given then. The values that the options had, those under way included, are kept
// for the next one. A replay is over: a late one is shown as far as it has come.
func (s *State) drop(then linkState) {
	if s.link.takesOptions() {
		s.options.save()
	}
	s.link.at = then
	s.EndLateReplay()
	s.dropReplay()
	s.replay.late, s.replay.lateLog = false, nil
	s.family = subagents.Tree{}
}

// Connection returns the agent process that serves the session, nil if none does, and the agent's id of the session.
func (s *State) Connection() (Connection, string) { return s.link.agent(), s.link.remote }

// Serves reports whether the session is open and that connection's.
func (s *State) Serves(c Connection) bool { return c != nil && s.link.agent() == c }

// Closed reports whether the session was closed.
func (s *State) Closed() bool { return s.link.isClosed() }

// Bare reports whether nothing is shown.
func (s *State) Bare() bool { return s.log.Empty() }

// Silent says that the agent has not answered for a while, if the session still waits for that.
func (s *State) Silent(c Connection, text string) {
	at, starts := s.link.at.(starting)
	if starts && at.agent == c && (!at.loads || s.replay.log != nil && s.replay.log.Empty()) {
		s.log.Mark(text, "AcpWarning")
		s.changed()
	}
}

// Opened is what an agent says of a session that it has opened.
type Opened struct {
	Modes   *acp.SessionModeState
	Models  *acp.SessionModelState
	Options []acp.SessionConfigOption
	Skills  Skills // what it got of them with the request; none if its hash is ""
}

// Began notes that the agent has begun a new session. It reports false if the session is not that connection's any more.
func (s *State) Began(c Connection, id string, o Opened) bool {
	if !s.Serves(c) {
		return false
	}
	s.dropReplay()
	s.link.remote, s.family = id, subagents.Tree{}
	s.spending.meter = meter{known: s.link.fork == ""}
	s.briefing.forget()
	s.briefing.instructed(o.Skills)
	s.options.init(o.Modes, o.Models, o.Options)
	return true
}

// Load begins the replay of a session, if it is still being started.
func (s *State) Load() {
	if !s.link.load() {
		return
	}
	s.replay.log, s.replay.late, s.replay.lateLog = s.logs.make(), false, nil
	s.replay.log.BeginLoad()
	s.changed()
}

// Reopened notes that the agent goes on with the session. What was replayed is shown, or adds to what was shown.
func (s *State) Reopened(o Opened) {
	switch {
	case s.replay.log == nil:
	case s.replays():
		s.history.replaced, s.history.recorded = true, false
		s.log.EndLoad()
	case !s.replay.log.Empty() && !s.log.HasPrompts():
		s.replaceLog(s.replay.log)
		s.log.EndLoad()
	case s.replay.log.HasPrompts():
		s.frame.reset = s.log.Add(s.replay.log, false) || s.frame.reset
	default: // nothing was replayed, or not yet: what is shown stays
		s.replay.late = true
	}

	if s.history.recorded {
		s.log.Mark("restored from local history", "AcpDone")
	}

	s.replay.log, s.replay.before, s.history.recorded, s.link.mustResume = nil, nil, false, false
	s.family.Settle(s.log)
	s.briefing.instructed(o.Skills)
	s.options.init(o.Modes, o.Models, o.Options)
	s.changed()
}

// NotReopened notes that the agent cannot go on with the session, and reports whether no new one may take its place.
func (s *State) NotReopened() (mustResume bool) {
	s.DropReplay()
	return s.link.mustResume
}

// showReplay shows a replay as it comes, where there is nothing else to show.
func (s *State) showReplay() {
	if s.link.idlePhase() == Loading && s.replay.log != nil && !s.replays() && !s.replay.log.Empty() && !s.log.HasPrompts() {
		s.replay.before, s.log, s.frame.reset = s.log, s.replay.log, true
	}
}

// replays reports whether a replay is shown that may still fail. Nothing of it is recorded yet.
func (s *State) replays() bool { return s.replay.log != nil && s.log == s.replay.log }

// dropReplay ends a replay that has failed: what was shown before is shown again.
func (s *State) dropReplay() {
	if s.replays() {
		s.log, s.frame.reset = s.replay.before, true
	}
	s.replay.log, s.replay.before = nil, nil
}

// DropReplay notes that the session is asked for again: what came of it so far is not shown.
func (s *State) DropReplay() {
	s.dropReplay()
	s.family = subagents.Tree{}
}

// BeginAnew says that a new session takes the place of one that the agent cannot go on with.
func (s *State) BeginAnew(err error) {
	s.log.Say("the agent cannot resume this session, so it does not know the messages above: "+err.Error(), "AcpWarning")
	s.changed()
}

// replaceLog shows another transcript in place of the one that is shown and recorded.
func (s *State) replaceLog(log *transcript.Transcript) {
	s.log, s.frame.reset, s.history.replaced, s.history.recorded = log, true, true, false
}

// Ready ends the start. Unserved are as for EndTurn.
func (s *State) Ready(c Connection, can Capabilities, logins, unserved []string) {
	if !s.Serves(c) {
		return
	}
	s.sayUnserved(unserved)
	s.login.tried, s.login.methods = false, logins
	s.effects.StopHint = true
	s.link.at, s.link.used = ready{agent: c, can: can}, time.Now()
	s.emit("AcpReady", nil)
	s.Next()
}

// SetServers notes the MCP servers that the agent was given, by name, and sentences on those that it was not.
func (s *State) SetServers(names, unserved []string) {
	s.tools.servers.names, s.tools.servers.unserved = names, unserved
}

// Servers returns the names of the MCP servers that the agent was given, and up to which message its stderr was searched for
// what became of them.
func (s *State) Servers() (names []string, searched uint64) {
	return s.tools.servers.names, s.tools.servers.searched
}

// Searched notes up to which message the agent's stderr was searched.
func (s *State) Searched(n uint64) { s.tools.servers.searched = n }

func (s *State) sayUnserved(more []string) {
	for _, text := range append(slices.Clone(s.tools.servers.unserved), more...) {
		if !slices.Contains(s.tools.servers.said, text) {
			s.tools.servers.said = append(s.tools.servers.said, text)
			s.log.Say(text, "AcpWarning")
		}
	}
}

// Failed shows why the session could not be started, with the end of the agent's stderr. The prompts that wait come back to
// the user, unless a login is all that they need. It reports whether the configured login is to be tried.
func (s *State) Failed(c Connection, err error, tail string, login *LoginNeeded) (try bool) {
	if s.link.agent() != c || s.Closed() {
		return false
	}

	s.drop(detached{shown: Disconnected})
	s.requests.Withdraw(nil, s.log)
	keep := false
	if login != nil {
		try = s.needLogin(err, *login)
		keep = len(login.Methods) > 0
	} else {
		s.link.fault = err.Error()
		s.log.Fault(err.Error() + tail)
	}

	s.emit("AcpError", map[string]any{"message": err.Error()})
	if !keep {
		s.giveBack(s.queue.list...)
		s.queue.list = nil
	}

	s.changed()
	return try
}

var errRestarted = errors.New("the agent was restarted")

// Lost notes that the agent's process has ended, or with no error that the user ends it. The prompt of a turn that is cut off
// comes back to the user, before those that wait. It reports false if that is not the session's connection, or if the agent
// is started again at once for a login.
func (s *State) Lost(c Connection, err error, relogin bool) bool {
	if !s.Serves(c) {
		return false
	}

	s.changed()
	s.requests.Withdraw(nil, s.log)
	if s.phase() == Login && relogin {
		s.drop(detached{shown: Login})
		return false
	}
	if t := s.turn; t != nil {
		s.briefing.restore(t.briefed)
		t.stop()
		s.extendWindow()
		s.endPlace(t, "", cmp.Or(err, errRestarted))
		s.giveBack(t.Prompt)
		s.emit("AcpTurnEnd", map[string]any{"stop_reason": "error"})
	}

	s.effects.Ended = s.effects.Ended || s.turn != nil
	s.drop(detached{shown: Disconnected})
	s.turn, s.writes.edits, s.queue.gate = nil, nil, nil
	s.giveBack(s.queue.list...)
	s.queue.list = nil
	s.log.FailCalls()

	why := errRestarted.Error()
	if err == nil {
		s.log.Say(why, "AcpDone")
	} else {
		why = err.Error()
		s.link.fault = why
		text := " disconnected: " + why
		if exit := (*acp.ExitError)(nil); errors.As(err, &exit) {
			text = " " + exit.Reason()
		}
		s.log.Fault(s.agent.Title + text)
	}

	s.emit("AcpDisconnected", map[string]any{"message": why})
	return true
}

// IdleSince reports whether nothing runs or waits, and nothing has happened since then. With resumable false it also reports
// false if something was said: the agent could not go on with the session.
func (s *State) IdleSince(c Connection, since time.Time, resumable bool) bool {
	quiet := s.Serves(c) && s.phase() == Idle && len(s.queue.list)+s.requests.Len() == 0 && !s.ChildrenWork()
	return quiet && s.link.used.Before(since) && (resumable || s.titles.first == "")
}

// Detach lets go of an idle connection, which the next prompt starts again. It returns the agent's id of the session.
func (s *State) Detach(c Connection, since time.Time) (remote string, ok bool) {
	if !s.IdleSince(c, since, true) {
		return "", false
	}
	remote = s.link.remote
	s.drop(detached{shown: Disconnected})
	s.link.fault, s.frame.status = "", true
	if s.titles.first == "" {
		s.link.remote = "" // there is nothing to go on with
	}
	s.draw(Soon)
	return remote, true
}

// LoggedIn lets a session go on that waits for a login. It reports whether it is to be started.
func (s *State) LoggedIn() (start bool) {
	if s.phase() != Login {
		return false
	}
	s.log.Say("logged in", "AcpDone")
	s.link.fault = ""
	s.link.needLogin(false)
	s.Next()
	return s.link.agent() == nil
}

// Close ends the session for good. It returns its connection, if it has one, and the agent's id.
func (s *State) Close() (Connection, string) {
	c, remote := s.Connection()
	s.requests.Withdraw(nil, s.log)
	s.drop(closed{})
	s.queue.list = nil
	s.effects.StopHint = true
	return c, remote
}
