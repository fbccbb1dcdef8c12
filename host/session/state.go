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
	id    string
	agent Agent

	link     Link
	briefing Briefing
	options  Options
	history  history
	titles   titles
	logs     logs
	log      *transcript.Transcript // what is shown of it
	replay   replay

	queue  queue
	turn   *Turn
	writes writes
	reads  reads
	checks checks
	at     placed

	family   subagents.Tree // of the connection
	requests permission.Requests
	ruled    ruled
	offers   offers
	spending spending
	login    login
	tools    tools

	frame   pendingFrame
	effects Effects
}

// writes is what is known of the agent's changes of files.
type writes struct {
	edits     map[string]permission.Proposal // of this turn, by path, as the user has changed them
	mergeTill time.Time                      // the merge window is open until then, and while a turn runs
}

// placed is where the session is, if it was begun at lines of a buffer.
type placed struct {
	place *record.Place // nil: nowhere
	edit  edit.Place    // the lines, which are edited there
}

// history is where the session comes from.
type history struct {
	past     []record.Past // sessions that the conversation began in, the nearest first
	lost     bool          // see Config
	replaced bool          // what is shown takes the place of what is recorded
	recorded bool          // what is shown began with the record
}

// titles are those of the session.
type titles struct {
	agent   string // the agent's
	listed  string // the same, as its list has it; newer than what is recorded
	user    string // the user's, which wins
	first   string // the first prompt, a title until there is one
	created int64  // unix, in milliseconds
	last    *Last  // the session before this one in its folder, shown while nothing is said here
}

// logs make transcripts.
type logs struct {
	make    func() *transcript.Transcript
	display func(log *transcript.Transcript, call string, meta acp.Meta) // see Config
}

// replay is the conversation as an agent repeats it.
type replay struct {
	log     *transcript.Transcript // of a session that is being loaded, or of a late replay; nil: none goes on
	before  *transcript.Transcript // what was shown before that was shown
	late    bool                   // the answer to session/load came without a replay: that may come at any time
	lateLog *transcript.Transcript // what has come of it
	ending  bool                   // it is under way: log is lateLog
}

// queue is the prompts that wait.
type queue struct {
	list    []Prompt
	had     []string      // ids of the prompts that came from the editor, the latest of them
	awaited *edit.Request // what is asked at lines and waits in the queue; nil
	gate    *Gate         // nil: open
}

// ruled are the rules for requests.
type ruled struct {
	own     []rules.Rule // made for this session only
	lasting bool         // there may be rules for good of its folder
}

// offers are what the agent offers beside options, and what was said of that.
type offers struct {
	commands     []acp.AvailableCommand
	suggestion   string   // what the agent expects as the next prompt
	leftOut      bool     // it was said that commands are left out
	unreadable   []string // what was said of updates that cannot be read
	autonomySaid string   // what was said last of a mode in which the agent asks nothing
}

// spending is what the session uses and costs.
type spending struct {
	usage   *acp.UsageUpdate
	limit   *Limit  // of the account, if near
	before  float64 // the cost before the latest turn …
	counted bool    // … if that is known
	billed  float64 // the cost that was counted last
	warned  bool    // of the context being nearly full
	meter   meter
}

// login is what is known of the agent's logins.
type login struct {
	methods []string // ids, once they are known
	asks    int      // how often the agent has asked for one
	tried   bool     // the configured one was tried since the agent was last ready
}

// tools are those of the editor's, as the agent has them.
type tools struct {
	server  string     // by which the agent knows it
	clients int        // connections to it
	refused bool       // it was said why there are none
	made    int        // uses that the agent has not spoken of …
	uses    []*ToolUse // … and those that it may still speak of
	servers servers
}

// servers are the MCP servers that the agent was given.
type servers struct {
	names    []string
	searched uint64   // the message up to which its stderr was searched for what became of them
	unserved []string // a sentence on each server that it was not given
	said     []string // those that were shown
}

// pendingFrame is what the next frame shows beside the transcript and requests.
type pendingFrame struct {
	seen       int  // last verb of the user's
	status     bool // the status has changed
	running    int  // calls that run on after their turn, as Lua was told
	reset      bool // the editor's copy of the transcript is to be thrown away
	highlights bool // a goroutine highlights what is over
	events     []Event
	updates    map[string]bool // kinds of updates since the last frame
}

// Event is a `User` autocommand.
type Event struct {
	Name string         `msgpack:"name"`
	Data map[string]any `msgpack:"data"`
}

// New returns a session that nobody has started.
func New(c Config) *State {
	s := &State{
		id: c.ID, logs: logs{make: c.NewLog, display: c.Display},
		link: Link{
			at: detached{shown: Starting}, remote: c.Remote, mustResume: c.MustResume, fork: c.Fork, forked: c.Fork != "", used: time.Now(),
		},
		titles: titles{listed: c.Listed, created: time.Now().UnixMilli()}, history: history{lost: c.Lost}, at: placed{place: c.Place},
		frame:    pendingFrame{updates: map[string]bool{}},
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
	if s.replay.log != nil {
		return s.replay.log
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
	s.frame.status = true
	s.draw(Now)
}

// emit has an event raised after the next frame.
func (s *State) emit(name string, data map[string]any) {
	if data == nil {
		data = map[string]any{}
	}
	s.frame.events = append(s.frame.events, Event{name, data})
}

// Emit has an event raised after the next frame.
func (s *State) Emit(name string, data map[string]any) {
	s.emit(name, data)
	s.changed()
}

// Saw notes that a verb of the user's was done.
func (s *State) Saw(n int) {
	s.frame.seen = max(s.frame.seen, n)
	s.frame.status = true
	s.draw(Soon)
}

// Refresh has the status drawn anew, of which others know a part.
func (s *State) Refresh() { s.changed() }
