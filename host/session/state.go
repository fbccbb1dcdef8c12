// Package session is what is known of one conversation: its turn and queue, its options, its transcript, what waits for the
// user.
//
// A [State] is plain: it has no lock, starts no goroutine and waits for nothing. Each of its subjects is a value, of which the methods
// touch nothing else; the methods of State are steps that cross several. What a step asks of others comes back as [Effects], for whoever
// guards the state to run when the guard is released. Package host does that, in one place.
package session

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Config is what a session begins with.
type Config struct {
	ID     string // local
	Agent  Agent
	Cwd    string
	Remote string // the agent's id, of a session to go on with
	Fork   string // the agent's id of the session that this one begins as a copy of
	Listed string // the title that the agent's list has
	Lost   bool   // the host that had the session has ended, which is to be said
	Place  *record.Place

	MustResume bool // no new session may take the place of Remote

	NewLog  func() *transcript.Transcript
	Display func(calls *transcript.Calls, call string, meta acp.Meta) // of the `_meta` of a tool call; nil: nothing is
}

// State is one session. It is not safe for concurrent use.
type State struct {
	id      string
	agent   Agent
	lost    bool                                                      // see Config
	display func(calls *transcript.Calls, call string, meta acp.Meta) // see Config

	screen   Screen
	link     Link
	turns    turns
	briefing Briefing
	options  Options
	titles   Titles
	replay   Replay

	queue    Queue
	place    Place
	writes   Writes
	reads    Reads
	checks   Checks
	family   Family
	requests Requests

	offers   offers
	spending Spending
	tools    Tools
	servers  Servers

	begun *Turn // an effect
	ended *Turn // an effect
	hint  bool  // an effect: the agent is silent no longer
}

// New returns a session that nobody has started.
func New(c Config) *State {
	s := &State{
		id: c.ID, lost: c.Lost, display: c.Display,
		link: Link{
			at: detached{shown: Starting}, remote: c.Remote, mustResume: c.MustResume, fork: c.Fork, forked: c.Fork != "", used: time.Now(),
		},
		screen: Screen{log: c.NewLog(), updates: map[string]bool{}},
	}

	screen, link, turns, agent := &s.screen, &s.link, &s.turns, &s.agent
	s.briefing.screen = screen
	s.options = Options{screen: screen, link: link, agent: agent, queue: &s.queue}
	s.titles = Titles{screen: screen, listed: c.Listed, created: time.Now().UnixMilli()}
	s.replay = Replay{screen: screen, link: link, turns: turns, make: c.NewLog}
	s.queue = Queue{screen: screen, requests: &s.requests}
	s.place = Place{screen: screen, agent: agent, at: c.Place}
	s.requests = Requests{screen: screen, agent: agent, turns: turns, list: permission.Requests{Session: c.ID, Folder: c.Cwd}}
	s.family = Family{screen: screen, turns: turns, requests: &s.requests}
	s.writes = Writes{turns: turns, family: &s.family}
	s.reads.screen = screen
	s.checks = Checks{screen: screen, turns: turns}
	s.offers.screen = screen
	s.spending = Spending{screen: screen, turns: turns}
	s.tools = Tools{screen: screen, link: link}
	s.servers.screen = screen

	s.SetAgent(c.Agent)
	return s
}

// SetAgent changes how the agent is called, which a restart may do.
func (s *State) SetAgent(a Agent) {
	s.agent = a
	s.requests.list.Editable = a.EditsThroughEditor
}

// The subjects of the session. What is done with one has effects as a step of State has. The transcript is only read: what changes it is a
// method of Screen, or a step. No turn runs if Turn is nil.

func (s *State) Log() *transcript.Transcript { return s.screen.log }
func (s *State) Turn() *Turn                 { return s.turns.now }
func (s *State) Screen() *Screen             { return &s.screen }
func (s *State) Link() *Link                 { return &s.link }
func (s *State) Briefing() *Briefing         { return &s.briefing }
func (s *State) Options() *Options           { return &s.options }
func (s *State) Titles() *Titles             { return &s.titles }
func (s *State) Replay() *Replay             { return &s.replay }
func (s *State) Queue() *Queue               { return &s.queue }
func (s *State) Place() *Place               { return &s.place }
func (s *State) Writes() *Writes             { return &s.writes }
func (s *State) Reads() *Reads               { return &s.reads }
func (s *State) Checks() *Checks             { return &s.checks }
func (s *State) Family() *Family             { return &s.family }
func (s *State) Requests() *Requests         { return &s.requests }
func (s *State) Spending() *Spending         { return &s.spending }
func (s *State) Tools() *Tools               { return &s.tools }
func (s *State) Servers() *Servers           { return &s.servers }

// IsCommand reports whether a prompt calls a command of the agent's, which takes no further text.
func (s *State) IsCommand(text string) bool { return s.offers.isCommand(text) }

// phase is how far the session is.
func (s *State) phase() Phase {
	switch t := s.turns.now; {
	case t == nil:
		return s.link.idlePhase()
	case t.cancelled:
		return Cancelling
	}
	return Busy
}

// Effects are what a step asks of others. They are run in the order of the fields.
type Effects struct {
	Decisions []permission.Decision // to deliver
	StopHint  bool                  // the agent is silent no longer
	Left      Connection            // that the session has let go of, nil: none
	LateReplay
	Ended     *Turn // a turn that has
	Draw      Draw
	Decided   bool     // the user has decided what is to be recorded at once
	Place     bool     // the lines that are edited are to be shown
	StopPlace bool     // the turn is to be stopped: its answer is of no use
	GiveBack  []Prompt // that come back to the user
	Begin     *Turn    // to be sent
}

// Take returns the effects of what was done since it was last called.
func (s *State) Take() Effects {
	decisions, events := s.requests.list.Take()
	for _, e := range events {
		s.screen.emit(e.Name, e.Data)
	}
	if w := s.place.awaited; w != nil && !s.queue.has(w) {
		fault := cmp.Or(s.link.fault, stopped)
		if s.phase() == Login && len(s.link.login.methods) > 0 { // only the user takes it away then
			fault = stopped
		}
		s.place.drop(fault)
	}

	if s.link.Closed() {
		s.queue.back = slices.DeleteFunc(s.queue.back, func(p Prompt) bool { return p.Fix }) // its user has not written it
	}

	e := Effects{
		Decisions: decisions, StopHint: s.hint, Left: s.link.left, LateReplay: s.replay.timer, Ended: s.ended, Draw: s.screen.soon,
		Decided: s.screen.kept,
		Place:   s.place.shown, StopPlace: s.place.stop, GiveBack: s.queue.back, Begin: s.begun,
	}
	s.hint, s.link.left, s.replay.timer, s.ended, s.screen.soon, s.screen.kept = false, nil, LateReplay{}, nil, NoDraw, false
	s.place.shown, s.place.stop, s.queue.back, s.begun = false, false, nil, nil
	return e
}

// Check returns what is impossible of the session as it is, nil if nothing is. It holds after each step.
func (s *State) Check() error {
	closed := s.link.Closed()
	err := errors.Join(
		s.link.check(), s.options.check(), s.requests.check(closed), s.queue.check(closed), s.screen.check(), s.replay.check(),
	)
	t := s.turns.now
	switch {
	case err != nil || closed: // its turn ends with its agent
		return err
	case t == nil && s.briefing.taken != nil:
		return errors.New("the agent is told something without a turn")
	case s.phase() == Disconnected && slices.ContainsFunc(s.queue.list, func(p Prompt) bool { return !p.Held }):
		return errors.New("a prompt waits for an agent that nobody starts")
	case t == nil:
		return s.place.check(nil)
	case t.Connection != s.link.Agent():
		return errors.New("a turn runs with an agent that does not serve the session")
	case !s.link.takesPrompts():
		return fmt.Errorf("a turn runs in a session that is %s", s.link.idlePhase())
	case t.sent != (s.briefing.taken != nil):
		return fmt.Errorf("a turn was sent: %v; has told the agent something: %v", t.sent, s.briefing.taken != nil)
	}

	return s.place.check(t)
}
