package host

import (
	"net"
	"reflect"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/host/attach"
)

// What was told to a Neovim that hangs reaches the one that has taken its place, also if that was shown all before (behaviour 552).
func TestToldToNext(t *testing.T) {
	guest := func() (*attach.Guest, net.Conn) {
		ours, theirs := net.Pipe()
		g, err := attach.NewGuest(ours, ours, ours)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = theirs.Close() })
		go func() { _ = g.Serve() }() // until theirs is closed
		_ = theirs.SetDeadline(time.Now().Add(10 * time.Second))
		return g, theirs
	}
	call := func(conn net.Conn) {
		t.Helper()
		if _, err := conn.Read(make([]byte, 1<<10)); err != nil {
			t.Fatal("no call: ", err)
		}
	}
	seat := new(attach.Seat)
	h := newHost(seat, "", "")
	first, hangs := guest()
	second, answers := guest()
	seat.Sit(first)
	go h.tell(luaSay, "info", "text") // until the second one is closed
	call(hangs)
	seat.Sit(second)
	h.tellLater()
	first.Left()
	call(answers)
}

// Of what a Neovim that was taken over hands on, the next one gets what was typed and what nobody else was given (behaviours 552, 615).
func TestNotGiven(t *testing.T) {
	l := newLife(new(attach.Seat))
	l.given = map[string]int{"here": 1, "elsewhere": 2}
	var got []string
	for _, p := range l.notGiven([]unsent{{ID: "here"}, {ID: "elsewhere"}, {ID: "nowhere"}, {ID: "typed"}}, 1) {
		got = append(got, p.ID)
	}
	if want := []string{"here", "nowhere", "typed"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Prompts that wait for a Neovim are not forgotten for messages (behaviour 615).
func TestLaterPrompts(t *testing.T) {
	h := newHost(new(attach.Seat), "", "")
	h.giveBack("s", []unsent{{ID: "a", Text: "words"}}, home{})
	for range 2 * maxLater {
		h.tell(luaSay, "info", "text")
	}
	if got := h.life.takeLater(); len(got) != maxLater || got[0].code != luaGiveBack {
		t.Errorf("%d calls wait, first %q", len(got), got[0].code)
	}
}
