// Package session is what is known of one conversation: its turn and queue, its options, its transcript, what waits for the
// user.
//
// A [State] is plain: it has no lock, starts no goroutine and waits for nothing. Its methods are steps. What a step asks of
// others comes back as [Effects], for whoever guards the state to run when the guard is released. Package host does that, in
// one place.
package session

import (
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/edit"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/subagents"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Phase is how far a session is. Waiting is not among them: it follows from what is pending.
type Phase string

// The phases, as the user is shown them.
const (
	Starting     Phase = "starting"
	Loading      Phase = "loading"
	Login        Phase = "login"
	Idle         Phase = "idle"
	Busy         Phase = "busy"
	Waiting      Phase = "waiting" // shown while something is pending, never kept
	Cancelling   Phase = "cancelling"
	Disconnected Phase = "disconnected"
)

// Agent is what a session says of its agent.
type Agent struct {
	Name               string
	Title              string
	Where              string // where it runs, "": here
	EditsThroughEditor bool   // it writes through the editor, so that what it writes can be changed before
}

// Config is what a session begins with.
type Config struct {
	ID     string // local
	Agent  Agent
	Remote string // the agent's id, of a session to go on with
	Fork   string // the agent's id of the session that this one begins as a copy of
	Listed string // the title that the agent's list has
	Lost   bool   // the host that had the session has ended, which is to be said
	Place  *record.Place

	MustResume bool // no new session may take the place of Remote

	NewLog  func() *transcript.Transcript
	Display func(log *transcript.Transcript, call string, meta acp.Meta) // of the `_meta` of a tool call; nil: nothing is
}

// State is one session. It is not safe for concurrent use.
type State struct {
	id      string
	agent   Agent
	newLog  func() *transcript.Transcript
	display func(log *transcript.Transcript, call string, meta acp.Meta)

	link     Link
	briefing Briefing

	past   []record.Past
	lost   bool // see Config
	placed *record.Place

	// What is shown of it.
	log      *transcript.Transcript
	replay   *transcript.Transcript // of a session that is being loaded
	bare     *transcript.Transcript // what was shown before that was shown
	late     bool                   // the answer to session/load came without a replay: that may come at any time
	lateLog  *transcript.Transcript // what has come of it
	ending   bool                   // it is under way: replay is lateLog
	replaced bool                   // log takes the place of what is recorded
	recorded bool                   // what log began with is from the record

	// Its titles.
	title   string // the agent's
	listed  string // the same, as its list has it; newer than what is recorded
	name    string // the user's title, which wins
	first   string // the first prompt, a title until there is one
	created int64  // unix, in milliseconds
	last    *Last  // the session before this one in its folder, shown while nothing is said here

	// Prompts and turns.
	queue        []Prompt
	had          []string // ids of the prompts that came from the editor, the latest of them
	turn         *Turn
	edits        map[string]permission.Proposal // of this turn, by path
	meter        meter
	autonomySaid string // what was said last of a mode in which the agent asks nothing
	reads        reads
	awaited      *edit.Request // what is asked at lines and waits in the queue; nil
	place        edit.Place    // the lines that are edited, if that is what the session is for
	checks       checks
	mergeTill    time.Time // the merge window is open until then, and while a turn runs

	family   subagents.Tree // of the connection
	requests permission.Requests
	gate     *Gate        // nil: open
	rules    []rules.Rule // made for this session only
	lasting  bool         // there may be rules for good of its folder

	options  Options
	commands []acp.AvailableCommand
	usage    *acp.UsageUpdate
	limit    *Limit // of the account, if near

	suggestion string  // what the agent expects as the next prompt
	spent      float64 // the cost before the latest turn …
	counted    bool    // … if that is known
	noted      float64 // what the session had cost when that was noted last
	warned     bool    // of the context being nearly full

	leftOut    bool     // it was said that commands are left out
	unread     []string // what was said of updates that cannot be read
	logins     []string // ids of the login methods, once they are known
	loginAsks  int      // how often the agent has asked for a login
	loginTried bool     // the configured login was tried since the agent was last ready

	toolServer   string     // name of the server of the editor's tools
	toolClients  int        // connections to it
	toolsRefused bool       // it was said why there are none
	toolUses     int        // that the agent has not spoken of …
	uses         []*ToolUse // … and those that it may still speak of
	servers      []string   // names of the MCP servers that the agent was given
	searched     uint64     // the message up to which its stderr was searched for what became of them
	unserved     []string   // a sentence on each server that it was not given
	unservedSaid []string   // those that were shown

	// For the next frame.
	seen    int  // last verb of the user's
	status  bool // the status has changed
	running int  // calls that run on after their turn, as Lua was told
	reset   bool // the editor's copy of the transcript is to be thrown away
	busy    bool // a goroutine highlights what is over
	events  []Event
	updates map[string]bool // kinds of updates since the last frame

	effects Effects
}

// Event is a `User` autocommand.
type Event struct {
	Name string         `msgpack:"name"`
	Data map[string]any `msgpack:"data"`
}

// New returns a session that nobody has started.
func New(c Config) *State {
	s := &State{
		id: c.ID, newLog: c.NewLog, display: c.Display,
		link: Link{
			at: detached{shown: Starting}, remote: c.Remote, mustResume: c.MustResume, fork: c.Fork, forked: c.Fork != "", used: time.Now(),
		},
		listed: c.Listed, lost: c.Lost, placed: c.Place, created: time.Now().UnixMilli(), updates: map[string]bool{},
		requests: permission.Requests{Session: c.ID},
	}
	s.SetAgent(c.Agent)
	s.log = c.NewLog()
	return s
}

// SetAgent changes how the agent is called, which a restart may do.
func (s *State) SetAgent(a Agent) {
	s.agent = a
	s.requests.Editable = a.EditsThroughEditor
}

// phase is how far the session is.
func (s *State) phase() Phase {
	switch t := s.turn; {
	case t == nil:
		return s.link.idlePhase()
	case t.cancelled:
		return Cancelling
	}
	return Busy
}

// activeLog is the transcript that updates go to.
func (s *State) activeLog() *transcript.Transcript {
	if s.replay != nil {
		return s.replay
	}
	return s.log
}

// Effects are what a step asks of others. They are run in the order of the fields.
type Effects struct {
	Decisions []permission.Decision // to deliver
	StopHint  bool                  // the agent is silent no longer
	LateReplay
	Ended     bool // a turn has
	Draw      Draw
	Place     bool     // the lines that are edited are to be shown
	StopPlace bool     // the turn is to be stopped: its answer is of no use
	GiveBack  []Prompt // that come back to the user
	Begin     *Turn    // to be sent
}

// Draw is how soon a session is to be drawn.
type Draw int

// From never to at once.
const (
	NoDraw Draw = iota
	Soon        // with the next regular frame
	Now         // the user waits for it
)

// LateReplay says what is to be done about the timer that ends a late replay.
type LateReplay struct{ Restart, Stop bool }

// Take returns the effects of what was done since it was last called.
func (s *State) Take() Effects {
	decisions, events := s.requests.Take()
	s.effects.Decisions = append(s.effects.Decisions, decisions...)
	for _, e := range events {
		s.emit(e.Name, e.Data)
	}
	s.settlePlace()
	s.sayAutonomy()
	e := s.effects
	s.effects = Effects{}
	return e
}

func (s *State) draw(d Draw) { s.effects.Draw = max(s.effects.Draw, d) }

// changed has the status drawn at once.
func (s *State) changed() {
	s.status = true
	s.draw(Now)
}

// emit has an event raised after the next frame.
func (s *State) emit(name string, data map[string]any) {
	if data == nil {
		data = map[string]any{}
	}
	s.events = append(s.events, Event{name, data})
}

// Emit has an event raised after the next frame.
func (s *State) Emit(name string, data map[string]any) {
	s.emit(name, data)
	s.changed()
}

// Saw notes that a verb of the user's was done.
func (s *State) Saw(n int) {
	s.seen = max(s.seen, n)
	s.status = true
	s.draw(Soon)
}

// Refresh has the status drawn anew, of which others know a part.
func (s *State) Refresh() { s.changed() }
