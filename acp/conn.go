package acp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/caught"
)

const (
	defaultMaxLine = 256 << 20              // bytes
	drainTime      = 150 * time.Millisecond // for reading what is left after the other side ended
	exitTime       = time.Second            // from the end of a process' output to its exit, on a busy machine
)

// Conn is a connection to an agent. All methods are safe for concurrent use, and all but the blocking calls and Close may
// be used from the read goroutine, that is, from [Client] and from done functions.
type Conn struct {
	client Client
	opts   Options
	log    *Log
	r      io.ReadCloser
	out    *outbox
	cancel context.CancelFunc // ends the contexts of the agent's requests
	done   chan struct{}      // closed once err is set and every pending call has failed

	unnamed unnamed // of the read goroutine

	mu      sync.Mutex // guards the fields below
	err     error      // why the connection ended; nil while it runs
	ending  error      // the value of Err, if stop ended the reader
	nextID  int64
	pending map[int64]*call               // our requests that have no answer yet
	open    map[string]context.CancelFunc // the requests of the agent that have no answer yet, by the key of their id
	asked   int                           // how many of those there are, with those whose id is null
}

// call is a request of ours.
type call struct {
	method string
	start  time.Time
	done   func(result Raw, err error) // called once, on the read goroutine
}

// NewConn starts to read r and to write w, and owns both. The connection ends with the first error of either, and
// with [Conn.Close]; closing r must end a read of it, and closing w a write to it.
func NewConn(r io.ReadCloser, w io.WriteCloser, client Client, opts Options) *Conn {
	if opts.MaxLine == 0 {
		opts.MaxLine = defaultMaxLine
	}
	if opts.Log == nil {
		opts.Log = NewLog(0)
	}

	ctx, cancel := context.WithCancel(context.Background())
	c := &Conn{
		client:  client,
		opts:    opts,
		log:     opts.Log,
		r:       r,
		out:     newOutbox(w),
		cancel:  cancel,
		done:    make(chan struct{}),
		pending: make(map[int64]*call),
		open:    make(map[string]context.CancelFunc),
	}
	caught.Go(c.write)                // until the outbox is closed, by end or Close
	caught.Go(func() { c.read(ctx) }) // until r ends, which Close sees to
	return c
}

// Done is closed when the connection has ended and every pending call has failed.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns why the connection ended, nil while it runs.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Log returns the connection's log.
func (c *Conn) Log() *Log { return c.log }

// Close ends the connection and waits for its goroutines, but not for an [Answer] that still runs: its context is ended and
// its result dropped. Messages that are not written yet are lost. It must not be called from the read goroutine.
func (c *Conn) Close() error {
	c.stop(ErrClosed)
	<-c.done
	<-c.out.done
	return nil
}

// stop ends the reader, with err unless it has ended already.
func (c *Conn) stop(err error) {
	c.mu.Lock()
	if c.ending == nil {
		c.ending = err
	}
	c.mu.Unlock()
	c.out.close()
	_ = c.r.Close() // a second close changes nothing
}

// read is the read goroutine.
func (c *Conn) read(ctx context.Context) {
	lines := newLineReader(c.r, readBuffer, c.opts.MaxLine)
	for {
		line, err := lines.next()
		if len(line) > 0 {
			if fault := caught.Do("acp.(*Conn).dispatch", func() { c.dispatch(ctx, line) }); fault != nil {
				caught.Report(fault)
				c.stop(fault) // whoever waits for what the line said would wait for ever
			}
		}
		if err != nil {
			c.end(err)
			return
		}
	}
}

// end fails all pending calls, once, in their order.
func (c *Conn) end(err error) {
	c.mu.Lock()
	stopped := c.ending
	c.mu.Unlock()

	if stopped != nil {
		err = stopped
	} else if err == io.EOF {
		err = fmt.Errorf("agent closed its output: %w", io.ErrUnexpectedEOF)
	}

	c.out.close() // before requests end, whose answers nobody waits for
	c.cancel()
	if c.opts.ended != nil {
		err = c.opts.ended(err)
	}

	_ = c.r.Close()
	c.mu.Lock()
	c.err = err
	calls := c.pending
	c.pending, c.open = nil, nil
	c.mu.Unlock()

	c.log.Info("connection ended: " + err.Error())
	for _, id := range sortedKeys(calls) {
		caught.Run("acp.(*Conn).end", func() { calls[id].done(nil, err) })
	}

	close(c.done)
}

func sortedKeys(calls map[int64]*call) []int64 {
	ids := make([]int64, 0, len(calls))
	for id := range calls {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// write is the write goroutine. When writing fails, the agent has most likely ended: its last output is still read.
func (c *Conn) write() {
	err := c.out.run()
	if err == nil {
		return
	}
	if !errors.Is(err, errNotReading) {
		select {
		case <-c.done:
		case <-time.After(drainTime):
		}
	}
	c.stop(fmt.Errorf("write to agent: %w", err))
}
