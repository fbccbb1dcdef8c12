package host

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/poke"
)

const (
	lookEvery = 200 * time.Millisecond // from one look at the disk to the next, while a merge window is open
	mergeTail = 2 * time.Second        // how long a merge window stays open after the last sign of work (behaviour 205)
)

// watcher knows which version of each loaded file the editor has, and while a merge window is open it looks for others on
// the disk. With no window open it does nothing at all.
type watcher struct {
	host *Host
	wake poke.Chan // look now

	mu    sync.Mutex // guards all below
	n     int        // calls of luaWatch
	asked time.Time  // when a save last waited for what is on the disk
	live  []string   // what Lua was told last: the roots of all sessions …
	opens []string   // … and those with an open merge window
	files map[string]*loadedFile
	told  map[string]int // the last word of Lua's on each file that has been heard

	loads buffers.Queue // of these words

	warned map[string]buffers.Stat // the version of each file of which the user was told that it is not taken in
}

// loadedFile is a file below a session's roots that a buffer has loaded.
type loadedFile struct {
	stat   buffers.Stat // the version that the buffer has taken in
	gone   bool         // the file was deleted, and the user was told
	taking bool         // a goroutine is at it
	behind bool         // the disk may have more than the buffer, though its version is known
	looked buffers.Stat // the version on the disk that was looked at last …
	cut    bool         // … and whether it looks like half of one
}

func newWatcher(h *Host) *watcher {
	return &watcher{host: h, wake: poke.New(), files: map[string]*loadedFile{}, told: map[string]int{}, warned: map[string]buffers.Stat{}}
}

// poke makes the watcher look now. It never waits.
func (w *watcher) poke() {
	w.wake.Poke()
}

// loop runs until the host closes. A call to Neovim may hold it for as long as Neovim waits for a key; no edit could be made then.
func (w *watcher) loop() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // until the host closes
		<-w.host.done
		cancel()
	}()
	for ctx.Err() == nil {
		var tick <-chan time.Time
		if w.anyOpen() {
			tick = time.After(lookEvery)
		}
		select {
		case <-w.wake:
		case <-tick:
		case <-ctx.Done():
			return
		}
		w.look(ctx)
		w.tell(ctx)
	}
}

// tell tells Lua which windows are open, if that has changed, and gets to know what is loaded. Any goroutine may call it.
func (w *watcher) tell(ctx context.Context) {
	live, opens := w.host.mergeRoots()
	w.mu.Lock()
	if slices.Equal(live, w.live) && slices.Equal(opens, w.opens) {
		w.mu.Unlock()
		return
	}
	w.n++
	n := w.n
	w.live, w.opens = live, opens
	w.mu.Unlock()
	paths, err := call[[]string](ctx, w.host.ed, luaWatch, map[string]any{"run": w.host.run, "n": n, "live": live, "open": opens})
	if err != nil {
		return // Neovim goes, or does not answer: it is told again at the next change
	}
	for _, path := range paths {
		w.meet(ctx, path)
	}
}

// meet takes in the disk's version of a file that is loaded and not yet known.
func (w *watcher) meet(ctx context.Context, path string) {
	w.mu.Lock()
	known := w.files[path] != nil
	w.mu.Unlock()
	if known {
		return
	}
	ticket := w.host.reals.Ticket(path)
	defer ticket.Done()
	if ticket.Wait(ctx) != nil {
		return
	}
	if stat, err := buffers.StatFile(path); err == nil {
		w.remember(path, stat, "")
	}
}

// remember notes that the editor has a version of a file, and keeps that version's bytes: what later changes on both sides
// are compared with. If the disk has moved on already an older version serves as well, and if there is none, text, unless that
// is empty. The file's ticket is held.
func (w *watcher) remember(path string, stat buffers.Stat, text string) {
	w.mu.Lock()
	old := w.files[path]
	same := old != nil && (old.stat.Equal(stat) || old.behind && text == "" && !stat.ModTime.After(old.stat.ModTime))
	w.mu.Unlock()
	if same {
		return
	}
	store := w.host.store
	f, err := w.host.readSteady(path)
	behind := err == nil && text != "" && f.Text != text // an autocommand has rewritten it
	if behind {
		_ = store.SetDisk(path, []byte(text), stat)
	} else if err == nil && f.Stat.Equal(stat) {
		_ = store.SetDisk(path, f.Data, stat) // a full store: see Session.served
	} else if _, _, ok := store.Disk(path); !ok && text != "" {
		_ = store.SetDisk(path, []byte(text), stat)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	old = w.files[path] // by now
	w.files[path] = &loadedFile{stat: stat, taking: old != nil && old.taking, behind: behind}
}

// behind notes that a buffer may have less than the disk, though its version is known, or with "" that a save waits for what
// is on the disk. And looks.
func (w *watcher) behind(path string) {
	w.mu.Lock()
	if f := w.files[path]; f != nil {
		f.behind = true
	} else if path == "" {
		w.asked = time.Now()
	}
	w.mu.Unlock()
	w.poke()
}

// hurried reports that a save waits, since about that time, for what is on the disk.
func (w *watcher) hurried(since time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked.After(since.Add(-settleMost))
}

// original is the text of an unmodified buffer, which is what its file had.
func (h *Host) original(ctx context.Context, path string) string {
	snap, err := h.buffer(ctx, path, false)
	if err != nil || snap.Buf == 0 || snap.Modified {
		return ""
	}
	return snap.whole()
}

// forget drops a file that is no longer loaded.
func (w *watcher) forget(path string) {
	w.host.store.DropDisk(path)
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.files, path)
	delete(w.told, path)
}

// look starts taking in every loaded file below open roots that has another version on the disk.
func (w *watcher) look(ctx context.Context) {
	w.mu.Lock()
	var paths []string
	for path, f := range w.files {
		if !f.taking && buffers.Inside(w.opens, path) {
			paths = append(paths, path)
		}
	}
	w.mu.Unlock()
	for _, path := range paths {
		if w.differs(path) {
			w.take(ctx, path)
		}
	}
}

// differs reports that the disk has something else than the editor was last known to have.
func (w *watcher) differs(path string) bool {
	stat, err := buffers.StatFile(path)
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.files[path]
	if f == nil {
		return false
	}
	if err == nil && f.behind {
		return true
	}
	if err != nil {
		return !f.gone
	}
	return !f.stat.Equal(stat)
}

// stale reports that what the buffer of a file has may not be what is on the disk; unknown is the answer for a file that is
// not watched.
func (w *watcher) stale(path string, unknown bool) bool {
	w.mu.Lock()
	known := w.files[path] != nil
	w.mu.Unlock()
	if !known {
		return unknown
	}
	return w.differs(path)
}

// take takes in a file's new version, beside everything else.
func (w *watcher) take(ctx context.Context, path string) {
	w.taking(path, true)
	go func() { // ends when the text is in the buffer, or with the host
		defer w.taking(path, false)
		ticket := w.host.reals.Ticket(path)
		defer ticket.Done()
		if ticket.Wait(ctx) == nil {
			_ = w.host.takeIn(ctx, path) // Neovim goes
		}
	}()
}

func (w *watcher) taking(path string, on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if f := w.files[path]; f != nil {
		f.taking = on
	}
}

// took notes that the editor has taken in a version, unless it has said since that it has another, and returns whether that was
// new text.
func (w *watcher) took(path string, in incoming, told int) bool {
	before, _, ok := w.host.store.Disk(path)
	news := !ok || string(before) != string(in.data)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.told[path] > told {
		return news
	}
	_ = w.host.store.SetDisk(path, in.data, in.stat) // a full store: see Session.served
	if f := w.files[path]; f != nil {
		f.stat, f.gone, f.behind = in.stat, false, false
	}
	return news
}

// lost notes that a file is gone, and reports whether that is news.
func (w *watcher) lost(path string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.files[path]
	if f == nil || f.gone {
		return false
	}
	f.gone = true
	return true
}

// skip gives up a version that cannot be taken in.
func (w *watcher) skip(path string, stat buffers.Stat) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if f := w.files[path]; f != nil {
		f.stat, f.behind = stat, false
	}
}

// warn tells the user once of a version on the disk that unsaved changes stand against, outside a merge window.
func (w *watcher) warn(path string, stat buffers.Stat) {
	w.mu.Lock()
	before, told := w.warned[path]
	told = told && before.Equal(stat)
	w.warned[path] = stat
	w.mu.Unlock()
	if !told {
		w.host.say("warn", filepath.Base(path)+" has changed on disk; the agent reads your unsaved text")
	}
}

func (w *watcher) anyOpen() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.opens) > 0
}

// open reports whether a file is in a merge window.
func (w *watcher) open(path string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return buffers.Inside(w.opens, path)
}

// watches reports whether a file is known to be loaded below a session's roots.
func (w *watcher) watches(path string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.files[path] != nil
}

// has reports whether the disk has this text already.
func (w *watcher) has(path, content string) bool {
	f, err := buffers.ReadFile(path, nil, nil, int64(len(content))*4+16)
	return err == nil && f.Text == content
}
