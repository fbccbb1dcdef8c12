package files

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// at returns the version of a file that was written at a second.
func at(sec int64) buffers.Stat { return buffers.Stat{ModTime: time.Unix(sec, 0), Size: 1} }

// What a merge has brought into a buffer is its version, unless a later report says that the user has read or saved another.
func TestMergedVersion(t *testing.T) {
	const path = "/f"
	for _, tt := range []struct {
		name           string
		report, merged int // numbers of the last report, and of the last when the edit was made
		want           int64
	}{
		{"no report", 0, 0, 2},
		{"the edit was made after the report", 3, 3, 2},
		{"the report came after the edit", 4, 3, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := newVersions(new(buffers.Store))
			v.set(path, at(1), true)
			v.setReported(path, tt.report)
			if !v.merged(path, diskEdit{stat: at(2), data: []byte("new")}, tt.merged) {
				t.Error("the text counts as old")
			}
			if got, want := v.differs(path, at(2), nil), tt.want != 2; got != want {
				t.Errorf("the disk counts as different: got %v, want %v", got, want)
			}
			if _, stat, ok := v.store.Disk(path); ok != (tt.want == 2) || ok && !stat.Equal(at(2)) {
				t.Errorf("the base is the version %v, %v", stat, ok)
			}
		})
	}
}

// opened is a Neovim whose only buffer it has reported n times.
type opened struct {
	Editor
	n int
}

func (e opened) Snapshot(context.Context, string, bool) (Snapshot, error) {
	return Snapshot{Buf: 1, Text: "text", Count: 1, EOL: true, Reported: e.n}, nil
}

// Nobody looks at a buffer before what Neovim has reported of it has come and is noted, also where that says first that there is one, or
// another name of its file has been reported.
func TestReportBeforeLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := workspace(t, opened{n: 2})
		for _, tt := range []struct {
			path  string
			first string // of what is reported in between
		}{{"/opened", ""}, {"/renamed", "/other"}, {"/reported", "/reported"}, {"/opened again", ""}} {
			w.DetachEditor()
			w.AttachEditor()
			if tt.first != "" {
				w.Loaded(Report{Path: tt.first, Number: 1, Text: "text\n"})
			}
			done := make(chan error)
			go func() { done <- w.Look(t.Context(), tt.path, func(View) error { return nil }) }()
			waits := func(why string) {
				t.Helper()
				select {
				case <-done:
					t.Fatalf("%s: it was looked at before the report %s", tt.path, why)
				case <-time.After(10 * time.Millisecond): // of the bubble's clock
				}
			}
			waits("had come")
			ticket := w.reports.Ticket(tt.path)
			w.Loaded(Report{Path: tt.path, Number: 2, Text: "text\n"})
			waits("was noted")
			ticket.Done()
			if err := <-done; err != nil {
				t.Errorf("%s: %v", tt.path, err)
			}
		}
	})
}

// A file that was moved away and comes back is merged with what its buffer started from, whether it is the same one by then or another.
func TestMovedAway(t *testing.T) {
	w := workspace(t, opened{})
	real := filepath.Join(t.TempDir(), "f")
	w.remember(real, at(1), "text\n", nil)
	w.Moved(real, real+".moved", false)
	if w.versions.differs(real, buffers.Stat{}, fs.ErrNotExist) {
		t.Error("that it is gone is news")
	}
	w.meet(t.Context(), LoadedFile{Path: real}) // not a file that was never there
	for sec := range int64(3) {
		if !w.versions.differs(real, at(sec), nil) {
			t.Errorf("version %d, which has come, is not looked at", sec)
		}
	}
	snap := Snapshot{Buf: 1, Text: "other", ended: "other\n", Count: 1, EOL: true}
	for _, snap.Modified = range []bool{false, true} {
		want := map[bool]string{false: "other", true: "text"}[snap.Modified]
		if base, err := w.diskBase(t.Context(), real, snap); err != nil || !slices.Equal(base, []string{want}) {
			t.Errorf("modified: %v: the buffer started from %q, %v, want %q", snap.Modified, base, err, want)
		}
	}
}

// A buffer that may have less than the disk is looked at, though the disk has the version that it is known to have.
func TestStaleVersion(t *testing.T) {
	const path = "/f"
	v := newVersions(new(buffers.Store))
	v.set(path, at(1), false)
	if v.differs(path, at(1), nil) {
		t.Error("the same version counts as another")
	}
	if !v.newer(path, at(0), "") {
		t.Error("a version that the buffer has read since, older by its time, does not count")
	}
	v.suspect(path)
	if !v.differs(path, at(1), nil) {
		t.Error("the disk may have more, and nobody looks")
	}
	if v.newer(path, at(1), "text") || v.newer(path, at(0), "") || !v.newer(path, at(0), "text") || !v.newer(path, at(2), "") {
		t.Error("the wrong versions replace a stale one")
	}
	if !v.differs(path, at(1), buffers.ErrNotExist) || !v.delete(path) || v.delete(path) || v.differs(path, at(1), buffers.ErrNotExist) {
		t.Error("a file that is gone is news once")
	}
}

// While a goroutine merges a file, whatever is reported of it, no other begins.
func TestOneMerge(t *testing.T) {
	const path = "/root/f"
	roots := []string{"/root"}
	v := newVersions(new(buffers.Store))
	v.set(path, at(1), false)
	if got := v.idle(roots); !slices.Equal(got, []string{path}) {
		t.Fatalf("got %q", got)
	}
	v.merging(path, true)
	v.set(path, at(2), false)
	if got := v.idle(roots); len(got) > 0 {
		t.Errorf("another merge of %q begins", got)
	}
	v.merging(path, false)
	if got := v.idle([]string{"/other"}); len(got) > 0 {
		t.Errorf("%q is merged outside of all windows", got)
	}
	if got := v.idle(roots); len(got) != 1 {
		t.Errorf("got %q when the merge is over", got)
	}
}

// The cache of texts has the last of each buffer, and bounds.
func TestTextCache(t *testing.T) {
	var c textCache
	snap := func(buf, tick int, text string) Snapshot { return Snapshot{Buf: buf, Tick: tick, ended: text} }
	c.add(snap(1, 1, "old\n"))
	c.add(snap(1, 2, "new\n"))
	if _, ok := c.find(snap(1, 1, "")); ok {
		t.Error("the text of an earlier changedtick is kept")
	}
	if got, _ := c.find(snap(1, 2, "")); got != "new\n" {
		t.Errorf("got %q", got)
	}
	for buf := 2; buf <= maxCacheTexts+1; buf++ {
		c.add(snap(buf, 1, "text\n"))
	}
	if _, ok := c.find(snap(1, 2, "")); ok || len(c.list) != maxCacheTexts {
		t.Errorf("%d texts are kept, want %d, the oldest not among them", len(c.list), maxCacheTexts)
	}
	c.add(snap(99, 1, strings.Repeat("x", maxCacheBytes)))
	if len(c.list) != 1 {
		t.Errorf("%d texts are kept beside one that takes all room", len(c.list)-1)
	}
}
