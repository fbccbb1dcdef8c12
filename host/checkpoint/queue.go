package checkpoint

import (
	"context"
	"sync"
)

// queue has callers who wait for the same checkpoint share it, as those of sessions whose turns begin together. The zero value is ready
// for use. It is safe for concurrent use.
type queue struct {
	mu   sync.Mutex
	next *waiting
}

// waiting is a checkpoint for which nobody has looked at the files yet.
type waiting struct {
	path   string
	ready  []<-chan struct{} // the files are looked at once all of these are closed
	done   chan struct{}     // closed when what follows is set
	tree   Tree
	nested []string
	err    error
}

// join returns the checkpoint of a folder that others wait for. If there is none they can wait for the one that the caller makes: own is
// true. No file is looked at before ready is closed; nil: at any time.
func (q *queue) join(path string, ready <-chan struct{}) (w *waiting, own bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	w = q.next
	if own = w == nil || w.path != path; own {
		w = &waiting{path: path, done: make(chan struct{})}
		q.next = w
	}
	if ready != nil {
		w.ready = append(w.ready, ready)
	}
	return w, own
}

// shut has nobody join a checkpoint any more: who comes later may know of changes that are not in it. It returns what to await before
// the files are looked at.
func (q *queue) shut(w *waiting) []<-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == w {
		q.next = nil
	}
	return w.ready
}

// await waits until all channels are closed, or ctx ends.
func await(ctx context.Context, ready ...<-chan struct{}) {
	for _, r := range ready {
		select {
		case <-r:
		case <-ctx.Done():
		}
	}
}
