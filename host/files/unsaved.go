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

	read bool     // what its buffer had is known
	snap Snapshot // what that was
	mark int      // of the file's version, before
}

// Anew returns the file without what its buffer had: that may have changed.
func (m Modified) Anew() Modified { return Modified{Name: m.Name, Real: m.Real} }

// Texts are the two texts of a file with unsaved changes, in UTF-8.
type Texts struct {
	Disk    string
	Screen  string // of the buffer, with what others have written to the disk meanwhile
	Missing bool   // there is no file on the disk
	Problem error  // why the disk's text is not known, such as [buffers.ErrNotText]
}

// Modified returns the loaded files with unsaved changes, in the order of their buffers, those below roots with their texts. It waits
// for Neovim.
func (w *Workspace) Modified(ctx context.Context, roots []string) ([]Modified, error) {
	marks := w.versions.allMarks()
	got, err := w.editor.Inspect(ctx, Inspection{Unsaved: true, Roots: roots})
	return w.snapshots.modified(ctx, got.Unsaved, roots, marks), err
}

// modified returns files with what their buffers have, which it asks for where it has not come with the list. The marks are those that
// their versions had before that. It waits for Neovim.
func (s *snapshots) modified(ctx context.Context, files []InspectedFile, roots []string, marks map[string]int) (list []Modified) {
	for _, f := range files {
		real, err := buffers.Real(f.Name)
		if err != nil {
			continue // it can be neither read nor saved
		}

		m := Modified{Name: f.Name, Real: real}
		if buffers.Inside(roots, real) {
			m.read, m.snap, m.mark = true, f.Snapshot, marks[real]
			if f.Real != real || !s.finish(ctx, &m.snap) {
				m.mark = s.versions.mark(real)
				m.snap, err = s.snapshot(ctx, real, false)
				m.read = err == nil // else whoever needs it asks again
			}
		}
		list = append(list, m)
	}
	return list
}

// UnsavedTexts returns the texts of a file, and reports whether it has unsaved changes. It waits for Neovim where the file was listed
// without its text, or was merged or saved since.
func (w *Workspace) UnsavedTexts(ctx context.Context, m Modified) (t Texts, unsaved bool, err error) {
	snap, text, err := w.listed(ctx, m)
	if err != nil || snap.Buf == 0 || snap.Special || !snap.Modified {
		return Texts{}, false, err
	}

	t.Screen = text
	f, err := buffers.ReadReal(m.Real, nil, nil, w.options.Settings().MaxRead)
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

// Back returns a text for a file that is not there and comes back, with what its buffer has that was not saved as it went. What the file
// had then, where that is not known, is given.
func (v View) Back(gone, text Text) Text {
	if v.Buf == 0 || !v.Disk.Missing || v.Shown.Missing || text.Missing {
		return text
	}
	if v.gone != nil {
		gone = *v.gone
	}
	return Text{Lines: buffers.Merge(gone.Lines, v.Shown.Lines, text.Lines).Lines, EOL: text.EOL}
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
	if w.versions.knows(real) && w.versions.differsNow(real) {
		return "it has changed on disk", nil
	}
	return w.editor.Save(ctx, real)
}
