package files

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// Contents returns the bytes of the file before and after, with line ends as in the lines: none but "\n". They must not be
// changed.
func (c Change) Contents() (before, after []byte) {
	return bytesOf(c.Before, c.before), bytesOf(c.After, c.after)
}

func bytesOf(t Text, known string) []byte {
	switch {
	case t.Missing:
		return nil
	case known == "":
		known = t.string()
	}
	return buffers.Bytes(known)
}

// maxNoted is the size of the largest file, in bytes, of which changes are noted.
const maxNoted = 16 << 20

// diskText returns the text of a file on the disk; what is no text counts as empty. A folder in its place, or a file in that of a folder
// above, is none.
func (c claim) diskText() Text {
	f, err := buffers.ReadReal(c.real, nil, nil, maxNoted)
	if err != nil {
		return Text{Missing: errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, buffers.ErrNotRegular)}
	}
	return textOf(f.Text)
}

// Touched returns when a file was last changed in any way, or the folder that it is not in, or one above below some roots: it may have been
// moved with that. It waits for the disk.
func Touched(real string, roots []string) (last time.Time) {
	for path := real; ; path = filepath.Dir(path) {
		var st unix.Stat_t
		err := unix.Stat(path, &st)
		if at := time.Unix(st.Ctim.Unix()); err == nil && at.After(last) {
			last = at
		}
		if above := filepath.Dir(path); err == nil && (slices.Contains(roots, above) || !buffers.Inside(roots, above)) {
			return last
		}
	}
}

// Removed reports whether a file is not there since the user has so decided, as far as is known. It does not wait.
func (w *Workspace) Removed(real string) bool { return w.decided.has(real, Text{Missing: true}) }

// Version returns the text that a buffer has read or written, false if that is not known and the disk has another by now. It waits for
// the disk.
func (r Report) Version() (Text, bool) {
	if r.Text != "" {
		text, err := buffers.Decode([]byte(r.Text))
		return textOf(text), err == nil
	}
	f, err := buffers.ReadReal(r.Path, nil, nil, maxNoted)
	return textOf(f.Text), err == nil && f.Stat.Equal(r.Stat.stat())
}

// maxReported is how long LastDisk waits.
const maxReported = 200 * time.Millisecond

// LastDisk returns the text that a file had on the disk when it was last looked at, false if that is not known. What Neovim has reported of
// the file is noted before, in maxReported at most.
func (w *Workspace) LastDisk(real string) (Text, bool) {
	ctx, stop := context.WithTimeout(context.Background(), maxReported)
	defer stop()
	if ticket := w.reports.Ticket(real); ticket.Wait(ctx) == nil {
		ticket.Done()
	}

	data, _, ok := w.store.Disk(real)
	if !ok {
		return Text{}, false
	}
	text, err := buffers.Decode(data)
	return textOf(text), err == nil
}

// savedBelow returns what the disk is known to have, as the buffer would have it, where an edit leaves text in that which is not saved;
// nil if it does not, or if that is not known.
func (c claim) savedBelow(ctx context.Context, snap Snapshot, e *Edit) *Text {
	if !e.leaves(snap) {
		return nil
	}
	return c.hadSaved(ctx, snap)
}

// hadSaved returns what the disk is known to have, as the buffer would have it; nil if that is not known.
func (c claim) hadSaved(ctx context.Context, snap Snapshot) *Text {
	data, _, ok := c.store.Disk(c.real)
	if !ok || snap.Special {
		return nil
	}
	t, err := textFrom(ctx, c.Workspace, snap, data)
	if err != nil {
		return nil
	}
	return &t
}

// textFrom returns what a buffer has of a file with these bytes.
func textFrom(ctx context.Context, w *Workspace, snap Snapshot, data []byte) (Text, error) {
	lines, err := w.diskLines(ctx, snap, data)
	if err == nil && lines == nil {
		err = buffers.ErrNotText
	}
	return snap.shownAs(lines, len(data) == 0 || data[len(data)-1] == '\n'), err
}

// leaves reports whether a buffer has, after an edit of an agent's, text that is not saved.
func (e *Edit) leaves(snap Snapshot) bool { return snap.Modified || e.Modified || len(e.Top) > 0 }

// noteEdit says that an agent's edit of a buffer was made, and with both what it has made of the disk below what is not saved.
func (c claim) noteEdit(s Session, snap Snapshot, e *Edit, before, after *Text) {
	c.decided.forget(c.real)
	if snap.Special {
		return
	}

	change := Change{Session: ofSession(s), Path: c.real, Before: snap.shown(), After: snap.shownAs(e.after, e.EOL)}
	change.Unsaved, change.earlier = snap.Modified, e.earlier
	if before != nil && after != nil {
		change.Saved = &Saved{*before, *after}
	}
	if e.created {
		change.Before = Text{Missing: true}
	}
	if e.Empty {
		change.After = Text{}
	}
	if change.Before.Lines != nil && change.Before.EOL {
		change.before = snap.ended
	}
	if change.After.Lines != nil {
		change.after = e.whole
	}

	c.options.Changed(change)
}

// noteDeleted says that a loaded file is gone. What was not saved is still in its buffer, and the user's.
func (c claim) noteDeleted(ctx context.Context) {
	snap, err := c.snapshot(ctx, c.real, false)
	if err != nil || snap.Buf == 0 || snap.Special {
		return
	}
	before := snap.shown()
	if saved := c.hadSaved(ctx, snap); saved != nil && snap.Modified {
		before = *saved
	}
	earlier := func() bool { return c.versions.isEarlier(c.real, buffers.Stat{}, fs.ErrNotExist) }
	c.options.Changed(Change{Path: c.real, Before: before, After: Text{Missing: true}, earlier: earlier})
}

// MovedAway has the buffer of a file say where that is, which a program has moved. It returns what the file had, and reports whether the
// buffer has text that was not saved, and so was not moved. It waits for Neovim, and for edits that are under way.
func MovedAway(ctx context.Context, w *Workspace, from, to string) (saved Text, unsaved bool) {
	if !w.versions.knows(from) || regular.Exists(from) {
		return Text{}, false
	}
	_, known := w.LastDisk(from) // with what Neovim has reported of it
	c, err := w.claim(ctx, from)
	if err != nil {
		return Text{}, false
	}

	defer c.release()
	snap, err := c.snapshot(ctx, from, false)
	if err != nil || snap.Buf == 0 || snap.Special || c.editor.Deleted(ctx, from, to) != nil {
		return Text{}, false
	}
	had := c.hadSaved(ctx, snap)
	c.versions.delete(from)
	if !known || had == nil {
		return Text{}, false
	}
	return *had, snap.shown().sum() != had.sum()
}

// View is a file as it is: what the user sees of it and what the disk has. They differ where a buffer has unsaved changes.
type View struct {
	Shown, Disk Text
	Buf         int // 0: it is not loaded
	Tick        int // of its text and name

	UTF8 bool // its file is stored in UTF-8: other bytes, as after `++bad=keep`, are in the buffer as they are

	gone *Text // what the disk had, as far as is known, of a file that only the buffer has by now

	// Decided says that no buffer has the file, and that the disk has what the user's last decision has left there.
	Decided bool
}

// Unsaved reports whether a buffer has text of the file that the disk has not.
func (v View) Unsaved() bool {
	return v.Buf != 0 && strings.Join(v.Shown.Lines, "") != "" && (v.Disk.Missing || !slices.Equal(v.Shown.Lines, v.Disk.Lines))
}

// ErrUnsaved says that a file is not taken away, or given another name, since its buffer has text that the disk has not.
var ErrUnsaved = errors.New("its buffer has unsaved text: save or discard it")

// Look hands a file to a function while nothing else edits it. It waits for Neovim, and for edits that are under way. Where Neovim has not
// answered when ctx ends, and has reported no buffer of the file, what the disk had when it was asked counts.
func (w *Workspace) Look(ctx context.Context, real string, see func(View) error) error {
	c, err := w.claim(ctx, real)
	if err != nil {
		return err
	}
	defer c.release()
	v, _, err := c.view(ctx, false)
	if err != nil {
		return err
	}
	return see(v)
}

// Glance returns what the disk has of a file of which Neovim has reported no buffer, also while something edits it; false if it may have
// one. It waits for the disk.
func Glance(w *Workspace, real string) (v View, ok bool) {
	if w.versions.knows(real) {
		return View{}, false
	}
	return claim{Workspace: w, real: real}.onDisk(), true
}

// onDisk is the file if no buffer has it.
func (c claim) onDisk() View {
	disk := c.diskText()
	return View{Shown: disk, Disk: disk, Decided: c.decided.has(c.real, disk)}
}

// view returns the file as it is, with the snapshot of its buffer if it is loaded. What the disk has counts only if no buffer has the file
// afterwards, so one of which Neovim has reported none is read first: it is asked once, or some times if the file changes meanwhile.
func (c claim) view(ctx context.Context, edit bool) (View, Snapshot, error) {
	tries := 0
	for read := !c.versions.knows(c.real); ; read = true {
		var onDisk View
		was, _ := buffers.StatFile(c.real)
		if read {
			onDisk = c.onDisk()
		}

		snap, err := c.snapshot(ctx, c.real, edit)
		unanswered := errors.Is(err, context.DeadlineExceeded) && !edit && !c.versions.knows(c.real)
		switch {
		case snap.Buf == 0 && read && (err == nil || unanswered):
			if is, _ := buffers.StatFile(c.real); err == nil && !is.Equal(was) && tries < 2 {
				tries++
				continue
			}
			return onDisk, snap, nil
		case err != nil || snap.Buf != 0 && snap.Special:
			return View{}, snap, errors.Join(err, errSpecial(snap))
		case snap.Buf != 0:
			v := View{Shown: snap.shown(), Buf: snap.Buf, Tick: snap.Tick, UTF8: snap.isUTF8()}
			v.Disk = v.Shown
			if snap.Modified {
				v.Disk = c.diskText()
			}
			if v.Disk.Missing {
				v.gone = c.hadSaved(ctx, snap)
			}
			return v, snap, nil
		}
	}
}

func errSpecial(snap Snapshot) error {
	if !snap.Special {
		return nil
	}
	return errors.New("the text of the buffer is not that of its file")
}

// maxCompared is the largest file, in bytes, that is compared with what an agent would write, to show the difference.
const maxCompared = 1 << 20

// diskDiff returns what a write would change of a file on disk, as far as it is worth showing.
func diskDiff(real, text string) *acp.Diff {
	d := &acp.Diff{Path: real, NewText: text}
	if f, err := buffers.ReadReal(real, nil, nil, maxCompared); err == nil {
		d.OldText = &f.Text
	}
	return d
}
