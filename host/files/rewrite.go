package files

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// Rewrite gives a file the text that the user has decided on, in its buffer and on the disk, as one undo step. plan says what that
// is for the file as it is; it is called again if the file has changed meanwhile. done is called once the text is written, before
// anybody else edits or sees the file; what cannot be saved is as it was before. What the user has not saved stays unsaved. If it is its
// owner's own, a file that was not there is for nobody else to read. It waits for Neovim, and for edits that are under way.
func (w *Workspace) Rewrite(ctx context.Context, real string, own bool, plan func(View) (shown, disk Text, err error), done func()) error {
	c, err := w.claim(ctx, real)
	if err != nil {
		return err
	}

	defer c.release()
	versions := diskVersions{real: real}
	for {
		was := versions.now()
		if err := c.mergeDisk(ctx); err != nil {
			return err
		}

		now, snap, err := c.view(ctx, true)
		if err != nil {
			return err
		}
		if snap.Refused != "" {
			return errors.New(snap.Refused)
		}

		shown, disk, err := plan(now)
		if err != nil {
			return err
		}
		shown, disk = snap.held(shown), snap.held(disk)

		if !disk.Missing {
			if err := buffers.MakeRoom(c.real); err != nil {
				return err
			}
		}

		var again bool
		if snap.Buf == 0 {
			err = c.replaceDisk(ctx, now.Disk, disk, own)
		} else {
			again, err = c.replaceShown(ctx, snap, shown, disk, own, was)
		}
		if again {
			continue
		}
		if err != nil {
			c.noteLeft(now.Disk)
			return err
		}

		c.decided.set(c.real, disk)
		done()
		return nil
	}
}

// Exclusively calls a function that changes a file on the disk for the user while nothing else edits it, and has Neovim look at the file
// again. It waits for Neovim, and for edits that are under way.
func (w *Workspace) Exclusively(ctx context.Context, real string, do func() error) error {
	c, err := w.claim(ctx, real)
	if err != nil {
		return err
	}
	defer c.release()
	before := c.diskText()
	err = do()
	c.noteLeft(before)
	if err != nil {
		return err
	}
	return w.editor.DiskChanged(ctx, real)
}

// noteLeft notes what the user's decision has left of a file on the disk, also if it has failed: nothing, where that is as it was before.
func (c claim) noteLeft(before Text) {
	if now := c.diskText(); now.sum() != before.sum() {
		c.decided.set(c.real, now)
	}
}

// replaceDisk gives a file that is not loaded another text, or removes it.
func (c claim) replaceDisk(ctx context.Context, now, text Text, own bool) error {
	if text.Missing {
		return buffers.RemoveReal(c.real)
	}
	if !now.Missing && now.string() == text.string() {
		return nil
	}

	var opts buffers.WriteOptions
	if own {
		opts.Perm = 0o600
	}
	if _, err := buffers.WriteReal(c.real, text.string(), opts); err != nil {
		return err
	}

	return c.editor.DiskChanged(ctx, c.real)
}

// replaceShown gives a loaded file another text. It reports true if the buffer, or what was on the disk, has changed meanwhile.
func (c claim) replaceShown(ctx context.Context, snap Snapshot, shown, disk Text, own bool, was *Stat) (again bool, err error) {
	lines := func(t Text) []string {
		if len(t.Lines) == 0 {
			return []string{""}
		}
		return t.Lines
	}

	ours, saves := snap.lines(), disk
	e := &Edit{
		Buf: snap.Buf, Tick: snap.Tick, Disk: []Hunk{}, Top: []Hunk{}, Direct: shifts(buffers.Edits(ours, lines(shown))),
		EOL: disk.EOL || len(disk.Lines) == 0, Save: true, Was: was,
	}
	switch {
	case disk.Missing:
		if err := buffers.RemoveReal(c.real); err != nil {
			return false, err
		}
		c.versions.forget(c.real)
		c.versions.absent(c.real) // it may come again
		e.Top, e.Save, e.Was, e.FromDisk, e.EOL = hunks(buffers.Edits(ours, lines(shown))), false, nil, true, snap.EOL
		e.Modified = len(shown.Lines) > 0
	case !snap.Modified && slices.Equal(lines(shown), lines(disk)):
		saves = shown
		e.Disk = hunks(buffers.Edits(ours, lines(shown)))
		e.Empty = len(shown.Lines) == 0
	default:
		e.Disk = hunks(buffers.Edits(ours, lines(disk)))
		e.Top = hunks(buffers.Edits(lines(disk), lines(shown)))
		e.Empty = len(disk.Lines) == 0 && len(shown.Lines) == 0
	}

	got, err := c.save(ctx, e, noBackup()) // what the file had can be undone
	var failed *saveError
	switch {
	case errors.As(err, &failed):
		return false, c.takeBack(ctx, snap, lines(shown), failed)
	case err != nil:
		return false, err
	case got.Result == "encoding":
		return false, fmt.Errorf("%w (%s)", buffers.ErrEncoding, got.Reason)
	case got.Result != "ok":
		return true, nil
	}

	if e.Save {
		c.rememberSaved(ctx, got, buffers.Text{Lines: saves.Lines, EOL: e.EOL, CRLF: snap.CRLF}.String())
	}
	if own && e.Save {
		if err := buffers.OwnReal(c.real); err != nil { // Neovim makes it as any other
			return false, err
		}
	}

	return false, nil
}

// takeBack gives a buffer the text back that it had before an edit that could not be saved, unless it has changed since. It returns the
// error for the user.
func (c claim) takeBack(ctx context.Context, before Snapshot, shown []string, failed *saveError) error {
	now, err := c.snapshot(ctx, c.real, true)
	if err != nil || now.Buf != before.Buf || !slices.Equal(now.lines(), shown) {
		return failed
	}
	edits := buffers.Edits(shown, before.lines())
	e := &Edit{Buf: now.Buf, Tick: now.Tick, Disk: []Hunk{}, Top: hunks(edits), Direct: shifts(edits), EOL: before.EOL}
	if got, err := c.apply(ctx, e); err != nil || got.Result != "ok" {
		return failed
	}
	return fmt.Errorf("not saved, the buffer is as it was: %s%s", failed.problem, failed.kept)
}
