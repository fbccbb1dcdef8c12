package files

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// writer is a session whose agent may write everything.
type writer struct {
	Session
	id      string
	roots   []string
	changed *[]string // what was said to be changed
}

func (writer) Confined() bool { return false }

func (w writer) LocalID() string { return w.id }
func (w writer) Roots() []string { return w.roots }
func (w writer) AllowWrite(context.Context, string, *acp.WriteTextFileRequest, func() *acp.Diff) error {
	return nil
}
func (w writer) AgreedText(_ context.Context, _, text string) (string, func(bool), error) {
	return text, func(bool) {}, nil
}
func (w writer) Wanted() <-chan struct{} { return nil }
func (w writer) NoteConflicts(string)    {}
func (w writer) FileChanged(real string) { *w.changed = append(*w.changed, real) }

// loader is a Neovim that has a file loaded, or not.
type loader struct {
	Editor
	snap  Snapshot
	edits int
}

func (l *loader) Snapshot(context.Context, string, bool) (Snapshot, error) { return l.snap, nil }
func (l *loader) DiskChanged(context.Context, string) error                { return nil }
func (l *loader) Edit(context.Context, *Edit) (Edited, error) {
	l.edits++
	return Edited{Result: "ok"}, nil
}

// TestFailedWrite has a write of a file that no buffer has fail: the agent gets an error, nobody hears of a change, and the same text
// for the file, which the user has opened meanwhile, reaches the buffer (behaviours 782).
func TestFailedWrite(t *testing.T) {
	for _, test := range []struct {
		name       string
		file, text string
		mode, dir  os.FileMode
		base       string
	}{
		{"a file that may not be written", "old\n", "new\n", 0o444, 0o777, "a.txt"},
		{"a folder that takes no new file", "", "new\n", 0, 0o555, "a.txt"},
		{"an encoding without the character", "caf\xe9\n", "→\n", 0o666, 0o777, "a.txt"},
		{"a name that cannot be", "", "new\n", 0, 0o777, longName()},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
				_ = os.Chmod(d, 0o755) // one who is not root comes to the file
			}
			path := filepath.Join(dir, test.base)
			if test.mode != 0 {
				if err := os.WriteFile(path, []byte(test.file), test.mode); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(path, test.mode); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(dir, test.dir); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = os.Chmod(dir, 0o755) }()

			var said []string
			editor := &loader{}
			w := New(Options{
				Editor: editor, Settings: func() Settings { return Settings{MaxRead: 1 << 20} }, Sessions: func() []Session { return nil },
				Warn: func(string) {}, Refresh: func() {}, Changed: func(c Change) { said = append(said, c.Path) },
			})
			defer w.Close()
			s := writer{id: "s", roots: []string{dir}, changed: &said}
			write := func() error {
				_, err := w.Write(s, &acp.WriteTextFileRequest{Path: path, Content: test.text})(context.Background())
				return err
			}

			if err := asNobody(write); err == nil {
				t.Fatal("it was written")
			}
			if len(said) > 0 {
				t.Errorf("it is said that %q has changed", said)
			}
			if got, ok := w.store.Agent("s", path); ok {
				t.Errorf("the agent counts as having seen %q", got)
			}

			editor.snap = Snapshot{Buf: 1, Tick: 1, Count: 1, Size: 4, Text: "old", EOL: true, Encoding: "utf-8"}
			if err := write(); err == nil && editor.edits == 0 {
				t.Error("the agent is told that its text is written, and nothing was")
			}
		})
	}
}

// TestStaleWrites has two sessions write a file that no buffer has, each from what it has read before the other wrote (behaviours 783).
func TestStaleWrites(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a.txt")
	const text = "one\ntwo\nthree\nfour\nfive\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w := New(Options{Editor: &loader{}, Settings: func() Settings { return Settings{MaxRead: 1 << 20} }, Changed: func(Change) {}})
	defer w.Close()
	var said []string
	for _, step := range []struct{ session, text, want string }{
		{"a", "ONE\ntwo\nthree\nfour\nfive\n", "ONE\ntwo\nthree\nfour\nfive\n"},
		{"b", "one\ntwo\nthree\nfour\nFIVE\n", "ONE\ntwo\nthree\nfour\nFIVE\n"},
		{"a", "ONE\ntwo\n3\nfour\nfive\n", "ONE\ntwo\n3\nfour\nFIVE\n"},
		{"b", "one\ntwo\nthree\nfour\n", "ONE\ntwo\n3\nfour\n"},
	} {
		s := writer{id: step.session, roots: []string{dir}, changed: &said}
		if _, ok := w.store.Agent(s.id, path); !ok {
			w.setBase(s, path, text)
		}
		if _, err := w.Write(s, &acp.WriteTextFileRequest{Path: path, Content: step.text})(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(path); string(got) != step.want {
			t.Errorf("after %q by %s: got %q, want %q", step.text, step.session, got, step.want)
		}
	}
}

// TestStaleWriteOfLargeFile has an agent write a file that is too large for the review, and that another has changed since the agent has
// read it (behaviour 783).
func TestStaleWriteOfLargeFile(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path, rest := filepath.Join(dir, "a.txt"), strings.Repeat("a line of this file\n", maxNoted/20+1)
	if err := os.WriteFile(path, []byte("one\n"+rest+"LAST\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := New(Options{Editor: &loader{}, Settings: func() Settings { return Settings{MaxRead: 64 << 20} }, Changed: func(Change) {}})
	defer w.Close()
	s := writer{id: "s", roots: []string{dir}, changed: new([]string)}
	w.setBase(s, path, "one\n"+rest+"last\n")
	if _, err := w.Write(s, &acp.WriteTextFileRequest{Path: path, Content: "ONE\n" + rest + "last\n"})(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "ONE\n"+rest+"LAST\n" {
		t.Errorf("the file begins with %.10q and ends with %q", got, got[max(len(got)-10, 0):])
	}
}

// longName is longer than a name may be.
func longName() string {
	name := make([]byte, 250)
	for i := range name {
		name[i] = 'n'
	}
	return string(name) + ".longer"
}

// asNobody calls a function on a thread of its own that may do what a user may who owns nothing.
func asNobody(do func() error) error {
	done := make(chan error)
	go func() { // ends when the call returns, and its thread with it
		runtime.LockOSThread()
		if os.Geteuid() == 0 {
			_ = syscall.Setfsuid(65534)
		}
		done <- do()
	}()
	return <-done
}
