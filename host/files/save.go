package files

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// save makes an edit, which may save its buffer. What the file had is in a backup meanwhile, and is kept if it may be needed: saving
// fails, or Neovim goes. The edit may be made even if there is an error: the result says so.
func (c claim) save(ctx context.Context, e *Edit, b *backup) (Edited, error) {
	if e.Save {
		b.wait()
	}
	got, err := c.applyAndSave(ctx, e)
	switch {
	case err != nil && !errors.Is(err, errGivenUp) && !errors.Is(err, errUnwanted):
		taken := b.take()
		caught.Go(func() { c.dropAfterCall(taken) }) // ends when Neovim answers or goes
	case err == nil && got.Problem != "":
		return got, c.notSaved(got, b)
	}
	return got, err
}

// dropAfterCall drops a backup when Neovim is through with a call that nobody waits for. If it has gone, maybe in the middle of that, the
// next host finds it: it stays locked as long as this one lives.
func (c claim) dropAfterCall(b *backup) {
	if b.lock == nil {
		return
	}
	if _, err := c.editor.Snapshot(context.Background(), c.real, false); err != nil {
		c.kept.Store(b, true) // a file that nothing refers to is closed
		return
	}
	b.drop()
}

// saveError is that of a buffer that could not be saved. The edit is made all the same.
type saveError struct {
	problem string
	kept    string // what became of the file, "" if nothing
}

func (e *saveError) Error() string { return saveFailed + e.problem + e.kept }

const saveFailed = "the text is in the editor, but saving it went wrong: "

// notSaved returns the error of a buffer that could not be saved, and sees to what that has left on the disk.
func (c claim) notSaved(got Edited, b *backup) error {
	err := &saveError{problem: got.Problem}
	stat := got.Stat.stat()
	cut := c.versions.differs(c.real, stat, nil)
	if path := b.keepIfCut(); path != "" {
		err.kept = "; what it had is in " + path
	} else if cut {
		err.kept = "; it is cut off on the disk: save it before you quit"
	}
	if cut {
		c.leave(stat)
	}
	return err
}

// sayNotSaved tells the user that an agent's text could not be saved, and returns the error for the agent.
func (c claim) sayNotSaved(err error) error {
	var failed *saveError
	if !errors.As(err, &failed) {
		return err
	}
	c.options.Warn(fmt.Sprintf("%s is not saved: %s%s", filepath.Base(c.real), failed.problem, failed.kept))
	return acp.Errorf(acp.CodeInternal, "%s%s", saveFailed, failed.problem)
}

// leave notes what a failed save has left on the disk. It is not merged, and later versions are compared with it.
func (c claim) leave(stat buffers.Stat) {
	if f, err := c.readSteady(c.real); err == nil && f.Stat.Equal(stat) {
		_ = c.store.SetDisk(c.real, f.Data, stat) // for the error see setBase
	}
	c.versions.skip(c.real, stat)
}

// SaveFailed says that the user's save of a buffer may have failed. It does not wait.
func (w *Workspace) SaveFailed(path string) {
	caught.Go(func() { // ends when the file is looked at, which may wait for Neovim and for edits
		ctx := context.Background()
		c, err := w.claim(ctx, path)
		if err != nil {
			return
		}
		defer c.release()
		if snap, err := c.snapshot(ctx, path, false); err == nil && snap.Buf != 0 && !snap.Special {
			c.heedFailedSave(snap)
		}
	})
}

// heedFailedSave reports whether the disk has the first part of what a buffer would write, as the user's save leaves it that has failed.
// Then it is noted, and the user is told.
func (c claim) heedFailedSave(snap Snapshot) bool {
	if !snap.Unwritten {
		return false
	}

	f, err := c.readSteady(c.real)
	if err != nil {
		return false
	}

	whole, part := snap.whole(), strings.TrimPrefix(string(f.Data), "\ufeff")
	if snap.hasLegacyEncoding() {
		part = f.Text
	}
	if len(part) >= len(whole) || !strings.HasPrefix(whole, part) {
		return false
	}

	c.leave(f.Stat)
	if c.versions.warn(c.real, f.Stat) {
		c.options.Warn(filepath.Base(c.real) + " could not be saved and is cut off on the disk; the buffer keeps all of it")
	}

	return true
}
