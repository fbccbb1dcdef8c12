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

// What a hanging Neovim was given back, and the next one gets, does not come from it a second time (behaviour 552).
func TestWithoutGivenBack(t *testing.T) {
	back := func(session string, texts ...string) laterCall {
		var list []unsent
		for _, text := range texts {
			list = append(list, unsent{Text: text})
		}
		return laterCall{luaGiveBack, []any{session, list}}
	}
	for _, test := range []struct {
		name, text string
		calls      []laterCall
		want       []string
	}{
		{"nothing", "typed", nil, []string{"typed"}},
		{"above", "back\ntyped", []laterCall{back("s", "back")}, []string{"typed"}},
		{"only", "back", []laterCall{back("s", "back")}, nil},
		{"two", "one\n\ntwo\ntyped", []laterCall{back("s", "one", "two")}, []string{"typed"}},
		{"two calls", "later\nback\ntyped\nmore", []laterCall{back("s", "back"), back("s", "later")}, []string{"typed\nmore"}},
		{"two calls, the other way round", "back\nlater\ntyped", []laterCall{back("s", "back"), back("s", "later")}, []string{"typed"}},
		{"typed again", "back\nback\n", []laterCall{back("s", "back")}, []string{"back\n"}},
		{"not there", "typed", []laterCall{back("s", "back")}, []string{"typed"}},
		{"longer", "backwards", []laterCall{back("s", "back")}, []string{"backwards"}},
		{"another session", "back\ntyped", []laterCall{back("r", "back")}, []string{"back\ntyped"}},
		{"another call", "back\ntyped", []laterCall{{luaSay, []any{"info", "back"}}}, []string{"back\ntyped"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, p := range withoutGivenBack("s", []unsent{{Text: test.text}}, test.calls) {
				got = append(got, p.Text)
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
