package session

import (
	"fmt"
	"io"
	"slices"
	"testing"
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
