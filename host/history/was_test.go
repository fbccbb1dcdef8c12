package history

import (
	"testing"

	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/rewind"
)

// named is a session with an id, and nothing else.
type named struct {
	feature.Session
	id string
}

func (s named) LocalID() string { return s.id }

// What commands have made of a file is a turn's only if no turn beside it may have made it (behaviour 1290).
func TestHeard(t *testing.T) {
	a, b := named{id: "a"}, named{id: "b"}
	one, two := &Running{Turn: rewind.NewTurn(nil), session: a}, &Running{Turn: rewind.NewTurn(nil), session: b}
	rewind.Beside(one.Turn, two.Turn)
	k := &History{turns: map[string]*Running{"a": one, "b": two}}
	both := []feature.Session{a, b}
	if got := k.Heard(both, "/f").turn; got != nil {
		t.Errorf("nobody has named it, and it is of the turn of %s", got.session.LocalID())
	}
	two.Name("/f")
	if got := k.Heard(both, "/f").turn; got != two {
		t.Errorf("b has named it, and it is of %v", got)
	}
	one.Name("/f")
	if got := k.Heard(both, "/f").turn; got != nil {
		t.Errorf("both have named it, and it is of the turn of %s", got.session.LocalID())
	}
}

// An agent is told of a rewind, and of all since a turn to before which the conversation has gone back, that turn among them.
func TestWaits(t *testing.T) {
	list := []record.Rewind{{Session: "s", Entry: 2}, {Session: "s", Entry: 5, Until: 9}, {Session: "other", Entry: 3}}
	for entry, want := range map[int]bool{1: false, 2: true, 3: false, 4: false, 5: true, 6: true} {
		if got := waits(list, "s", entry); got != want {
			t.Errorf("of %d it is to be told: got %t, want %t", entry, got, want)
		}
	}
}
