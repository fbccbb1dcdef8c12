package host

import (
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// What a session and its children know of files is kept apart, and forgotten with the session; what each of them writes is the session's.
func TestAskers(t *testing.T) {
	s := &Session{id: "s"}
	ids := map[string]bool{}
	for _, child := range []string{"", "k", "k/child/k", "s"} {
		a := asker{featured{s}, session.Child{ID: child}}
		id := a.LocalID()
		if own := child == ""; own != (id == s.id) || !own && !strings.HasPrefix(id, s.id+"/") { // see [buffers.Store.Forget]
			t.Errorf("child %q has the id %q", child, id)
		}
		if ids[id] {
			t.Errorf("two have the id %q", id)
		}
		ids[id] = true
		if sessionOf(files.Change{Session: a}) != s {
			t.Errorf("what child %q writes is not the session's", child)
		}
	}
	if sessionOf(files.Change{Session: featured{s}}) != s || sessionOf(files.Change{}) != nil {
		t.Error("what a tool or nobody writes is another's")
	}
}
