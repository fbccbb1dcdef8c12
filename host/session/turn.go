package session

import (
	"context"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/bounds"
	"github.com/nvim-acp/nvim-acp/host/edit"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Prompt is what the user sends.
type Prompt struct {
	ID      string // by which it comes back once; "": it never came from the editor
	Text    string
	Context []Attachment
	Edit    *edit.Request // what is asked at lines of a buffer, of which Text is the instruction; nil in a chat
	Held    bool          // it waits until the user says so
	Fix     bool          // it was sent by itself, about errors
	Early   bool          // it was sent before its user could see that the agent wants a login
}

// Attachment is something the user sends with a prompt.
type Attachment struct {
	Path      string `msgpack:"path,omitempty"`
	Name      string `msgpack:"name"`
	Kind      string `msgpack:"kind"`             // "": a file or a text; "folder", "image", "audio", "diff", "clipboard"
	Text      string `msgpack:"text,omitempty"`   // of a loaded buffer, saved or not, or of what has no path
	Loaded    bool   `msgpack:"loaded"`           // Text is what the user has of the file …
	Large     bool   `msgpack:"large"`            // … but was left out for its size
	Mentioned bool   `msgpack:"mentioned"`        // the words of the prompt name it …
	As        string `msgpack:"as,omitempty"`     // … by this word, which means what was chosen then
	Record    string `msgpack:"record,omitempty"` // local id of an earlier session, which is sent as text
	First     int    `msgpack:"first,omitempty"`  // 1-based lines of Path, 0: all
	Last      int    `msgpack:"last,omitempty"`
}

// names are the attachments that the words of a prompt do not name.
func (p Prompt) names() []string {
	var out []string
	if p.Edit != nil {
		out = append(out, plain.OneLine(p.Edit.Name))
	}
	for _, a := range p.Context {
		if !a.Mentioned {
			out = append(out, plain.OneLine(a.Name))
		}
	}
	return out
}

// Turn is a prompt turn. Its exported fields never change.
type Turn struct {
	Prompt     Prompt
	Key        string // of the prompt in the record
	Tokens     uint64 // that it has taken, as the agent counts them at its end; 0 if it does not
	Connection Connection
	Remote     string          // the agent's id of the session
	Making     context.Context // of its content, and of what is sent into it; ends with the turn, or when that is stopped

	stop      context.CancelFunc
	began     time.Time
	briefed   *briefed // what the agent is told with it; nil before it is sent, and once it is to be told again
	sent      bool
	speaks    bool // the agent has begun to answer
	cancelled bool
	read      map[string]bool // files that it has read through the editor, by real path; true: for a call that reads
}

// Prompt queues what the user sends. It reports whether the caller is to start the session, which nobody else does then.
func (s *State) Prompt(p Prompt) (start bool) {
	if s.Closed() {
		s.giveBack(p)
		return false
	}

	s.queue.list = append(s.queue.list, p)
	if p.ID != "" {
		s.queue.had = append(s.queue.had[max(0, len(s.queue.had)-maxHad+1):], p.ID)
	}
	if p.Edit != nil {
		s.queue.awaited = p.Edit
	}
	if s.queue.gate != nil && s.queue.gate.ticket != nil {
		s.sayGated()
	}
	if s.phase() == Login && p.Early && len(s.login.methods) > 0 { // it is sent after the login
		s.changed()
		return false
	}

	start = s.Claim()
	s.link.needLogin(false) // the user may have logged in elsewhere
	s.Next()
	return start
}

// maxHad is of how many prompts a session keeps the ids, the latest.
const maxHad = 100

// Had returns the ids of the prompts that came from the editor, the latest of them.
func (s *State) Had() []string { return append([]string{}, s.queue.had...) }

// Next begins the next turn, if there is one to begin.
func (s *State) Next() {
	s.changed()
	i := slices.IndexFunc(s.queue.list, func(p Prompt) bool { return !p.Held })
	if s.turn != nil || s.queue.gate != nil || !s.link.takesPrompts() || i < 0 {
		return
	}

	s.EndLateReplay()
	t := &Turn{Prompt: s.queue.list[i], Connection: s.link.agent(), Remote: s.link.remote, began: time.Now()}
	s.queue.list = slices.Delete(s.queue.list, i, i+1)
	t.Making, t.stop = context.WithCancel(context.Background())
	s.turn, s.link.fault, s.link.used = t, "", time.Now()
	s.offers.suggestion = ""
	s.begins(t.Prompt.Text)
	s.spending.before, s.spending.counted = s.costSoFar(), s.spending.counted || s.spending.usage != nil || !s.log.HasPrompts()
	s.beginCheck(t)
	t.Key = s.log.Prompt(t.Prompt.Text, t.Prompt.names())
	s.emit("AcpTurnStart", nil)
	s.beginPlace(t)
	s.effects.Begin = t
}

// LoginAsks returns how often the agent has asked for a login.
func (s *State) LoginAsks() int { return s.login.asks }

// LoginNeeded is what is said where an agent wants a login.
type LoginNeeded struct {
	Methods   []string // ids
	How       string   // for the user
	Automatic bool     // the configured method needs nothing of the user
}

// needLogin shows that the agent wants a login, and how. It reports whether the configured method is to be tried.
func (s *State) needLogin(err error, l LoginNeeded) (try bool) {
	s.link.needLogin(true)
	s.link.fault, s.login.methods = err.Error(), l.Methods
	s.login.asks++
	s.log.Fault("login needed: " + err.Error())
	s.log.Say(l.How, "AcpNotice")
	try = l.Automatic && !s.login.tried // once: an agent that asks again is not answered by itself
	s.login.tried = s.login.tried || try
	return try
}

// Ended is what came of the end of a turn.
type Ended struct {
	Lost     bool // it had ended with its agent before
	TryLogin bool // the configured login is to be tried
}

// EndTurn ends a turn in wire order: everything the agent said of it was applied before. An error that wants a login, which is
// then not nil, keeps the prompt for after that.
//
// Unserved are sentences on MCP servers that the agent does not have, each said once.
func (s *State) EndTurn(t *Turn, reason acp.StopReason, err error, login *LoginNeeded, unserved []string) Ended {
	t.stop()
	if s.turn != t {
		return Ended{Lost: true}
	}

	s.endLateReplay(true)
	s.changed()
	s.extendWindow()
	s.turn, s.writes.edits, s.link.used, s.effects.Ended = nil, nil, time.Now(), true
	if err != nil || reason == acp.StopRefusal { // a refused prompt is not part of the conversation
		s.briefing.restore(t.briefed)
		t.briefed = nil
	}
	if t.cancelled && err != nil {
		reason, err = acp.StopCancelled, nil // an error after a stop is the stop
	}

	s.requests.Withdraw(t, s.log)
	s.sayUnserved(unserved)
	s.showTools(len(s.tools.uses))
	s.family.Settle(s.log)

	s.endPlace(t, reason, err)

	var end Ended
	switch {
	case err == nil:
		s.log.EndTurn(reason, s.cost(), Tokens(t.Tokens))
	case login != nil && s.link.agent() != nil:
		s.log.PauseTurn()
		end.TryLogin = s.needLogin(err, *login)
		if t.Prompt.Edit == nil {
			s.queue.list = slices.Insert(s.queue.list, 0, t.Prompt)
		}
	default:
		s.link.fault = err.Error()
		s.log.FailTurn(err)
		s.Hold()
	}

	if err != nil {
		s.emit("AcpError", map[string]any{"message": bounds.Cut(err.Error(), bounds.Message)})
		reason = "error"
	}

	s.emit("AcpTurnEnd", map[string]any{"stop_reason": plain.OneLine(string(reason))})
	s.Next()
	return end
}

// costSoFar is what the session has cost, 0 if the agent does not say.
func (s *State) costSoFar() float64 {
	if s.spending.usage == nil || s.spending.usage.Cost == nil {
		return 0
	}
	return s.spending.usage.Cost.Amount
}

// cost returns what the latest turn has cost, "" if that is not known or less than a cent.
func (s *State) cost() string {
	spent := s.costSoFar() - s.spending.before
	if !s.spending.counted || spent < 0.01 {
		return ""
	}
	return Money(spent, s.spending.usage.Cost.Currency)
}

// Cancel stops the running turn, and returns it with the requests that are answered by that. It returns nil if no turn runs, or
// it is being stopped already.
func (s *State) Cancel() (*Turn, []*permission.Ticket) {
	t := s.turn
	if t == nil || t.cancelled {
		return nil, nil
	}
	t.cancelled = true
	t.stop()
	answered := s.requests.Withdraw(t, s.log)
	s.log.CancelCalls()
	s.changed()
	return t, answered
}

// Runs reports whether a turn runs.
func (s *State) Runs(t *Turn) bool { return s.turn == t }

// Sent reports whether a turn runs and was sent to the agent.
func (s *State) Sent(t *Turn) bool { return s.turn == t && t.sent }

// InTurn reports whether a turn runs.
func (s *State) InTurn() bool { return s.turn != nil }

// AtWork reports whether a turn runs, or a prompt waits for the start of the agent.
func (s *State) AtWork() bool {
	return s.InTurn() || len(s.queue.list) > 0 && (s.phase() == Starting || s.phase() == Loading)
}

// giveBack returns prompts to the user. Those of a place are not for the prompt of a chat.
func (s *State) giveBack(list ...Prompt) {
	for _, p := range list {
		if p.Edit == nil {
			s.effects.GiveBack = append(s.effects.GiveBack, p)
		}
	}
}

// GiveBack returns prompts to the user.
func (s *State) GiveBack(list ...Prompt) { s.giveBack(list...) }

// Notes shows notes about what is sent with a prompt.
func (s *State) Notes(notes []string) {
	for _, n := range notes {
		s.log.Say(n, "AcpNotice")
	}
	s.changed()
}

// MergeTail is how long a merge window stays open after the last sign of work (behaviour 205).
const MergeTail = 2 * time.Second

// Merging reports whether the merge window is open: changes on the disk below the session's roots count as its agent's. A
// command that runs keeps an open window open.
func (s *State) Merging(running bool) bool {
	now := time.Now()
	switch {
	case s.turn != nil || s.ChildrenWork():
		return true
	case now.After(s.writes.mergeTill):
		return false
	case running:
		s.writes.mergeTill = now.Add(MergeTail)
	}
	return true
}

// extendWindow keeps an open merge window open for a while.
func (s *State) extendWindow() {
	now := time.Now()
	if s.turn != nil || s.ChildrenWork() || now.Before(s.writes.mergeTill) {
		s.writes.mergeTill = now.Add(MergeTail)
	}
}

// Edited returns the user's version of a text that an agent wants to write to a path, once; false if there is none.
func (s *State) Edited(path string) (permission.Proposal, bool) {
	p, ok := s.writes.edits[path]
	delete(s.writes.edits, path)
	return p, ok
}
