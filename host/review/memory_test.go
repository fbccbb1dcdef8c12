package review

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// writes has a turn write a text of a megabyte many times, each time with one line more, and returns the review of it.
func writes(n int) *Desk {
	d := NewDesk()
	d.Begin("s", "write", time.Time{})
	text := strings.Repeat("some words of a line\n", 50_000)
	before := Parse(text)
	for i := range n {
		text = fmt.Sprintf("line %d\n", i) + text
		after := Parse(text)
		d.Changed([]string{"s"}, "/f", before, after)
		d.TakeIn()
		before = after
	}
	return d
}

// What is remembered of a file is its lines, not the texts that its agent has written: many writes of a large file take no more memory
// than one (behaviour 1487).
func TestTextsAreNotKept(t *testing.T) {
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}

	const n = 60
	before := live()
	d := writes(n)
	got := live()
	if h := d.Hunks("/f"); len(h) != 1 || len(h[0].Added) != n {
		t.Errorf("got %d hunks", len(h))
	}
	if most := before + 30<<20; got > most {
		t.Errorf("%d MB are live after %d writes", (got-before)>>20, n)
	}
}

func BenchmarkWrites(b *testing.B) {
	for b.Loop() {
		writes(10)
	}
}

// BenchmarkRewrite is of a write that leaves no line of a large text as it was.
func BenchmarkRewrite(b *testing.B) {
	one, two := Parse(strings.Repeat("some words of a line\n", 100_000)), Parse(strings.Repeat("other words of a line\n", 100_000))
	for b.Loop() {
		c := NewChanges()
		c.Changed(1, "/f", one, two)
	}
}
