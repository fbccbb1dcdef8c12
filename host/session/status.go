package session

import (
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
	Running    Sent                   `msgpack:"running"` // its prompt
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
	Held       []bool                 `msgpack:"held"`    // those of the queue that wait for the user
	Steered    []Sent                 `msgpack:"steered"` // on their way into the running turn
	Usage      *Usage                 `msgpack:"usage,omitempty"`
	Limit      *Limit                 `msgpack:"limit,omitempty"`      // of the account, if near
	Suggestion string                 `msgpack:"suggestion,omitempty"` // what the agent expects as the next prompt
	Plan       []transcript.PlanEntry `msgpack:"plan"`                 // while it runs
	Place      *transcript.Place      `msgpack:"place,omitempty"`      // where the agent was at work last
	Error      string                 `msgpack:"error,omitempty"`
	Can        map[string]bool        `msgpack:"can"`
	Last       *Last                  `msgpack:"last,omitempty"` // while nothing is said here: the previous chat of this folder
	Logins     []string               `msgpack:"logins"`         // ids of the login methods
	Known      Known                  `msgpack:"known"`
	EditWaits  string                 `msgpack:"edit_waits"` // what an edit of a buffer waits for
	Apart      int                    `msgpack:"apart"`      // calls that run on after their turn
	Children   int                    `msgpack:"children"`   // child sessions that do something
	Tools      string                 `msgpack:"tools"`      // of the editor: "offered", "connected", or "": not given
}

// Known is what the user can know of what has been in the way of their prompts: those that were sent before wait for it.
type Known struct {
	LoginAsks    int `msgpack:"login_asks"`    // how often the agent has asked for a login
	ModesRefused int `msgpack:"modes_refused"` // how often it has not taken a mode that the user has chosen
}

// Sent is a prompt that was sent.
type Sent struct {
	ID   string `msgpack:"id"`
	Text string `msgpack:"text"`
}

// status is the status, without what others know of it.
func (s *State) status() *Status {
	phase := s.phase()
	st := &Status{
		Seen: s.screen.seen, State: string(phase), Remote: s.link.remote, AgentTitle: s.agent.Title, Where: s.agent.Where,
		Title: s.titles.Title(), Untitled: s.titles.user == "" && s.titles.told() == "",
		Error: plain.OneLine(bounds.Cut(s.link.fault, bounds.Message)), Autonomy: s.options.autonomyText(), Options: s.options.shown(),
		Mode: s.options.Current(acp.CategoryMode), Model: s.options.Current(acp.CategoryModel),
		Commands: s.offers.shown(), Queue: []string{}, QueueIDs: []string{}, Held: []bool{}, Steered: []Sent{},
		Logins: append([]string{}, s.link.login.methods...), Can: s.link.shownCan(),
		Known: Known{s.link.login.asks, s.queue.refused},
		Plan:  append([]transcript.PlanEntry{}, s.screen.log.Pinned()...),
		Place: s.screen.log.Calls().At(), Apart: s.screen.log.Calls().Apart(),
		Children: s.family.working(), Tools: s.tools.state(), Usage: s.spending.shown(), Limit: s.spending.limitNow(),
		Suggestion: s.offers.suggestion,
	}
	if s.titles.first == "" && s.screen.log.Blocks().Empty() {
		st.Last = s.titles.last
	}
	if t := s.turns.now; t != nil {
		st.Turn, st.Running, st.Elapsed = true, Sent{t.Prompt.ID, t.Prompt.Text}, time.Since(t.began).Milliseconds()
	}
	if s.requests.list.Len() > 0 && (phase == Busy || phase == Idle) {
		st.State = string(Waiting)
	}
	for _, p := range s.queue.steered {
		st.Steered = append(st.Steered, Sent{p.ID, p.Text})
	}
	for _, p := range s.queue.list {
		st.Queue, st.QueueIDs, st.Held = append(st.Queue, p.Text), append(st.QueueIDs, p.ID), append(st.Held, p.Held)
	}

	return st
}

// Frame is what a session has to show.
type Frame struct {
	Ops      transcript.Ops
	Reset    bool                  // the editor's copy is to be thrown away first
	Status   *Status               // nil: it has not changed
	Requests []permission.Snapshot // what waits for the user, the oldest first and not all of very many; nil: it has not changed
	Waiting  int                   // how many requests wait for the user in all
	Events   []Event
	More     bool // some of the transcript is left for the next frame
}

// Empty reports whether there is nothing to show.
func (f *Frame) Empty() bool {
	return !f.Reset && len(f.Ops) == 0 && f.Status == nil && f.Requests == nil && len(f.Events) == 0
}

// Frame takes what there is to show, about budget bytes of the transcript. Of a closed session it is nothing: Neovim has another one by
// its name if it was opened again.
func (s *State) Frame(budget int) Frame {
	if s.link.Closed() {
		return Frame{}
	}

	c := &s.screen
	f := Frame{Reset: c.reset, Ops: c.log.Drawing().Frame(budget)}
	c.reset = false
	if n := c.log.Calls().Apart(); n != c.running {
		c.running, c.status = n, true
	}
	if c.status && (s.phase() != Idle || !c.log.Drawing().Behind()) { // a turn is over when all of it is drawn
		f.Status = s.status()
		c.status = false
	}
	if s.requests.list.Changed() {
		f.Requests, f.Waiting = s.requests.list.Shown(), len(s.requests.list.Waiting())
	}
	if !c.log.Drawing().Behind() { // events come after what they speak of is drawn
		f.Events = c.takeEvents()
	}

	f.More = c.log.Drawing().Dirty()
	return f
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
		Remote: s.link.remote, Title: s.titles.Title(), Name: s.titles.user, State: string(s.phase()),
		Fork: s.link.forked, Used: s.link.used,
	}
	if s.requests.list.Len() > 0 {
		sum.State = string(Waiting)
	}
	return sum, s.titles.first != "" || !s.screen.log.Blocks().Empty() || s.link.remote != "" && s.link.mustResume
}
