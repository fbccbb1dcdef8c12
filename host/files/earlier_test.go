package files

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// sends is a Neovim in which, when a buffer is edited or deleted, a prompt is sent to the agent of a session.
type sends struct {
	opened
	w       *Workspace
	path    string
	working *bool
}

func (e *sends) send() {
	NoteEarlier(e.w, []string{e.path})
	*e.working = true
}

func (e *sends) Edit(context.Context, *Edit) (Edited, error) {
	e.send()
	return Edited{Result: "ok"}, nil
}

func (e *sends) Snapshot(ctx context.Context, real string, edit bool) (Snapshot, error) {
	if _, err := os.Stat(e.path); err != nil {
		e.send()
	}
	return e.opened.Snapshot(ctx, real, edit)
}

func (e *sends) Deleted(context.Context, string, string) error { return nil }

// beginner is a session whose agent may be at work.
type beginner struct {
	Session
	root    string
	working *bool
	changed *int
}

func (b beginner) Roots() []string    { return []string{b.root} }
func (b beginner) Writing() bool      { return *b.working }
func (b beginner) FileChanged(string) { *b.changed++ }

// What the disk had before a prompt was sent is not its agent's doing, though it is just being merged as that is sent; what comes
// afterwards is, also if the file is only gone again (behaviour 1648).
func TestEarlierAsItIsMerged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		for _, deleted := range []bool{false, true} {
			var working bool
			var changed int
			var changes []bool // whether each was earlier
			ed := &sends{path: path, working: &working}
			w := workspace(t, ed)
			ed.w = w
			w.options.Sessions = func() []Session { return []Session{beginner{root: dir, working: &working, changed: &changed}} }
			w.options.Changed = func(c Change) { changes = append(changes, c.Earlier()) }
			w.options.Gone = func(context.Context, string) bool { return false }
			merge := func() {
				t.Helper()
				c, err := w.claim(t.Context(), path)
				if err != nil {
					t.Fatal(err)
				}
				defer c.release()
				if err := c.mergeDisk(t.Context()); err != nil {
					t.Fatal(err)
				}
			}

			write("text\n")
			stat, err := buffers.StatFile(path)
			if err != nil {
				t.Fatal(err)
			}
			w.remember(path, stat, "", nil)
			if deleted {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			} else {
				write("of the user\n")
			}
			merge()
			if len(changes) != 1 || !changes[0] || changed != 0 {
				t.Errorf("deleted: %t: of the user's change: earlier %v, told the agent's session %d times", deleted, changes, changed)
			}

			ed.w = workspace(t, nil) // no further prompt
			write("of the agent\n")
			merge()
			if len(changes) != 2 || changes[1] || changed != 1 {
				t.Errorf("deleted: %t: of the agent's change: earlier %v, told its session %d times", deleted, changes, changed)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			merge()
			if len(changes) != 3 || changes[2] {
				t.Errorf("deleted: %t: that the agent has deleted the file is earlier: %v", deleted, changes)
			}
		}
	})
}
