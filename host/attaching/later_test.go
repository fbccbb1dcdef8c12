package attaching

import (
	"net"
	"reflect"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/attach"
)

// luaSay is a call for its effect.
const luaSay = `require("nvim-acp.host").say(...)`

// What was told to a Neovim that hangs reaches the one that has taken its place, also if that was shown all before (behaviour 552).
func TestToldToNext(t *testing.T) {
	call := func(conn net.Conn) {
		t.Helper()
		if _, err := conn.Read(make([]byte, 1<<10)); err != nil {
			t.Fatal("no call: ", err)
		}
	}
	seat := new(attach.Seat)
	l := New(nil, seat, Config{}, Hooks{})
	first, hangs := guestAt(t)
	second, answers := guestAt(t)
	seat.Sit(first)
	go l.Tell(luaSay, "info", "text") // until the second one is closed
	call(hangs)
	seat.Sit(second)
	l.tellLater()
	first.Left()
	call(answers)
}

// Of what a Neovim that was taken over hands on, the next one gets what was typed and what nobody else was given (behaviours 552, 615).
func TestNotGiven(t *testing.T) {
	l := New(nil, new(attach.Seat), Config{}, Hooks{})
	l.given = map[string]int{"here": 1, "elsewhere": 2}
	var got []string
	for _, p := range l.notGiven([]Unsent{{ID: "here"}, {ID: "elsewhere"}, {ID: "nowhere"}, {ID: "typed"}}, 1) {
		got = append(got, p.ID)
	}
	if want := []string{"here", "nowhere", "typed"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Prompts that wait for a Neovim are not forgotten for messages (behaviour 615).
func TestLaterPrompts(t *testing.T) {
	l := New(nil, new(attach.Seat), Config{}, Hooks{})
	l.GiveBack("s", []Unsent{{ID: "a", Text: "words"}}, Home{})
	for range 2 * maxLater {
		l.Tell(luaSay, "info", "text")
	}
	if got := l.takeLater(); len(got) != maxLater || got[0].code != luaGiveBack {
		t.Errorf("%d calls wait, first %q", len(got), got[0].code)
	}
}

// The prompts that wait for a Neovim are those of the session that is asked about (behaviour 1646).
func TestWaitingOf(t *testing.T) {
	l := New(nil, new(attach.Seat), Config{}, Hooks{})
	l.GiveBack("one", []Unsent{{ID: "a", Text: "first"}, {ID: "b", Text: "second"}}, Home{})
	l.GiveBack("two", []Unsent{{ID: "c", Text: "other"}}, Home{})
	for session, want := range map[string][]string{"one": {"first", "second"}, "two": {"other"}, "three": nil} {
		var got []string
		for _, p := range l.Waiting(session) {
			got = append(got, p.Text)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("of %s: got %q, want %q", session, got, want)
		}
	}
}
