package review

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// The earlier texts of a file share the lines that did not change: a session of a day has hundreds of files with dozens of texts
// (behaviour 1081).
func TestEarlierMemory(t *testing.T) {
	var words []string
	for i := range 1500 {
		words = append(words, fmt.Sprintf("word%d", i))
	}
	text := strings.Join(words, " ")
	before := heap()
	c := NewChanges()
	c.Begin("go", time.Time{})
	for i := range 50 {
		name := fmt.Sprintf("/p/%d.txt", i)
		c.Changed(1, name, lines("base"), lines("base "+text))
		was := "base " + text
		for n := range 12 {
			now := strings.Replace(was, fmt.Sprintf("word%d ", 100*n), fmt.Sprintf("other%d ", n), 1)
			c.Changed(1, name, lines(was), lines(now))
			was = now
		}
	}
	if mb := (heap() - before) >> 20; mb > 30 {
		t.Errorf("50 files with 13 texts of 1500 lines take %d MB", mb)
	}
	runtime.KeepAlive(c)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Each earlier text is known as it was, however its lines differ from those of the text after it, and also once another is forgotten.
func TestEarlierTexts(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 7))
		key := func(e earlier) string { return fmt.Sprint(e.sum, e.turns) }
		f, want := &File{}, map[string][]run{}
		for range 30 {
			if n := len(f.lines); n > 0 && r.IntN(3) == 0 {
				f.lines = slices.Delete(slices.Clone(f.lines), r.IntN(n), n)
			}
			at := r.IntN(len(f.lines) + 1)
			f.lines = slices.Insert(slices.Clone(f.lines), at, line{id: r.IntN(3), text: string(rune('a' + r.IntN(3))), by: Turn(r.IntN(2))})
			f.remember()
			last := f.earlier[len(f.earlier)-1]
			want[key(last)] = slices.Clone(last.lines)
			for i, e := range f.earlier {
				if got := f.runsOf(i); !slices.Equal(got, want[key(e)]) {
					t.Fatalf("seed %d: text %d of %d: got %v, want %v", seed, i, len(f.earlier), got, want[key(e)])
				}
				if j := slices.IndexFunc(f.earlier, func(o earlier) bool { return key(o) == key(e) }); j != i {
					t.Fatalf("seed %d: texts %d and %d are the same", seed, j, i)
				}
			}
		}
	}
}

// What a turn has written is its own again when the user has undone it, Neovim is restarted and they redo it (behaviour 1402).
func TestRedoneAfterRestart(t *testing.T) {
	c := NewChanges()
	c.Begin("go", time.Time{})
	first := lines("user1 agent7 agent8 user2 user3")
	typed, second := lines("user1 agent7 user10 agent8 user9 user3"), lines("user1 agent7 user10 agent8 agent11 agent12 user3")
	c.Changed(1, "/p", lines("user1 user2 user3"), first)
	c.Observe("/p", typed, byHand)
	c.Begin("go on", time.Time{})
	c.Changed(2, "/p", typed, second)
	c.Observe("/p", first, byHand) // the user undoes it, and what they have typed before
	restored, err := Restore(c.Unsaved())
	if err != nil {
		t.Fatal(err)
	}
	restored.Observe("/p", second, byHand)
	if got := restored.File("/p").turns(); !slices.Equal(got, []Turn{1, 2}) {
		t.Errorf("got turns %v of %+v", got, restored.File("/p").Hunks())
	}
}

// Keeping one turn leaves what another has removed of it undecided, and what another has added.
func TestKeepOneOfTwo(t *testing.T) {
	c := NewChanges()
	one, two, three := Parse("a\nu\nb\n"), Parse("a\nX\nb\n"), Parse("a\nY\nb\n")
	first := c.Begin("1", time.Now())
	c.Changed(first, "/f", one, two)
	c.Changed(c.Begin("2", time.Now()), "/f", two, three)
	c.Keep("/f", Pick{Turn: first}, time.Now())
	h := c.File("/f").Hunks()
	if len(h) != 1 || !slices.Equal(h[0].Removed, []string{"X"}) || !slices.Equal(h[0].Added, []string{"Y"}) {
		t.Errorf("got %+v", h)
	}
}
