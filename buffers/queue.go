package buffers

import (
	"context"
	"slices"
	"sync"
)

// Queue keeps operations on one path in their order. The zero value is ready for use, and safe for concurrent use.
type Queue struct {
	mu    sync.Mutex
	paths map[string][]*Ticket // the first of each list has its turn
}

// Ticket is a place in a [Queue]. Done must be called for each ticket, with or without Wait.
type Ticket struct {
	queue *Queue
	path  string
	turn  chan struct{} // closed when it is this one's turn
}

// Ticket returns the next place for path. It never blocks.
func (q *Queue) Ticket(path string) *Ticket {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := &Ticket{queue: q, path: path, turn: make(chan struct{})}
	if q.paths == nil {
		q.paths = make(map[string][]*Ticket)
	}
	q.paths[path] = append(q.paths[path], t)
	if len(q.paths[path]) == 1 {
		close(t.turn)
	}
	return t
}

// Wait blocks until all tickets taken before this one are done. If ctx ends first it gives up the place and returns why.
func (t *Ticket) Wait(ctx context.Context) error {
	select {
	case <-t.turn:
		return nil
	default:
	}
	select {
	case <-t.turn:
		return nil
	case <-ctx.Done():
		t.Done()
		return context.Cause(ctx)
	}
}

// Done gives up the place, whether or not its turn has come. Further calls do nothing.
func (t *Ticket) Done() {
	q := t.queue
	q.mu.Lock()
	defer q.mu.Unlock()

	list := q.paths[t.path]
	i := slices.Index(list, t)
	if i < 0 {
		return
	}

	list = slices.Delete(list, i, i+1)
	if len(list) == 0 {
		delete(q.paths, t.path)
		return
	}

	q.paths[t.path] = list
	if i == 0 {
		close(list[0].turn)
	}
}
