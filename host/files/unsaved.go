package files

import (
	"context"
	"errors"
	"os"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// Modified is a loaded file with unsaved changes.
type Modified struct {
	Name string // absolute path, as the buffer has it
	Real string // with links resolved
}

// Texts are the two texts of a file with unsaved changes, in UTF-8.
type Texts struct {
	Disk    string
	Screen  string // of the buffer, with what others have written to the disk meanwhile
	Missing bool   // there is no file on the disk
	Problem error  // why the disk's text is not known, such as [buffers.ErrNotText]
}

// Modified returns the loaded files with unsaved changes, in the order of their buffers. It waits for Neovim.
func (w *Workspace) Modified(ctx context.Context) ([]Modified, error) {
	names, err := w.editor.Modified(ctx)
	var list []Modified
	for _, name := range names {
		if real, err := buffers.Real(name); err == nil { // else it can be neither read nor saved
			list = append(list, Modified{name, real})
		}
	}
	return list, err
}

// UnsavedTexts returns the texts of a file, and reports whether it has unsaved changes. It waits for Neovim.
func (w *Workspace) UnsavedTexts(ctx context.Context, real string) (t Texts, unsaved bool, err error) {
	snap, text, err := w.current(ctx, real)
	if err != nil || snap.Buf == 0 || snap.Special || !snap.Modified {
		return Texts{}, false, err
	}

	t.Screen = text
	f, err := buffers.ReadReal(real, nil, nil, w.options.Settings().MaxRead)
	switch {
	case errors.Is(err, os.ErrNotExist):
		t.Missing = true
	case err != nil:
		t.Problem = err
	default:
		t.Disk, err = w.decode(ctx, snap, f)
		if err != nil {
			return Texts{}, false, err
		}
	}

	return t, true, nil
}

// Save saves a file as the user's own `:write` does, after the disk's version is merged into its buffer. It returns why it was
// not saved, "" if it was. It waits for Neovim.
func (w *Workspace) Save(ctx context.Context, real string) (problem string, err error) {
	c, err := w.claim(ctx, real)
	if err != nil {
		return "", err
	}
	defer c.release()
	if err := c.mergeDisk(ctx); err != nil {
		return "", err
	}
	if w.versions.knows(real) && w.differs(real) {
		return "it has changed on disk", nil
	}
	return w.editor.Save(ctx, real)
}
