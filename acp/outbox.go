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
	poke poke.Chan     // the queue or the state has changed
	done chan struct{} // closed when run has returned

	mu      sync.Mutex // guards the fields below
	queue   [][]byte
	waiting int   // bytes in queue
	closed  bool  // drop everything
	flush   bool  // close w once the queue is empty
	err     error // the error for run
}

func newOutbox(w io.WriteCloser) *outbox {
	return &outbox{w: w, poke: poke.New(), done: make(chan struct{})}
}

// put enqueues a message of any size while fewer than outboxLimit bytes are queued, else the connection fails.
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

// ended reports whether messages are refused.
func (o *outbox) ended() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.closed || o.flush || o.err != nil
}

// close drops the queue and ends a blocked write.
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

// finish closes w after the queue has been written.
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
		messages, closed, flush, err := o.dequeue()
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

// dequeue empties the queue and returns its messages.
func (o *outbox) dequeue() (messages [][]byte, closed, flush bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	messages, o.queue, o.waiting = o.queue, nil, 0
	return messages, o.closed, o.flush, o.err
}

// cause returns why a write failed: err, unless close or put ended it.
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
