package host

import (
	"testing"

	"github.com/nvim-acp/nvim-acp/host/attach"
)

// What a Neovim says in the moment in which it gets the seat counts: a verb that is dropped would be waited for.
func TestHeardAsItSitsDown(t *testing.T) {
	for range 20_000 {
		l := newLife(new(attach.Seat))
		g := new(attach.Guest)
		l.joining = g
		heard := make(chan bool)
		go func() { heard <- l.hears(g) }() // ends with the round
		l.mu.Lock()
		l.joining = nil
		l.seat.Sit(g)
		l.mu.Unlock()
		if !<-heard {
			t.Fatal("not heard")
		}
	}
}
