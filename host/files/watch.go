package files

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

const (
	lookEvery   = 200 * time.Millisecond // from one look at the disk to the next, while a merge window is open
	maxOpenWait = time.Second            // for Neovim to open a merge window
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

// Run looks for other versions of loaded files on the disk while a merge window is open, until Close. With none open it does
// nothing at all. A call to Neovim may hold it for as long as Neovim waits for a key; no edit could be made then.
func (w *Workspace) Run() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	caught.Go(func() { // until Close
		<-w.done
		cancel()
	})
	for ctx.Err() == nil {
		var tick <-chan time.Time
		if len(w.windows.open()) > 0 {
			tick = time.After(lookEvery)
		}
		select {
		case <-w.wake:
		case <-tick:
		case <-ctx.Done():
			return
		}

		caught.Run("files.(*Workspace).Run", func() {
			w.look(ctx)
			w.announce(ctx)
		})
	}
}

// Poke has Run look at the disk and at the sessions' merge windows now. It does not wait.
func (w *Workspace) Poke() { w.wake.Poke() }

// OpenWindow makes sure, before a session's agent begins to work, that Neovim leaves changes on the disk to us, unless Neovim
// does not answer within a second.
func (w *Workspace) OpenWindow() {
	ctx, stop := context.WithTimeout(context.Background(), maxOpenWait)
	defer stop()
	w.announce(ctx)
	w.Poke()
}

// Linger keeps the merge window of a session that is closed open for a while. It does not wait.
func (w *Workspace) Linger(roots []string, most time.Duration) { w.windows.linger(roots, most) }

// SaveWaits says that a save, which holds Neovim, waits for what is on the disk. It does not wait.
func (w *Workspace) SaveWaits() {
	w.versions.saveWaits()
	w.Poke()
}

// Suspect says that the buffer of a file may have less than the disk, even if its version is known. It does not wait.
func (w *Workspace) Suspect(path string) {
	w.versions.suspect(path)
	w.Poke()
}

// announce tells Neovim which merge windows are open, if that has changed, and learns which files are loaded. One call is made
// at a time: whoever comes second waits until the first knows those files, since an agent may begin to work then.
func (w *Workspace) announce(ctx context.Context) {
	select {
	case w.announcing <- struct{}{}:
		defer func() { <-w.announcing }()
	case <-ctx.Done():
		return
	}

	live, open := w.roots()
	next, changed := w.windows.set(w.options.Run, live, open)
	if !changed {
		return
	}

	paths, err := w.editor.Watch(ctx, next)
	if err != nil {
		w.windows.forget() // Neovim goes, or does not answer: it is told at the next look
		return
	}
	for _, path := range paths {
		w.meet(ctx, path)
	}
}

// roots returns the roots of all sessions, and of those with an open merge window, sorted.
func (w *Workspace) roots() (live, open []string) {
	lingering := w.windows.lingering()
	live, open = append([]string{}, lingering...), append([]string{}, lingering...) // Lua has lists, not nil
	for _, s := range w.options.Sessions() {
		live = append(live, s.Roots()...)
		if s.Merging() {
			open = append(open, s.Roots()...)
		}
	}
	slices.Sort(live)
	slices.Sort(open)
	return slices.Compact(live), slices.Compact(open)
}

// meet notes the disk's version of a loaded file that is not known yet.
func (w *Workspace) meet(ctx context.Context, path string) {
	if w.versions.knows(path) {
		return
	}
	c, err := w.claim(ctx, path)
	if err != nil {
		return
	}
	defer c.release()
	if stat, err := buffers.StatFile(path); err == nil {
		w.remember(path, stat, "")
	}
}

// look starts a merge of every loaded file in an open merge window that has another version on the disk.
func (w *Workspace) look(ctx context.Context) {
	for _, path := range w.versions.idle(w.windows.open()) {
		if w.differs(path) {
			w.startMerge(ctx, path)
		}
	}
}

// differs reports whether the disk has something else than the buffer of a file is known to have.
func (w *Workspace) differs(path string) bool {
	stat, err := buffers.StatFile(path)
	return w.versions.differs(path, stat, err)
}

// startMerge merges a file's new version, beside everything else.
func (w *Workspace) startMerge(ctx context.Context, path string) {
	w.versions.merging(path, true)
	caught.Go(func() { // ends when the text is in the buffer, or with ctx
		defer w.versions.merging(path, false)
		c, err := w.claim(ctx, path)
		if err != nil {
			return
		}
		defer c.release()
		_ = c.mergeDisk(ctx) // Neovim goes
	})
}
