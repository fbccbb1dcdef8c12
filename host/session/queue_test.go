package session

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/permission"
)

// Of very many prompts the ids of the latest are known (behaviour 615).
func TestHad(t *testing.T) {
	s, _ := opened(t)
	const count = 3 * maxHad
	for i := range count {
		s.Queue().add(Prompt{ID: fmt.Sprint(i), Text: "text"})
	}
	s.Queue().add(Prompt{Text: "not from the editor"})

	had := s.Queue().Had()
	if len(had) != maxHad {
		t.Fatalf("%d ids are known, want %d", len(had), maxHad)
	}
	for i, id := range had {
		if want := fmt.Sprint(count - maxHad + i); id != want {
			t.Fatalf("id %d is %s, want %s", i, id, want)
		}
	}
}

// A prompt that its user has sent before they could see that the agent has not taken their mode is held, as those that waited are (behaviour
// 1527).
func TestUnseenMode(t *testing.T) {
	for _, unseen := range []bool{false, true} {
		s, _ := opened(t)
		s.Queue().holdForMode()
		s.Prompt(Prompt{Text: "on its way", Unseen: unseen})
		if s.Queue().ModesRefused() != 1 || (s.Take().Begin == nil) != unseen {
			t.Errorf("sent before it could be seen: %v, refused %d times; begins: %v", unseen, s.Queue().ModesRefused(), !unseen)
		}
	}
}

// A queue that is edited while its agent goes comes back: what is new, once, and not again what has come back before (behaviour 1203).
func TestReorderWithoutAgent(t *testing.T) {
	s, a := opened(t)
	for _, text := range []string{"now", "waits"} {
		s.Prompt(Prompt{Text: text})
	}
	s.Lost(a, io.EOF, false)
	if got := texts(s.Take().GiveBack); !slices.Equal(got, []string{"now", "waits"}) {
		t.Errorf("with the agent %q come back, want both", got)
	}

	s.Reorder([]string{"waits"}, []Wanted{{From: 1, Text: "waits"}, {Text: "new"}})
	if got := texts(s.Take().GiveBack); !slices.Equal(got, []string{"new"}) {
		t.Errorf("after it %q come back, want what is new", got)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

// What waits as the session is closed comes back once, and what is on its way into the turn: but not what the user has not written, then
// or later (behaviours 1509, 1510).
func TestClosedWithPrompts(t *testing.T) {
	s, _ := opened(t)
	for _, p := range []Prompt{{Text: "runs"}, {Text: "on its way"}, {Text: "errors", Fix: true}, {Text: "waits", Held: true}} {
		s.Prompt(p)
	}
	s.Requeue("steer", 1, "on its way")
	s.Take()

	s.Close()
	if got := texts(s.Take().GiveBack); !slices.Equal(got, []string{"on its way", "waits"}) {
		t.Errorf("with the session %q come back, want the prompt on its way and the one that waits", got)
	}

	s.RequeueSteered([]Prompt{{Text: "on its way"}}, s.Turn(), io.EOF)
	s.Prompt(Prompt{Text: "more errors", Fix: true})
	s.Prompt(Prompt{Text: "late"})
	if got := texts(s.Take().GiveBack); !slices.Equal(got, []string{"late"}) {
		t.Errorf("after it %q come back, want the user's prompt", got)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

// reorder is a user who leaves the queue as they have edited it: a new prompt before those that were shown, in another order.
func (w *world) reorder() {
	if w.link.Closed() {
		return
	}
	w.prompts++
	text := fmt.Sprintf("prompt %d", w.prompts)
	want := []Wanted{{Text: text}}
	w.at[text]++
	for _, i := range w.rand.Perm(len(w.shown)) {
		want = append(want, Wanted{From: i + 1, Text: w.shown[i]})
	}
	w.Reorder(w.shown, want)
}

// While the user is to decide on what a turn has changed no other begins, and a prompt that waits for that says so, whenever it comes; the
// gate opens once, and not by whoever has closed an earlier one.
func TestGate(t *testing.T) {
	s, _ := opened(t)
	waits := func() int { return strings.Count(shown(s.Log()), "thenextpromptwaitsuntilyouhavedecided") }
	begins := func(want ...string) {
		t.Helper()
		e := s.Take()
		var got []string
		if e.Begin != nil {
			got = append(got, e.Begin.Prompt.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q begin, want %q", got, want)
		}
		if err := s.Check(); err != nil {
			t.Error(err)
		}
	}
	ask := permission.New{Options: []acp.PermissionOption{{OptionID: "keep", Kind: acp.AllowOnce}}}

	before := s.Queue().CloseGate()
	s.OpenGate(before)
	gate := s.Queue().CloseGate()
	if s.OpenGate(before); s.Queue().AskAtGate(before, ask) != nil {
		t.Error("an earlier gate is closed")
	}
	if ticket := s.Queue().AskAtGate(gate, ask); ticket == nil || waits() != 0 {
		t.Fatalf("nothing waits, and it is said %d times: %v", waits(), ticket)
	}
	for n := range 2 {
		s.Prompt(Prompt{ID: fmt.Sprint(n), Text: fmt.Sprint("prompt ", n)})
		if begins(); waits() != n+1 {
			t.Errorf("%d prompts wait, and it is said %d times", n+1, waits())
		}
	}
	if pending := s.Requests().All(); len(pending) != 1 {
		t.Errorf("%d requests are pending, want the question", len(pending))
	}
	s.OpenGate(gate)
	begins("prompt 0")
	if pending := s.Requests().All(); len(pending) != 0 || s.Queue().Len() != 1 {
		t.Errorf("%d requests are pending, and %d prompts wait", len(pending), s.Queue().Len())
	}
	if s.OpenGate(gate); s.Queue().AskAtGate(gate, ask) != nil {
		t.Error("it is asked at a gate that is open")
	}

	s, _ = opened(t)
	gate = s.Queue().CloseGate()
	s.Prompt(Prompt{Text: "early"})
	if begins(); waits() != 0 {
		t.Error("it is said before it is known that there is something to decide")
	}
	if s.Queue().AskAtGate(gate, ask); waits() != 1 {
		t.Errorf("a prompt waits, and it is said %d times", waits())
	}
	s.Requeue("now", 1, "early")
	begins("early")
}

// A prompt that is written into a queue that is held is held as well, and no other one is (behaviour 1203).
func TestReorderHeld(t *testing.T) {
	for _, held := range []bool{false, true} {
		s := busy(t)
		s.Prompt(Prompt{Text: "waits"})
		s.queue.list[0].Held = held
		s.Reorder([]string{"waits"}, []Wanted{{Text: "new"}, {From: 1, Text: "waits"}})
		for _, p := range s.queue.list {
			if p.Held != held {
				t.Errorf("the queue is held: %t, %q is: %t", held, p.Text, p.Held)
			}
		}
		if len(s.queue.list) != 2 {
			t.Errorf("%d prompts wait, want two", len(s.queue.list))
		}
	}
}

// A suggestion of the agent's is there until it suggests another one, or none (behaviour 294).
func TestSuggestion(t *testing.T) {
	s, _ := opened(t)
	for _, step := range []struct{ meta, want string }{
		{`{"suggestions": [{"text": " "}, {"text": "go on"}]}`, "go on"},
		{`{"suggestions": "none"}`, "go on"}, // not understood
		{`{"suggestions": []}`, ""},
	} {
		s.Update(&acp.SessionInfoUpdate{Meta: acp.Meta{"promptSuggestions": acp.Raw(step.meta)}})
		if got := s.offers.suggestion; got != step.want {
			t.Errorf("after %s: got %q, want %q", step.meta, got, step.want)
		}
	}
}
