package attach

import (
	"net"
	"testing"

	"github.com/neovim/go-client/msgpack"
)

// What a Neovim has said is handled before its end is known, and an end within a message is one (behaviour 510).
func TestEnd(t *testing.T) {
	const verbs = 500
	for _, test := range []struct {
		name string
		tail string // after the verbs
	}{
		{"whole", ""},
		{"cut", "\x93\x02\xd9\x80pro"},
	} {
		t.Run(test.name, func(t *testing.T) {
			ours, theirs := net.Pipe()
			g, err := NewGuest(ours, ours, ours)
			if err != nil {
				t.Fatal(err)
			}
			var heard int
			if err := g.RegisterHandler("verb", func(map[string]int) { heard++ }); err != nil {
				t.Fatal(err)
			}
			go func() { // ends when all is written
				defer theirs.Close()
				enc := msgpack.NewEncoder(theirs)
				for i := range verbs {
					if enc.Encode([]any{2, "verb", []any{map[string]int{"n": i}}}) != nil {
						return
					}
				}
				_, _ = theirs.Write([]byte(test.tail)) // the test sees what is missing
			}()
			if err := g.Serve(); test.name == "whole" && err != nil {
				t.Errorf("Serve: %v", err)
			}
			if heard != verbs {
				t.Errorf("heard %d verbs of %d", heard, verbs)
			}
		})
	}
}
