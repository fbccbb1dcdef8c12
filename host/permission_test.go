package host

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/drawing"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

// asking is what a test knows of one request: the commands that it, and updates before and after it, have for its call, and how
// often what is shown of them has changed since it was asked.
type asking struct {
	id      string
	call    string
	own     string // "": it has named none
	before  string // as updates describe it, without requests
	after   string // the same, beginning with what was asked; "": no other
	version int
	over    bool
	done    chan string // the option chosen; "" if it was taken back
}

// shown is what the user sees: the command that is asked about, and another one that the agent has named since.
func (r *asking) shown() [2]string {
	asked := cmp.Or(r.own, r.before)
	if r.after == asked {
		return [2]string{asked}
	}
	return [2]string{asked, r.after}
}

// answering is a session whose calls change while it is asked about them, before, between and after the answers.
type answering struct {
	t        *testing.T
	s        *Session
	rand     *rand.Rand
	requests []*asking          // by the order in which they were made
	commands map[string]string  // by call
	screen   []permission.Shown // as it was drawn last
}

func (w *answering) update(call, command string, status acp.ToolCallStatus) {
	u := &acp.ToolCallUpdate{ToolCallID: call, Status: status}
	if command != "" {
		u.RawInput = rawCommand(command)
	}
	w.changes(call, command)
	w.s.Update(u)
	for _, r := range w.requests {
		if r.call == call && (status == acp.ToolCallCompleted || status == acp.ToolCallFailed) {
			r.over = true
		}
	}
}

func (w *answering) changes(call, command string) {
	if command == "" {
		return
	}
	w.commands[call] = command
	for _, r := range w.requests {
		if r.call != call || r.over {
			continue
		}
		shown := r.shown()
		r.before, r.after = command, command
		if r.shown() != shown {
			r.version++
		}
	}
}

func (w *answering) request(call, command string) {
	r := &acp.RequestPermissionRequest{
		ToolCall: acp.ToolCallUpdate{ToolCallID: call},
		Options:  []acp.PermissionOption{{OptionID: "yes", Kind: acp.AllowOnce}, {OptionID: "no", Kind: acp.RejectOnce}},
	}
	if command != "" {
		r.ToolCall.RawInput = rawCommand(command)
	}
	asked := &asking{call: call, own: command, before: w.commands[call], version: 1, done: make(chan string, 1)}
	for _, other := range w.requests {
		if other.call == call && !other.over {
			asked.before = other.before
		}
	}
	asked.after = cmp.Or(command, asked.before)
	w.commands[call] = cmp.Or(command, w.commands[call])
	w.requests = append(w.requests, asked)
	answer := w.s.requestPermission(r, session.Child{}, &r.ToolCall)
	ids := ask(w.s, func(st *session.State) []string { return st.Requests().All() })
	asked.id = ids[len(ids)-1]
	go func() { // ends with the request
		got, err := answer(context.Background())
		if err != nil {
			asked.done <- err.Error()
			return
		}
		asked.done <- got.Outcome.OptionID
	}()
}

func rawCommand(command string) acp.Raw {
	raw, _ := json.Marshal(map[string]string{"command": command}) // a map of strings can be marshalled
	return raw
}

func (w *answering) draw() {
	if f, _ := w.s.host.render.Frame(featured{w.s}, drawing.FrameBudget); f.Permissions != nil {
		w.screen = *f.Permissions
	}
}

// answer answers what is on the screen, which may be old.
func (w *answering) answer() {
	if len(w.screen) == 0 {
		return
	}
	p := w.screen[w.rand.IntN(len(w.screen))]
	var r *asking
	for _, other := range w.requests {
		if other.id == p.ID {
			r = other
		}
	}
	want := !r.over && p.Version == r.version
	if got := w.s.permit(permitArgs{ID: p.ID, Option: "yes", Version: p.Version}); got != want {
		w.t.Fatalf("an answer to version %d of %s, which is at %d (over: %t): it counts: %t", p.Version, p.ID, r.version, r.over, got)
	}
	if want {
		text := strings.Join(p.Lines, "\n")
		for _, command := range r.shown() {
			if !strings.Contains(text, command) {
				w.t.Fatalf("%q was allowed, and %q not shown: %q", r.shown(), command, text)
			}
		}
		r.over = true
		if got := <-r.done; got != "yes" {
			w.t.Fatalf("%s was answered with %q", p.ID, got)
		}
		r.done <- "yes"
	}
}

// Whatever an agent says of its calls before, between and after the answers: an answer counts if it is to what was shown last
// and was the same when it came, and no request is left that cannot be answered any more.
func TestEachRequestHasItsAnswer(t *testing.T) {
	seed := seedtest.Of(t)
	for round := range uint64(100) {
		t.Run("", func(t *testing.T) {
			t.Logf("seed %d, round %d", seed, round)
			h := newHost(new(notedEditor), "test", os.DevNull)
			s := newSession(h, openArgs{Target: feature.Target{Session: "s"}, Cwd: t.TempDir()})
			w := &answering{t: t, s: s, rand: rand.New(rand.NewPCG(seed, round)), commands: map[string]string{}}
			for range 60 {
				call, command := fmt.Sprint("c", w.rand.IntN(3)), []string{"", "ls", "cp -l", "rm x"}[w.rand.IntN(4)]
				switch w.rand.IntN(8) {
				case 0, 1, 2:
					w.update(call, command, "")
				case 3:
					w.update(call, command, acp.ToolCallInProgress)
				case 4:
					w.request(call, command)
				case 5, 6:
					w.draw()
					if w.rand.IntN(2) == 0 {
						w.answer()
					}
				default:
					w.answer()
				}
				if w.rand.IntN(40) == 0 {
					w.update(call, "", acp.ToolCallFailed)
				}
			}
			for w.draw(); len(w.screen) > 0; w.draw() {
				w.answer()
			}
			for i, r := range w.requests {
				if !r.over {
					t.Errorf("request %d cannot be answered any more", i+1)
				}
				<-r.done
			}
		})
	}
}

// Rules that allow what a request says, and also what an update says of its call since, allow neither (behaviour 662).
func TestContradictionIsAsked(t *testing.T) {
	h := newHost(new(notedEditor), "test", os.DevNull)
	allow := []rules.Rule{{Action: "allow", Command: "ls"}, {Action: "allow", Command: "date"}}
	s := newSession(h, openArgs{Target: feature.Target{Session: "s"}, Cwd: t.TempDir(), Agent: agents.Spec{Name: "a", Rules: allow}})
	r := &acp.RequestPermissionRequest{
		ToolCall: acp.ToolCallUpdate{ToolCallID: "c", Kind: acp.ToolKindExecute, RawInput: rawCommand("ls")},
		Options:  []acp.PermissionOption{{OptionID: "yes", Kind: acp.AllowOnce}},
	}
	s.requestPermission(r, session.Child{}, &r.ToolCall)
	s.Update(&acp.ToolCallUpdate{ToolCallID: "c", RawInput: rawCommand("date")})
	for _, id := range ask(s, func(st *session.State) []string { return st.Requests().All() }) {
		s.host.policy.Judge(featured{s}, id)
	}
	if got := ask(s, func(st *session.State) []permission.Waiting { return st.Requests().Waiting() }); len(got) != 1 {
		t.Errorf("%d requests wait for the user, want 1", len(got))
	}
}
