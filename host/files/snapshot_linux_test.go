package files

import (
	"context"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
)

// shared is an editor that has one long buffer to share.
type shared struct {
	Editor // nothing else is called
	text   string
}

func (e shared) Share(_ context.Context, _, _, _ int, path string) (int, error) {
	return strings.Count(e.text, "\n"), os.WriteFile(path, []byte(e.text), 0o600)
}

// A read of a long buffer copies its text once, out of the memory that Neovim writes it to.
func TestBytesPerRead(t *testing.T) {
	const maxCopies = 3.1 // one of them is the test's
	memory, _, err := newMemory()
	if err != nil {
		t.Fatal("no memory is shared with Neovim: ", err)
	}
	_ = memory.Close() // nothing was written to it
	ed := shared{text: strings.Repeat("a line of text that is long enough\n", 100_000)}
	w := workspace(t, ed)
	snap := Snapshot{Buf: 1, Tick: 1, Count: 100_000, Size: len(ed.text), EOL: true}

	copies := math.Inf(1)
	for range 5 { // goroutines of earlier tests may allocate meanwhile, but not each time
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		text, whole, err := w.lines(t.Context(), snap, false)
		if err != nil || !whole {
			t.Fatal(whole, err)
		}
		snap.ended = text
		size := len(snap.whole())
		runtime.ReadMemStats(&after)
		if size != len(ed.text) {
			t.Fatalf("got %d bytes, want %d", size, len(ed.text))
		}
		copies = min(copies, float64(after.TotalAlloc-before.TotalAlloc)/float64(size))
	}
	if copies > maxCopies {
		t.Errorf("the text was copied %.1f times, want %.1f at most", copies, maxCopies)
	}
}
