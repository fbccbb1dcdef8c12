package files

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// slowEditor is a Neovim that is told of merge windows only when it is let.
type slowEditor struct {
	Editor
	answer chan struct{}
}

func (e slowEditor) Inspect(ctx context.Context, _ Inspection) (i Inspected, err error) {
	select {
	case <-e.answer:
		return i, nil
	case <-ctx.Done():
		return i, ctx.Err()
	}
}

// worker is a session whose agent works.
type worker struct{ Session }

func (worker) Roots() []string { return []string{"/p"} }
func (worker) Merging() bool   { return true }

// Nobody's agent begins to work before Neovim has said which files are loaded, whoever has asked it (behaviour 29).
func TestOpenWindowWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ed := slowEditor{answer: make(chan struct{})}
		w := New(Options{Editor: ed, Run: "run", Sessions: func() []Session { return []Session{worker{}} }})
		defer w.Close()
		inspect := func(done chan struct{}) { // until Neovim answers
			_, _, _ = w.Inspect(context.Background(), worker{}, Question{})
			close(done)
		}
		first, second := make(chan struct{}), make(chan struct{})
		go func() { inspect(first) }()
		synctest.Wait()
		go func() { inspect(second) }()
		synctest.Wait()
		select {
		case <-second:
			t.Fatal("an agent may begin though Neovim has not answered")
		default:
		}
		ed.answer <- struct{}{}
		<-first
		ed.answer <- struct{}{}
		<-second
	})
}

// What Neovim has not answered is announced again at the next look (behaviour 29).
func TestUntoldWindows(t *testing.T) {
	var w windows
	if _, changed := w.set("run", []string{"/p"}, nil); !changed {
		t.Error("the first is not new")
	}
	if _, changed := w.set("run", []string{"/p"}, nil); changed {
		t.Error("the same is new")
	}
	w.forget()
	next, changed := w.set("run", []string{"/p"}, nil)
	if !changed || next.Number != 2 {
		t.Errorf("got %v, %v after an answer that did not come", next, changed)
	}
}

// loadedEditor is a Neovim that has a file loaded, of which it had a version as it left the disk to the host.
type loadedEditor struct {
	Editor
	file LoadedFile
}

func (e loadedEditor) Inspect(context.Context, Inspection) (Inspected, error) {
	return Inspected{Loaded: []LoadedFile{e.file}, Told: true}, nil
}

// A file that changes on the disk between the moment in which Neovim leaves the disk to the host, and that in which the host first
// looks, has changed: what the buffer has is what Neovim said (behaviour 1211).
func TestChangedBeforeTheFirstLook(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stat, err := buffers.StatFile(path)
	if err != nil {
		t.Fatal(err)
	}

	older := statOf(stat)
	older.Sec--
	same := statOf(stat)
	for name, test := range map[string]struct {
		has  *Stat
		want bool
	}{"changed": {&older, true}, "there was none": {&Stat{}, true}, "the same": {&same, false}, "not said": {nil, false}} {
		w := New(Options{
			Editor: loadedEditor{file: LoadedFile{Path: path, Has: test.has}}, Run: "run",
			Sessions: func() []Session { return []Session{worker{}} }, Settings: func() Settings { return Settings{MaxRead: 1 << 20} },
		})
		if _, _, err := w.Inspect(context.Background(), worker{}, Question{}); err != nil {
			t.Fatal(err)
		}
		if got := w.versions.differsNow(path); got != test.want {
			t.Errorf("%s: the disk differs: got %t, want %t", name, got, test.want)
		}
		w.Close()
	}
}

// What Neovim has reported of a file as it left the disk to the host is noted first, however late (behaviour 1648).
func TestMetAfterReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := workspace(t, opened{})
		path := filepath.Join(t.TempDir(), "a.txt")
		if err := os.WriteFile(path, []byte("new\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		w.versions.arrives(1)
		met := make(chan struct{})
		go func() {
			defer close(met)
			w.meet(t.Context(), LoadedFile{Path: path, Reported: 1})
		}()
		synctest.Wait()
		if w.versions.knows(path) {
			t.Error("what the disk has was taken for what the buffer has")
		}
		w.remember(path, at(1), "old\n", nil)
		w.versions.setReported(path, 1)
		<-met
		if !w.versions.differsNow(path) {
			t.Error("what the disk has is no news")
		}
	})
}

// A file of which Neovim says that it has changed is looked at, also before the host knows that it is loaded (behaviour 1211).
func TestSuspectUnknown(t *testing.T) {
	w := New(Options{Run: "run", Sessions: func() []Session { return nil }})
	defer w.Close()
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Suspect("")
	w.Suspect(path)
	if got := w.versions.idle(nil); !slices.Equal(got, []string{path}) || !w.versions.differsNow(path) {
		t.Errorf("to be looked at: got %v, which differs: %t; want the file", got, w.versions.differsNow(path))
	}
}

// deaf is a Neovim that does not answer in time when it is first told of a merge window.
type deaf struct {
	Editor
	told *[]int // numbers of the windows that it was told of
}

func (e deaf) Inspect(_ context.Context, i Inspection) (Inspected, error) {
	*e.told = append(*e.told, i.Windows.Number)
	return Inspected{Told: len(*e.told) > 1}, nil
}

// A Neovim that has not answered as a merge window opened is told of it with the next question, and then no more (behaviour 29).
func TestUntoldIsToldAgain(t *testing.T) {
	var told []int
	w := New(Options{Editor: deaf{told: &told}, Run: "run", Sessions: func() []Session { return []Session{worker{}} }})
	defer w.Close()
	for range 3 {
		if _, err := w.announce(t.Context(), Inspection{Unsaved: true}); err != nil {
			t.Fatal(err)
		}
	}
	if want := []int{1, 2, 0}; !slices.Equal(told, want) {
		t.Errorf("it was told of the windows %v, want %v", told, want)
	}
}
