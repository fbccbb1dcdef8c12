package files

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// lookEvery is from one look at the disk to the next, while a merge window is open.
const lookEvery = 200 * time.Millisecond

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
			_, _ = w.announce(ctx, Inspection{}) // tried again
		})
	}
}

// Inspect has Neovim leave changes on the disk to us, before a session's agent begins to work, and returns what else a prompt needs of
// Neovim: the files with unsaved changes, and whether it will answer a question. If Neovim does not answer before ctx ends, nothing of
// it is known, and it is told of the merge window when it does.
func (w *Workspace) Inspect(ctx context.Context, s Session, q Question) (list []Modified, asked bool, err error) {
	marks := w.versions.allMarks()
	got, err := w.announce(ctx, Inspection{Unsaved: true, Roots: s.Roots(), Question: q})
	w.Poke()
	return w.modified(ctx, got.Unsaved, s.Roots(), marks), got.Asked, err
}

// CatchUp merges what is on the disk into the loaded files below roots before an agent begins to work: it is the user's. It waits for
// Neovim and the disk, until ctx ends.
func CatchUp(ctx context.Context, w *Workspace, roots []string) {
	_, _ = w.announce(ctx, Inspection{}) // tried again
	w.MergeNow(ctx, roots)
}

// NoteEarlier notes what the disk has of loaded files before an agent begins to work: what their buffers do not have of that is not its
// doing, whenever it is merged. It waits for the disk.
func NoteEarlier(w *Workspace, paths []string) {
	for _, path := range paths {
		stat, err := buffers.StatFile(path)
		w.versions.noteEarlier(path, stat, err)
	}
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

// announce tells Neovim which merge windows are open, if that has changed, and learns which files are loaded. It makes one call with
// what else is asked. One is made at a time: whoever comes second waits until the first knows those files, since an agent may
// begin to work then.
func (w *Workspace) announce(ctx context.Context, i Inspection) (got Inspected, err error) {
	select {
	case w.announcing <- struct{}{}:
		defer func() { <-w.announcing }()
	case <-ctx.Done():
		return got, ctx.Err()
	}

	live, open := w.roots()
	next, changed := w.windows.set(w.options.Run, live, open)
	if changed {
		i.Windows = next
	}
	if !changed && !i.Unsaved {
		return got, nil
	}

	got, err = w.editor.Inspect(ctx, i)
	if changed && !got.Told {
		w.windows.forget() // Neovim goes, or does not answer: it is told at the next look
	}
	for _, f := range got.Loaded {
		w.meet(ctx, f)
	}
	return got, err
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

// meet notes the version of a loaded file that is not known yet: what its buffer had as Neovim left the disk to us, else the disk's, or
// that there is none. What Neovim has reported of the file is noted first.
func (w *Workspace) meet(ctx context.Context, f LoadedFile) {
	w.awaitReport(ctx, f.Reported)
	if w.versions.knows(f.Path) {
		return
	}
	c, err := w.claim(ctx, f.Path)
	if err != nil {
		return
	}
	defer c.release()

	stat, err := buffers.StatFile(f.Path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && f.Has != nil && *f.Has == (Stat{}) {
		w.versions.absent(f.Path)
		return
	}
	if err != nil {
		return
	}
	if f.Has != nil {
		stat = f.Has.stat()
	}
	w.remember(f.Path, stat, "", nil)
}

// look starts a merge of every loaded file in an open merge window that has another version on the disk.
func (w *Workspace) look(ctx context.Context) {
	for _, path := range w.versions.idle(w.windows.open()) {
		if w.versions.differsNow(path) {
			w.startMerge(ctx, path)
		}
	}
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
