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
	ready  []<-chan struct{} // closed when who waits has the files looked at
	done   chan struct{}     // closed when what follows is set
	tree   Tree
	nested []string
	err    error
}

// join returns the checkpoint of a folder that others wait for. If there is none they can wait for the one that the caller makes: own is
// true. The files are looked at once ready is closed, nil: at any time.
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

// begin says that the files are being looked at: who comes now may know of changes that are not in the checkpoint. It waits until all
// who wait have that.
func (q *queue) begin(ctx context.Context, w *waiting) {
	q.mu.Lock()
	if q.next == w {
		q.next = nil
	}
	ready := w.ready
	q.mu.Unlock()
	for _, r := range ready {
		await(ctx, r)
	}
}

// await waits until a channel is closed, or ctx ends. Nil is no channel to wait for.
func await(ctx context.Context, ready <-chan struct{}) {
	if ready == nil {
		return
	}
	select {
	case <-ready:
	case <-ctx.Done():
	}
}

// take makes a checkpoint of the folder path of the working tree, or waits for one that another caller makes and has not looked at the
// files for; if that fails, it makes one. It returns the repositories within it.
func (r *repository) take(ctx context.Context, path string, ready <-chan struct{}) (Tree, []string, error) {
	w, own := r.queue.join(path, ready)
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
		return r.takeNow(ctx, path, func() { await(ctx, ready) })
	}
	defer func() {
		r.queue.begin(ctx, w) // where it has not come to that
		close(w.done)
	}()
	w.tree, w.nested, w.err = r.takeNow(ctx, path, func() { r.queue.begin(ctx, w) })
	return w.tree, slices.Clone(w.nested), w.err
}
