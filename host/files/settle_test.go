package files

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// workspace returns one that reads files of up to 1 MiB.
func workspace(t *testing.T, ed Editor) *Workspace {
	t.Helper()
	w := New(Options{
		Editor:   ed,
		Settings: func() Settings { return Settings{MaxRead: 1 << 20} },
		Sessions: func() []Session { return nil },
		Warn:     func(text string) { t.Error("the user is warned: ", text) },
		Refresh:  func() {},
	})
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// A file that is written slowly is merged when all of it is there; one that is whole at once, soon.
func TestSettle(t *testing.T) {
	const old = "one\ntwo\nthree\nfour\n"
	const ms = time.Millisecond
	type step struct {
		after time.Duration
		text  string
	}
	tests := []struct {
		name  string
		steps []step
		want  string
		max   time.Duration
		saves bool // a save waits
	}{
		{"whole", []step{{0, "one\n2\nthree\nfour\n"}}, "one\n2\nthree\nfour\n", 50 * ms, false},
		{"its end is gone", []step{{0, "one\ntwo\n"}}, "one\ntwo\n", 1100 * ms, false},
		{"other lines, fewer", []step{{0, "one\nfour\n"}}, "one\nfour\n", 50 * ms, false},
		{"in halves of bytes", []step{{0, "one\n2\nth"}, {700 * ms, "one\n2\nthree\nfour\n"}}, "one\n2\nthree\nfour\n", 750 * ms, false},
		{"in halves of lines", []step{{0, "one\ntwo\n"}, {700 * ms, "one\ntwo\n3\nfour\n"}}, "one\ntwo\n3\nfour\n", 750 * ms, false},
		{"emptied first", []step{{0, ""}, {700 * ms, "2\n"}}, "2\n", 750 * ms, false},
		{"a save waits for it", []step{{0, "one\ntwo\n"}}, "one\ntwo\n", 450 * ms, true},
		{
			"a save waits for its other half", []step{{0, "one\ntwo\n"}, {200 * ms, "one\ntwo\n3\nfour\n"}},
			"one\ntwo\n3\nfour\n", 250 * ms, true,
		},
		{
			"a little all the time", []step{{0, "o"}, {250 * ms, "on"}, {250 * ms, "one"}, {250 * ms, "one\n1\n"}},
			"one\n1\n", 800 * ms, false,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f")
			synctest.Test(t, func(t *testing.T) {
				write := func(text string) {
					if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
						t.Error(err)
					}
				}
				write(old)
				stat, err := buffers.StatFile(path)
				if err != nil {
					t.Fatal(err)
				}
				w := workspace(t, nil)
				w.remember(path, stat, "", nil)

				write(tt.steps[0].text)
				if tt.saves {
					w.SaveWaits()
				}
				done := make(chan struct{})
				go func() { // ends when all is written
					defer close(done)
					for _, s := range tt.steps[1:] {
						<-time.After(s.after)
						write(s.text)
					}
				}()
				defer func() { <-done }()

				began := time.Now()
				if _, err := w.settle(t.Context(), path); err != nil {
					t.Fatal(err)
				}
				got, err := os.ReadFile(path)
				if took := time.Since(began); err != nil || string(got) != tt.want || took > tt.max {
					t.Errorf("got %q, %v after %v, want %q within %v", got, err, took, tt.want, tt.max)
				}
			})
		})
	}
}

// What an autocommand has made of a saved text, and Neovim has read, is what the buffer started from, though the report on it comes
// behind the answer to the edit (behaviour 30).
func TestRewrittenAsSaved(t *testing.T) {
	const saved, read = "trailing   \n", "trailing\n"
	path := filepath.Join(t.TempDir(), "f")
	write := func(text string) buffers.Stat {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		stat, err := buffers.StatFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return stat
	}
	before, stat := write("one\n"), write(read)
	synctest.Test(t, func(t *testing.T) {
		w := workspace(t, nil)
		w.versions.set(path, before, false)
		c, err := w.claim(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() { // ends with the report
			defer close(done)
			defer c.release()
			c.rememberSaved(t.Context(), Edited{Stat: statOf(stat), Reported: 1}, saved)
		}()
		synctest.Wait()
		w.Loaded(Report{Number: 1, Path: path, Stat: statOf(stat), Text: read})
		<-done
		synctest.Wait()

		if got, _, _ := w.store.Disk(path); string(got) != read || w.versions.differsNow(path) {
			t.Errorf("the buffer is said to have started from %q, want %q", got, read)
		}
	})
}
