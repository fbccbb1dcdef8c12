package terminal

import (
	"io"
	"sync"

	"github.com/nvim-acp/nvim-acp/internal/poke"
)

// maxInput is how many bytes of input may wait for a command that does not read.
const maxInput = 1 << 20

// outbox is input on its way to a command, in order. Adding never blocks; one goroutine writes.
type outbox struct {
	mu     sync.Mutex // guards buf and closed
	buf    []byte
	closed bool

	poke  poke.Chan     // there is more, or the end
	ended chan struct{} // closed when the writer has ended
}

func newOutbox() *outbox {
	return &outbox{poke: poke.New(), ended: make(chan struct{})}
}

// add appends p, or drops it whole if too much waits already.
func (o *outbox) add(p []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed:
		return ErrNoInput
	case len(o.buf)+len(p) > maxInput:
		return ErrInputFull
	}
	o.buf = append(o.buf, p...)
	o.poke.Poke()
	return nil
}

// close makes the writer end; what waits is dropped.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed, o.buf = true, nil
	o.poke.Poke()
}

// dequeue returns the queued input, and whether more may follow.
func (o *outbox) dequeue() ([]byte, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.buf
	o.buf = nil
	return p, !o.closed
}

// writeTo writes what is added until the outbox is closed. A write that fails is dropped: the command is gone, which its
// end will tell.
func (o *outbox) writeTo(w io.Writer) {
	defer close(o.ended)
	for range o.poke {
		p, more := o.dequeue()
		if !more {
			return
		}
		if len(p) > 0 {
			_, _ = w.Write(p)
		}
	}
}
