package tools

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// Of many refused connections the first is said at once, and the others together a while later, as long as there are some
// (behaviour 500).
func TestRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r refusals
		var said []string
		say := func(text string) { said = append(said, text) } // one at a time
		many := func(n int) {
			for range n {
				r.add("no token", say)
			}
		}

		pass := func() { <-time.After(refusalPause + time.Second) } // of the clock of synctest: nothing waits

		many(200)
		pass()
		many(1)
		pass()
		pass()
		many(3)
		r.close()
		many(1)
		pass()

		one := "a connection to the editor's tools was refused: no token"
		want := []string{one, "199 more connections to the editor's tools were refused; the last one: no token", one, one}
		if !slices.Equal(said, want) {
			t.Errorf("said %q, want %q", said, want)
		}
	})
}
