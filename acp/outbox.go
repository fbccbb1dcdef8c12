package acp

import (
	"errors"
	"io"
	"sync"

	"github.com/nvim-acp/nvim-acp/internal/poke"
)

const outboxLimit = 64 << 20 // bytes that may wait behind those being written

var errNotReading = errors.New("agent does not read: over 64 MiB wait for it")

// outbox is an ordered queue of messages with one writer. Putting never blocks.
type outbox struct {
	w    io.WriteCloser
	poke poke.Chan     // there is something to do
	done chan struct{} // closed when run has returned

	mu      sync.Mutex // guards all below
	queue   [][]byte
	waiting int   // bytes in queue
	closed  bool  // drop everything
	flush   bool  // close w once the queue is empty
	err     error // what run is to fail with
}

func newOutbox(w io.WriteCloser) *outbox {
	return &outbox{w: w, poke: poke.New(), done: make(chan struct{})}
}

// put enqueues a message. A message of any size is taken while less than outboxLimit waits, then the connection fails.
func (o *outbox) put(message []byte) {
	o.mu.Lock()
	switch {
	case o.closed || o.flush || o.err != nil:
	case o.waiting > outboxLimit:
		o.err = errNotReading
		o.queue, o.waiting = nil, 0
		_ = o.w.Close() // ends the write that is stuck; a later close changes nothing
	default:
		o.queue = append(o.queue, message)
		o.waiting += len(message)
	}
	o.mu.Unlock()
	o.poke.Poke()
}

// ended reports that nothing is taken any more.
func (o *outbox) ended() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.closed || o.flush || o.err != nil
}

// close drops what waits and ends a write that is stuck.
func (o *outbox) close() {
	o.mu.Lock()
	closed := o.closed
	o.closed = true
	o.queue, o.waiting = nil, 0
	o.mu.Unlock()
	if !closed {
		_ = o.w.Close() // as in put
		o.poke.Poke()
	}
}

// finish closes w after what waits has been written.
func (o *outbox) finish() {
	o.mu.Lock()
	o.flush = true
	o.mu.Unlock()
	o.poke.Poke()
}

// run writes until close, or until an error, which it returns.
func (o *outbox) run() error {
	defer close(o.done)
	for {
		messages, closed, flush, err := o.take()
		switch {
		case closed:
			return nil
		case err != nil:
			return err
		case len(messages) > 0:
			if err := o.writeAll(messages); err != nil {
				return o.cause(err)
			}
			continue
		case flush:
			_ = o.w.Close() // the peer sees the end, or is gone
		}
		<-o.poke
	}
}

// take empties the queue.
func (o *outbox) take() (messages [][]byte, closed, flush bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	messages, o.queue, o.waiting = o.queue, nil, 0
	return messages, o.closed, o.flush, o.err
}

// cause is why a write failed: err, unless we ended it ourselves.
func (o *outbox) cause(err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed:
		return nil
	case o.err != nil:
		return o.err
	}
	return err
}

func (o *outbox) writeAll(messages [][]byte) error {
	for _, m := range messages {
		if _, err := o.w.Write(m); err != nil {
			return err
		}
	}
	return nil
}
