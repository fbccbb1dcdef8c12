package host

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// asking is what a test knows of one request: the command that its call has, how often that has changed since it was asked.
type asking struct {
	call    string
	version int
	over    bool
	done    chan string // the option chosen; "" if it was taken back
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
	if command == "" || w.commands[call] == command {
		return
	}
	w.commands[call] = command
	for _, r := range w.requests {
		if r.call == call {
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
	w.changes(call, command)
	asked := &asking{call: call, version: 1, done: make(chan string, 1)}
	w.requests = append(w.requests, asked)
	answer := w.s.requestPermission(r, session.Child{}, &r.ToolCall)
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
	if f, _ := w.s.frame(frameBudget); f.Permissions != nil {
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
	for i, other := range w.requests {
		if fmt.Sprintf("s/%d", i+1) == p.ID {
			r = other
		}
	}
	want := !r.over && p.Version == r.version
	if got := w.s.permit(permitArgs{ID: p.ID, Option: "yes", Version: p.Version}); got != want {
		w.t.Fatalf("an answer to version %d of %s, which is at %d (over: %t): it counts: %t", p.Version, p.ID, r.version, r.over, got)
	}
	if want {
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
	seed := rand.Uint64()
	for round := range uint64(100) {
		t.Run("", func(t *testing.T) {
			t.Logf("seed %d, round %d", seed, round)
			h := newHost(new(notedEditor), "test", os.DevNull)
			s := newSession(h, openArgs{target: target{Session: "s"}, Cwd: t.TempDir()})
			w := &answering{t: t, s: s, rand: rand.New(rand.NewPCG(seed, round)), commands: map[string]string{}}
			for range 60 {
				call, command := fmt.Sprint("c", w.rand.IntN(3)), []string{"", "ls", "ls -l", "rm x"}[w.rand.IntN(4)]
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
