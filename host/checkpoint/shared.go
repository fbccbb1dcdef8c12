package checkpoint

import (
	"context"
	"slices"
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
	done   chan struct{} // closed when what follows is set
	tree   Tree
	nested []string
	err    error
}

// join returns the checkpoint of a folder that others wait for. If there is none they can wait for the one that the caller makes: own is
// true.
func (q *queue) join(path string) (w *waiting, own bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if w := q.next; w != nil && w.path == path {
		return w, false
	}
	q.next = &waiting{path: path, done: make(chan struct{})}
	return q.next, true
}

// begin says that the files are being looked at: who comes now may know of changes that are not in the checkpoint.
func (q *queue) begin(w *waiting) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == w {
		q.next = nil
	}
}

// take makes a checkpoint of the folder path of the working tree, or waits for one that another caller makes and has not looked at the
// files for. It returns the repositories within it.
func (r *repository) take(ctx context.Context, path string) (Tree, []string, error) {
	w, own := r.queue.join(path)
	if !own {
		select {
		case <-w.done:
		case <-ctx.Done():
			return Tree{}, nil, context.Cause(ctx)
		}
		if w.err == nil {
			return w.tree, slices.Clone(w.nested), nil
		}
		// That caller may have given up.
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !own {
		return r.takeNow(ctx, path, func() {})
	}
	look := func() { r.queue.begin(w) }
	w.tree, w.nested, w.err = r.takeNow(ctx, path, look)
	look() // where it has not come to that
	close(w.done)
	return w.tree, slices.Clone(w.nested), w.err
}
