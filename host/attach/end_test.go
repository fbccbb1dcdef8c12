package attach

import (
	"errors"
	"net"
	"testing"

	"github.com/neovim/go-client/msgpack"
	"github.com/neovim/go-client/msgpack/rpc"
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

// refuses is the writing side of a connection whose other end has gone. It is closed by the first write.
type refuses chan struct{}

func (r refuses) Write([]byte) (int, error) {
	close(r)
	return 0, net.ErrClosed
}

// What a Neovim has said before it went is handled, also if something was to be told to it meanwhile (behaviour 510).
func TestEndWhileWriting(t *testing.T) {
	ours, theirs := net.Pipe()
	wrote := make(refuses)
	g, err := NewGuest(ours, wrote, ours)
	if err != nil {
		t.Fatal(err)
	}
	heard := false
	if err := g.RegisterHandler("verb", func(int) { heard = true }); err != nil {
		t.Fatal(err)
	}
	told := make(chan error, 1)
	go func() { told <- g.ExecLua("", nil) }() // ends when the connection has
	<-wrote
	go func() { // ends when all is written
		defer theirs.Close()
		_ = msgpack.NewEncoder(theirs).Encode([]any{2, "verb", []any{1}}) // the test sees what is missing
	}()
	if err := g.Serve(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if !heard {
		t.Error("the verb was not heard")
	}
	if err := <-told; !errors.Is(err, rpc.ErrClosed) {
		t.Errorf("ExecLua: %v, want %v", err, rpc.ErrClosed)
	}
}
