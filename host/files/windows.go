package files

import (
	"slices"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// windows are the merge windows as Neovim was told of them last. The zero value is ready for use. Safe for concurrent use.
type windows struct {
	mu     sync.Mutex // guards all below
	last   Windows
	untold bool // not all of it has reached Neovim
	closed []closedWindow
}

// closedWindow is the merge window of a session that is closed: what its agent has written in the last moment is merged too.
type closedWindow struct {
	roots []string
	till  time.Time
}

// linger keeps a window open for a while.
func (w *windows) linger(roots []string, most time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = append(w.closed, closedWindow{roots, time.Now().Add(most)})
}

// lingering returns the roots of the closed sessions whose windows are still open.
func (w *windows) lingering() (roots []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	w.closed = slices.DeleteFunc(w.closed, func(c closedWindow) bool { return now.After(c.till) })
	for _, c := range w.closed {
		roots = append(roots, c.roots...)
	}
	return roots
}

// set returns what Neovim is to be told, if that is new.
func (w *windows) set(run string, live, open []string) (next Windows, changed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.untold && slices.Equal(live, w.last.Live) && slices.Equal(open, w.last.Open) {
		return Windows{}, false
	}
	w.untold = false
	w.last = Windows{Run: run, Number: w.last.Number + 1, Live: live, Open: open}
	return w.last, true
}

// forget says that Neovim has not heard all of it, so that the next set is new.
func (w *windows) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.untold = true
}

// open returns the folders with an open merge window.
func (w *windows) open() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last.Open
}

// has reports whether a file is in an open merge window.
func (w *windows) has(path string) bool { return buffers.Inside(w.open(), path) }
