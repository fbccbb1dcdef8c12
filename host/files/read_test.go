package files

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
)

// movingEditor is an editor that merges another version of the file right after it was first asked for the buffer.
type movingEditor struct {
	Editor
	merge func()
	texts *[]string // the text of each snapshot
}

func (e movingEditor) Snapshot(context.Context, string, bool) (Snapshot, error) {
	text := (*e.texts)[0]
	if len(*e.texts) > 1 {
		*e.texts = (*e.texts)[1:]
		e.merge()
	}
	return Snapshot{Buf: 1, Count: 2, Text: text, Modified: true}, nil
}

// Inspect lists the buffer with its first text, and merges then if there is a second.
func (e movingEditor) Inspect(_ context.Context, i Inspection) (Inspected, error) {
	snap, err := e.Snapshot(context.Background(), "", false)
	path := filepath.Join(i.Roots[0], "f")
	return Inspected{Unsaved: []InspectedFile{{Name: path, Real: path, Snapshot: snap}}}, err
}

// moving returns a file that has another version, the workspace that has a buffer of it, and what merges that version.
func moving(t *testing.T, texts ...string) (path string, w *Workspace, merge func()) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "f")
	write := func(text string) buffers.File {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := buffers.ReadFile(path, nil, nil, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	old, now := write("old\n"), write("newer\n")
	merge = func() { w.versions.merged(path, diskEdit{stat: now.Stat, data: now.Data}, 0) }
	w = New(Options{
		Editor:   movingEditor{texts: &texts, merge: func() { merge() }},
		Settings: func() Settings { return Settings{MaxRead: 1 << 20} },
	})
	t.Cleanup(func() { _ = w.Close() })
	_ = w.store.SetDisk(path, old.Data, old.Stat)
	w.versions.set(path, old.Stat, false)
	return path, w, merge
}

// A buffer into which a version of the disk is merged while it is read is read again (behaviour 29).
func TestReadDuringMerge(t *testing.T) {
	path, w, _ := moving(t, "old\ntyped", "newer\ntyped")
	if _, got, err := w.current(t.Context(), path); err != nil || got != "newer\ntyped" {
		t.Errorf("read %q, %v; want the text with the merged version", got, err)
	}
}

// So is one that was listed with its text, whenever that was merged (behaviours 29, 1177).
func TestListedDuringMerge(t *testing.T) {
	for name, later := range map[string]bool{"while it is listed": false, "after that": true} {
		t.Run(name, func(t *testing.T) {
			texts := []string{"old\ntyped", "newer\ntyped"}
			path, w, merge := moving(t, texts...)
			if later {
				path, w, merge = moving(t, texts[:1]...)
			}
			list, err := w.Modified(t.Context(), []string{filepath.Dir(path)})
			if err != nil || len(list) != 1 {
				t.Fatalf("got %v, %v", list, err)
			}
			if later {
				merge()
				w.editor = movingEditor{texts: &[]string{texts[1]}}
				w.snapshots.editor = w.editor
			}
			if got, _, err := w.UnsavedTexts(t.Context(), list[0]); err != nil || got.Screen != texts[1] {
				t.Errorf("got %q, %v; want the text with the merged version", got.Screen, err)
			}
		})
	}
}

// noBuffer is an editor that has no file.
type noBuffer struct{ Editor }

func (noBuffer) Snapshot(context.Context, string, bool) (Snapshot, error) { return Snapshot{}, nil }

// flipping is a session during whose questions a path comes to lead to another file.
type flipping struct {
	Session
	flip func()
}

func (f flipping) AllowRead(context.Context, string, *acp.ReadTextFileRequest) error {
	f.flip()
	return nil
}

func (flipping) NoteRead(string) {}

func (flipping) LocalID() string { return "s" }

// What was opened is asked about by what it is, not by its name, and what must not be read is not answered (behaviour 1141).
func TestReadOfAnother(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	name, secret := filepath.Join(dir, "notes.txt"), filepath.Join(dir, ".env")
	if err := errors.Join(os.WriteFile(name, []byte("own"), 0o600), os.WriteFile(secret, []byte("KEY"), 0o600)); err != nil {
		t.Fatal(err)
	}
	var opened buffers.Stat
	w := New(Options{
		Editor:   noBuffer{},
		Settings: func() Settings { return Settings{MaxRead: 1 << 20} },
		Opened: func(_ Session, _ string, stat buffers.Stat) error {
			opened = stat
			return buffers.ErrMoved
		},
	})
	defer w.Close()

	s := flipping{flip: func() {
		if err := errors.Join(os.Remove(name), os.Link(secret, name)); err != nil {
			t.Error(err)
		}
	}}
	got, err := w.Read(s, &acp.ReadTextFileRequest{Path: name})(t.Context())
	if err == nil {
		t.Errorf("it is read: %+v", got)
	}
	if want, err := buffers.StatFile(secret); err != nil || opened.Inode != want.Inode || opened.Device != want.Device {
		t.Errorf("opened %+v, %v; want %+v", opened, err, want)
	}
}
