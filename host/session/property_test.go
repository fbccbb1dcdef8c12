package session

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/edit"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/unsaved"
	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

var sequences = flag.Int("sequences", 10_000, "how many random sequences of steps are tried")

// world is a session together with those who use it: the user, who knows where each prompt is, and an agent.
type world struct {
	*State
	rand *rand.Rand

	agent   *agents.Agent // the last one that was connected
	opening bool          // it has not answered yet how the session begins
	turns   []*Turn       // that have begun and not ended, the oldest first; those of an agent that is gone never end
	sent    map[*Turn]bool
	steered []Prompt // on their way into a turn
	shown   []string // the queue as the user edits it

	prompts int            // made so far
	at      map[string]int // prompts that nobody has yet lost or answered, by text
	tickets []*permission.Ticket
	steps   []string
	asked   bool // at lines

	mode    string             // that the user has chosen last, "" if none
	changes []*Change          // that the agent has not answered
	told    map[string]bool    // notes for the agent that are still to be heard by it …
	carried map[*Turn][]string // … and of these those that a turn was sent with

	rewound bool  // the agent does not know how the conversation began …
	tells   *Turn // … and this turn tells it; nil: none does
}

func newWorld(seed, n uint64) *world {
	w := &world{State: newState(), rand: rand.New(rand.NewPCG(seed, n)), sent: map[*Turn]bool{}, at: map[string]int{}, told: map[string]bool{}, carried: map[*Turn][]string{}}
	if w.rewound = w.rand.IntN(4) == 0; w.rewound {
		w.InheritUntil(record.Record{}, Cut{Prompt: "a prompt"}, nil)
	}
	return w
}

// run runs the effects of a step, as the guard of the state would.
func (w *world) run() {
	e := w.Take()
	for _, d := range e.Decisions {
		d.Deliver()
	}
	for _, p := range e.GiveBack {
		delete(w.at, p.Text) // the user has it again
	}
	if e.Begin != nil {
		if has := w.options.find("mode"); w.mode != "" && has != nil && has.CurrentValue != w.mode && !w.opening {
			panic(fmt.Sprintf("a turn begins in mode %s, the user has chosen %s, after %q", has.CurrentValue, w.mode, w.steps))
		}
		w.turns = append(w.turns, e.Begin)
	}
}

// current is the running turn, nil if none runs.
func (w *world) current() *Turn {
	for _, t := range w.turns {
		if w.Turn() == t {
			return t
		}
	}
	return nil
}

// end ends a turn as an agent does.
func (w *world) end(t *Turn, err error, login *LoginNeeded) {
	w.turns = slices.DeleteFunc(w.turns, func(o *Turn) bool { return o == t })
	reason := []acp.StopReason{acp.StopEndTurn, acp.StopMaxTokens, acp.StopRefusal}[w.rand.IntN(3)]
	lost := w.EndTurn(t, reason, err, login, nil).Lost
	if !lost && err == nil && reason != acp.StopRefusal {
		for _, note := range w.carried[t] {
			delete(w.told, note) // heard
		}
		w.rewound = w.rewound && w.tells != t
	}
	if !lost && !(err != nil && login != nil && !t.cancelled) {
		delete(w.at, t.Prompt.Text) // answered
	}
}

type action struct {
	name string
	do   func(w *world)
}

var actions = []action{
	{"prompt", func(w *world) {
		w.prompts++
		p := Prompt{Text: fmt.Sprintf("prompt %d", w.prompts)}
		if !w.link.Closed() {
			w.at[p.Text]++
			if w.State.Prompt(p) {
				w.connect()
			}
		}
	}},
	{"edit", func(w *world) {
		r := &edit.Request{Kind: edit.Edit, Lines: []string{"a"}}
		if !w.link.Closed() && w.place.lines.Snapshot().Phase != edit.Working {
			w.prompts++
			if w.State.Prompt(Prompt{Text: fmt.Sprintf("edit %d", w.prompts), Edit: r}) {
				w.connect()
			}
			w.asked = true
		}
	}},
	{"begins", func(w *world) {
		if w.opening {
			w.opening = false
			w.Began(w.agent, "remote", modes())
			w.ready(Capabilities{Steer: true})
		}
	}},
	{"loads", func(w *world) {
		if w.opening && w.link.Serves(w.agent) {
			w.replay.Load()
			w.Update(&acp.UserMessageChunk{Content: acp.Text("of before")})
			if w.rand.IntN(2) == 0 {
				w.opening = false
				w.Reopened(modes())
				w.ready(Capabilities{})
			}
		}
	}},
	{"resumes", func(w *world) {
		if w.opening && w.link.Serves(w.agent) {
			w.opening = false
			w.replay.Load()
			w.Reopened(modes())
			w.ready(Capabilities{})
		}
	}},
	{"replays late", func(w *world) {
		if w.link.Agent() != nil {
			w.Update(&acp.UserMessageChunk{Content: acp.Text("of before")})
			w.Update(&acp.AgentMessageChunk{Content: acp.Text("an answer")})
		}
	}},
	{"falls silent", func(w *world) {
		if w.Turn() == nil {
			w.replay.EndLate()
		}
	}},
	{"is attached", func(w *world) {
		w.screen.DropEvents()
		w.writes.OpenWindow()
		w.screen.Redraw()
		w.requests.ShowAgain()
		w.requests.AnnounceAgain()
	}},
	{"fails", func(w *world) {
		if w.opening {
			w.opening = false
			var login *LoginNeeded
			if w.rand.IntN(2) == 0 {
				login = &LoginNeeded{Methods: []string{"m"}}
			}
			w.Failed(w.agent, errors.New("it does not start"), "", login)
		}
	}},
	{"sends", func(w *world) {
		if t := w.current(); t != nil && !w.sent[t] {
			out := w.Send(t, Skills{Hash: fmt.Sprint(w.rand.IntN(2)), Summary: "skills"}, unsaved.Message{Told: unsaved.Told{"a": {Hash: fmt.Sprint(w.prompts)}}, Text: "text"})
			w.sent[t] = !out.Lost && !out.Stopped
			if w.sent[t] {
				w.carried[t] = out.Notes
				if out.Past != "" {
					w.tells = t
				}
			}
			if out.Stopped {
				w.end(t, nil, nil)
			}
		}
	}},
	{"chunk", func(w *world) { w.Update(&acp.AgentMessageChunk{Content: acp.Text("words ")}) }},
	{"call", func(w *world) {
		status := []acp.ToolCallStatus{"", acp.ToolCallInProgress, acp.ToolCallCompleted, acp.ToolCallFailed}[w.rand.IntN(4)]
		w.Update(&acp.ToolCallUpdate{ToolCallID: fmt.Sprint("c", w.rand.IntN(3)), Status: status})
	}},
	{"request", func(w *world) {
		if w.link.Agent() == nil {
			return
		}
		call := &acp.ToolCallUpdate{ToolCallID: fmt.Sprint("c", w.rand.IntN(3))}
		options := []acp.PermissionOption{{OptionID: "yes", Kind: acp.AllowOnce}, {OptionID: "no", Kind: acp.RejectOnce}}
		if ticket, _, ok := w.Request(call, permission.New{Options: options}); ok {
			w.requests.Show(ticket)
			w.tickets = append(w.tickets, ticket)
		}
	}},
	{"answer", func(w *world) {
		for _, snap := range w.requests.list.Shown() {
			w.Answer(permission.Answer{ID: snap.ID, Option: "yes", Version: snap.Version, By: "user"})
			return
		}
	}},
	{"gives up", func(w *world) {
		if ids := w.requests.All(); len(ids) > 0 {
			for i, t := range w.tickets {
				if t.ID == ids[0] {
					w.requests.GiveUp(t)
					w.tickets = slices.Delete(w.tickets, i, i+1)
					return
				}
			}
		}
	}},
	{"ends", func(w *world) {
		if t := w.current(); t != nil && w.sent[t] {
			w.end(t, nil, nil)
		}
	}},
	{"errs", func(w *world) {
		if t := w.current(); t != nil && w.sent[t] {
			var login *LoginNeeded
			if w.rand.IntN(2) == 0 {
				login = &LoginNeeded{Methods: []string{"m"}}
			}
			w.end(t, io.ErrUnexpectedEOF, login)
		}
	}},
	{"stop", func(w *world) {
		w.queue.Hold()
		w.Cancel()
	}},
	{"requeue", func(w *world) {
		if len(w.queue.list) == 0 {
			return
		}
		i, action := w.rand.IntN(len(w.queue.list)), []string{"now", "up", "edit", "remove", "steer"}[w.rand.IntN(5)]
		text := w.queue.list[i].Text
		got := w.requeue(action, i+1, text)
		switch {
		case action == "remove":
			delete(w.at, text)
		case got.Steer:
			w.steered = append(w.steered, got.Prompt)
		case got.Cancel:
			w.Cancel()
		}
	}},
	{"show queue", func(w *world) { w.shown = texts(w.queue.list) }},
	{"reorder", (*world).reorder},
	{"steered", func(w *world) {
		if len(w.steered) == 0 {
			return
		}
		p := w.steered[0]
		w.steered = w.steered[1:]
		if t := w.Turn(); t.Steerable() && w.rand.IntN(2) == 0 {
			Steered(w.State, p, nil)
			delete(w.at, p.Text)
		} else {
			w.RequeueSteered([]Prompt{p}, t, nil)
		}
	}},
	{"drain", func(w *world) {
		if t := w.Turn(); t != nil && !t.Cancelled() {
			for _, p := range w.queue.Drain() {
				Steered(w.State, p, nil)
				delete(w.at, p.Text)
			}
		}
	}},
	{"crash", func(w *world) {
		w.opening = w.opening && w.link.Agent() == nil
		w.Lost(w.agent, io.EOF, w.rand.IntN(4) == 0)
	}},
	{"login", func(w *world) {
		if w.LoggedIn() {
			w.start()
		}
	}},
	{"rest", func(w *world) { w.Detach(w.agent, time.Now().Add(time.Hour)) }},
	{"restart", func(w *world) {
		w.Lost(w.agent, nil, false)
		w.start()
	}},
	{"option", func(w *world) {
		mode := []string{"code", "plan", "fast"}[w.rand.IntN(3)]
		c, err := w.options.Set("mode", mode)
		if err == nil {
			w.mode = mode
		}
		if c != nil {
			w.changes = append(w.changes, c)
		}
	}},
	{"nonsense", func(w *world) {
		if _, err := w.options.Set("mode", "nonsense"); err == nil && len(w.options.list) > 0 {
			panic("a mode that the agent does not offer was taken")
		} else if err == nil {
			w.mode = "" // nobody can know yet
		}
	}},
	{"changed", func(w *world) { w.change(nil) }},
	{"refuses", func(w *world) { w.change(errors.New("not today")) }},
	{"note", func(w *world) {
		note := fmt.Sprintf("note %d", w.rand.IntN(1<<30))
		w.told[note] = true
		w.briefing.Tell(note)
	}},
	{"draw", func(w *world) { w.Frame(1 << 10) }},
	{"close", func(w *world) {
		if w.rand.IntN(20) == 0 {
			w.queue.Hold()
			w.Cancel()
			w.State.Close()
			if t := w.Turn(); t != nil {
				delete(w.at, t.Prompt.Text) // the user has seen it begin
			}
		}
	}},
}

func (w *world) start() {
	if w.link.Claim() {
		w.connect()
	}
}

func (w *world) connect() {
	if w.rand.IntN(8) == 0 {
		w.Failed(nil, errors.New("the record cannot be read"), "", nil)
		return
	}
	w.agent, w.opening = new(agents.Agent), true
	w.Connect(w.agent)
}

// settle does all that is left for the agent and the user to do, and lets the agent be started once more.
func (w *world) settle() {
	for range 4 * (len(w.queue.list) + len(w.turns) + len(w.steered) + 4) {
		for _, name := range []string{"login", "begins", "changed", "answer", "steered", "sends", "ends"} {
			w.act(name)
		}
		if w.phase() == Disconnected || w.phase() == Starting && w.link.Agent() == nil {
			w.start()
			w.run()
		}
		if len(w.queue.list) > 0 && w.Turn() == nil {
			w.requeue("now", 1, w.queue.list[0].Text) // the user lets it go
			w.run()
		}
	}
}

func (w *world) act(name string) {
	i := slices.IndexFunc(actions, func(a action) bool { return a.name == name })
	actions[i].do(w)
	w.run()
}

// Whatever happens to a session in whatever order: in the end nothing is pending, no prompt is lost and none is in two places,
// each request was answered, and there is no phase that it cannot leave. The mode that was chosen holds, and what the agent is to be
// told is told once (behaviours 667, 669, 1203).
func TestSequences(t *testing.T) {
	seed := seedtest.Of(t)
	for n := range uint64(*sequences) {
		w := newWorld(seed, n)
		for range 10 + w.rand.IntN(40) {
			a := actions[w.rand.IntN(len(actions))]
			w.steps = append(w.steps, a.name)
			a.do(w)
			w.run()
			if p := w.wrong(); p != "" {
				t.Fatalf("sequence %d: %s after %q", n, p, w.steps)
			}
		}
		w.settle()
		if p := w.problem(); p != "" {
			t.Fatalf("sequence %d: %s after %q", n, p, w.steps)
		}
	}
}
