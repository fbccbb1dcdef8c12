package host

import (
	"fmt"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// Updates of sessions that nobody knows are kept while one is being opened, but not without an end.
func TestEarlyUpdatesAreBounded(t *testing.T) {
	a := &agent{sessions: map[string]*Session{}, early: map[string][]acp.SessionUpdate{}}
	send := func(n int) {
		for i := range n {
			a.SessionUpdate(&acp.SessionNotification{SessionID: fmt.Sprint(i % 7), Update: &acp.Plan{}})
		}
	}
	kept := func() (n int) {
		for _, list := range a.early {
			n += len(list)
		}
		return n
	}
	send(10)
	if n := kept(); n != 0 {
		t.Errorf("while none is opened: %d are kept", n)
	}
	a.opens()
	send(mostEarly + 100)
	if n := kept(); n != mostEarly {
		t.Errorf("%d are kept, want %d", n, mostEarly)
	}
	a.opened("", nil)
	if n := kept(); n != 0 {
		t.Errorf("when it is opened: %d are kept", n)
	}
}
