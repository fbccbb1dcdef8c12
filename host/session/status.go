package session

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/bounds"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Status is a session as Lua's table has it.
type Status struct {
	Seen       int                    `msgpack:"seen"` // the last verb of the user's that was done
	State      string                 `msgpack:"state"`
	Turn       bool                   `msgpack:"turn"`    // one runs
	Running    string                 `msgpack:"running"` // its prompt …
	RunningID  string                 `msgpack:"running_id"`
	Elapsed    int64                  `msgpack:"elapsed"` // milliseconds since it began, when the status was made
	Remote     string                 `msgpack:"remote,omitempty"`
	AgentTitle string                 `msgpack:"agent_title"`
	Where      string                 `msgpack:"where"` // the agent runs; "": here
	Title      string                 `msgpack:"title"`
	Untitled   bool                   `msgpack:"untitled"` // Title is only the beginning of the first prompt
	Mode       *Named                 `msgpack:"mode,omitempty"`
	Model      *Named                 `msgpack:"model,omitempty"`
	Autonomy   string                 `msgpack:"autonomy,omitempty"` // what the mode means, in which the agent asks nothing
	Options    []ShownOption          `msgpack:"options"`
	Commands   []Command              `msgpack:"commands"`
	Queue      []string               `msgpack:"queue"`
	QueueIDs   []string               `msgpack:"queue_ids"`
	Held       []bool                 `msgpack:"held"` // those of the queue that wait for the user
	Usage      *Usage                 `msgpack:"usage,omitempty"`
	Limit      *Limit                 `msgpack:"limit,omitempty"`      // of the account, if near
	Suggestion string                 `msgpack:"suggestion,omitempty"` // what the agent expects as the next prompt
	Plan       []transcript.PlanEntry `msgpack:"plan"`                 // while it runs
	Place      *transcript.Place      `msgpack:"place,omitempty"`      // where the agent is at work
	Error      string                 `msgpack:"error,omitempty"`
	Can        map[string]bool        `msgpack:"can"`
	Last       *Last                  `msgpack:"last,omitempty"` // while nothing is said here: the previous session in this folder
	Logins     []string               `msgpack:"logins"`         // ids of the login methods
	LoginAsks  int                    `msgpack:"login_asks"`     // how often the agent has asked for a login
	EditWaits  string                 `msgpack:"edit_waits"`     // what an edit of a buffer waits for
	Apart      int                    `msgpack:"apart"`          // calls that run on after their turn
	Children   int                    `msgpack:"children"`       // child sessions that do something
	Tools      string                 `msgpack:"tools"`          // of the editor: "offered", "connected", or "" if the agent is not given them
}

// Named is a mode or a model.
type Named struct {
	ID   string `msgpack:"id"`
	Name string `msgpack:"name"`
}

// Command is a slash command of the agent's.
type Command struct {
	Name        string `msgpack:"name"`
	Description string `msgpack:"description"`
	Hint        string `msgpack:"hint"`
}

// Usage is how much of the context is used, in tokens, and what the session has cost so far.
type Usage struct {
	Used     uint64   `msgpack:"used"`
	Size     uint64   `msgpack:"size"`
	Cost     *float64 `msgpack:"cost,omitempty"`
	Currency string   `msgpack:"currency,omitempty"`
}

// Last is what a new session says of the previous one in its folder.
type Last struct {
	ID    string `msgpack:"id"`
	Title string `msgpack:"title"`
	Time  int64  `msgpack:"time"` // unix
}

// currentStatus is the status, without what others know of it.
func (s *State) currentStatus() *Status {
	st := &Status{
		Seen: s.frame.seen, State: string(s.phase()), Turn: s.turn != nil, Remote: s.link.remote,
		AgentTitle: s.agent.Title, Where: s.agent.Where, Title: s.Title(), Untitled: s.titles.user == "" && s.agentTitle() == "",
		Error: plain.OneLine(bounds.Cut(s.link.fault, bounds.Message)), Autonomy: s.autonomy(), Options: s.options.shown(),
		Mode: s.options.current(acp.CategoryMode), Model: s.options.current(acp.CategoryModel),
		Commands: []Command{}, Queue: []string{}, QueueIDs: []string{}, Held: []bool{}, Logins: append([]string{}, s.login.methods...),
		Plan: append([]transcript.PlanEntry{}, s.log.Pinned()...), Place: s.log.At(), Apart: s.log.Apart(),
		Children: len(s.family.Working()), Tools: s.toolsState(),
		LoginAsks: s.login.asks, Can: map[string]bool{}, Limit: s.limitNow(time.Now()), Suggestion: s.offers.suggestion,
	}
	if s.titles.first == "" && s.log.Empty() {
		st.Last = s.titles.last
	}
	if s.turn != nil {
		p := s.turn.Prompt
		st.Running, st.RunningID, st.Elapsed = p.Text, p.ID, time.Since(s.turn.began).Milliseconds()
	}
	if s.waits() {
		st.State = string(Waiting)
	}
	for _, p := range s.queue.list {
		st.Queue, st.QueueIDs, st.Held = append(st.Queue, p.Text), append(st.QueueIDs, p.ID), append(st.Held, p.Held)
	}

	for _, c := range s.offers.commands {
		shown := Command{Name: plain.Brief(c.Name), Description: plain.Brief(c.Description)}
		if c.Input != nil {
			shown.Hint = plain.Brief(c.Input.Hint)
		}
		st.Commands = append(st.Commands, shown)
	}

	if u := s.spending.usage; u != nil {
		st.Usage = &Usage{Used: u.Used, Size: u.Size}
		if u.Cost != nil {
			st.Usage.Cost, st.Usage.Currency = &u.Cost.Amount, plain.Brief(u.Cost.Currency)
		}
	}
	if at, ok := s.link.at.(ready); ok && s.link.remote != "" {
		can := at.can
		st.Can = map[string]bool{
			"ready": true, "image": can.Image, "audio": can.Audio, "load": can.Load, "steer": can.Steer, "fork": can.Fork,
			"delete": can.Delete,
		}
	}

	return st
}

// waits reports whether the session is shown as waiting for the user.
func (s *State) waits() bool {
	return s.requests.Len() > 0 && (s.phase() == Busy || s.phase() == Idle)
}

// Frame is what a session has to show.
type Frame struct {
	Ops      []transcript.Op
	Reset    bool                  // the editor's copy is to be thrown away first
	Status   *Status               // nil: it has not changed
	Requests []permission.Snapshot // what waits for the user; nil: it has not changed
	Events   []Event
	More     bool // some of the transcript is left for the next frame
}

// Empty reports whether there is nothing to show.
func (f *Frame) Empty() bool {
	return !f.Reset && len(f.Ops) == 0 && f.Status == nil && f.Requests == nil && len(f.Events) == 0
}

// Frame takes what there is to show, about budget bytes of the transcript.
func (s *State) Frame(budget int) Frame {
	f := Frame{Reset: s.frame.reset}
	s.frame.reset = false
	f.Ops = s.log.Frame(budget)
	if n := s.log.Apart(); n != s.frame.running {
		s.frame.running, s.frame.status = n, true
	}
	if s.frame.status && (s.phase() != Idle || !s.log.Behind()) { // a turn is over when all of it is drawn
		f.Status = s.currentStatus()
		s.frame.status = false
	}
	if s.requests.Changed() {
		f.Requests = s.requests.Shown()
	}
	if !s.log.Behind() { // events come after what they speak of is drawn
		for _, kind := range slices.Sorted(maps.Keys(s.frame.updates)) {
			s.emit("AcpUpdate", map[string]any{"kind": kind})
		}
		clear(s.frame.updates)
		f.Events, s.frame.events = s.frame.events, nil
	}

	f.More = s.log.Dirty()
	return f
}

// Prepare applies work for the next frame, and returns what is needed then. That work is done without the state.
func (s *State) Prepare(done []*transcript.Preparation) []*transcript.Preparation {
	s.log.Prepared(done)
	return s.log.Prepare()
}

// Left reports whether a frame has left something undrawn, and whether a running time is shown.
func (s *State) Left() (more, running bool) { return s.log.Dirty(), s.log.Running() }

// Redraw has the whole transcript sent again: the editor has lost its buffer. With all so is what waits for the user.
func (s *State) Redraw(all bool) {
	s.frame.reset = true
	s.log.Redraw()
	if all {
		s.requests.ShowAgain()
	}
	s.changed()
}

// Attached has all of the session sent to a Neovim that knows nothing of it. What happened meanwhile raises no events there. The
// merge window opens for a moment, so that its buffers get what was written while nobody was there.
func (s *State) Attached() {
	s.DropEvents()
	s.writes.mergeTill = time.Now().Add(MergeTail)
	s.Redraw(true)
}

// DropEvents drops the events that would be raised with the next frame.
func (s *State) DropEvents() {
	s.frame.events = nil
	clear(s.frame.updates)
}

// Title is the user's title, else the agent's, else the beginning of the first prompt.
func (s *State) Title() string { return cmp.Or(s.titles.user, s.agentTitle(), s.titles.first) }

// agentTitle is the title that the agent has told, else the one that its list has.
func (s *State) agentTitle() string { return plain.Brief(cmp.Or(s.titles.agent, s.titles.listed)) }

// Rename gives the session the user's title, "" to have the agent's again.
func (s *State) Rename(name string) {
	s.titles.user = plain.OneLine(name)
	s.changed()
}

// ListedAs notes the title that the agent lists the session with, and returns the one that is shown.
func (s *State) ListedAs(title string) string {
	if s.titles.listed != title {
		s.titles.listed = title
		s.frame.status = true
		s.draw(Soon)
	}
	return s.Title()
}

// SetLast notes the previous session of the folder, nil if there is none.
func (s *State) SetLast(l *Last) {
	s.titles.last = l
	s.changed()
}

// Summary is a session as the list of sessions has it.
type Summary struct {
	Remote, Title, Name, State string
	Fork                       bool
	Used                       time.Time
}

// Summary returns the session for the list, and reports whether anything was said in it, or it was opened by its id.
func (s *State) Summary() (Summary, bool) {
	sum := Summary{
		Remote: s.link.remote, Title: s.Title(), Name: s.titles.user, State: string(s.phase()), Fork: s.link.forked, Used: s.link.used,
	}
	if s.requests.Len() > 0 {
		sum.State = string(Waiting)
	}
	return sum, s.titles.first != "" || !s.log.Empty() || s.link.remote != "" && s.link.mustResume
}
