package review

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

// Whatever turns of several sessions make of a file one after the other, also of the same lines, or create, delete and make anew: reverting
// all of it gives what it had before them, and undoing that what they have made (behaviour 1631). No line comes twice.
func TestParts(t *testing.T) {
	seed := seedtest.Of(t)
	for n := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, n))
		d := NewDesk()
		now := time.Unix(1, 0)
		first := Content{EOL: true}
		for i := range 1 + r.IntN(6) {
			first.Lines = append(first.Lines, fmt.Sprint("line ", i))
		}
		if r.IntN(3) == 0 {
			first = Content{Missing: true}
		}
		text, told := first, []string{fmt.Sprint(first.Lines)}
		for range 1 + r.IntN(6) {
			id := string(rune('a' + r.IntN(3)))
			now = now.Add(time.Second)
			d.Begin(id, "do it", now)
			for range 1 + r.IntN(2) {
				next := Content{Lines: slices.Clone(text.Lines), EOL: true, Missing: text.Missing}
				at := r.IntN(len(next.Lines) + 1)
				word := fmt.Sprint(map[bool]string{true: "t", false: "the text "}[r.IntN(2) == 0], len(told))
				switch kind := r.IntN(5); {
				case kind == 4:
					next = Content{Missing: true}
				case next.Missing:
					next = Content{Lines: []string{word}, EOL: true}
				case kind == 0 || at == len(next.Lines):
					next.Lines = slices.Insert(next.Lines, at, word)
				case kind == 1 && len(next.Lines) > 1:
					next.Lines = slices.Delete(next.Lines, at, at+1)
				default:
					next.Lines[at] = word
				}
				d.Changed([]string{id}, "/f", text, next)
				text = next
				told = append(told, id+": "+fmt.Sprint(text.Lines))
			}
		}

		is := text
		var done []Part
		revert := func() {
			done = nil
			for tried := map[string]bool{}; ; {
				left := slices.DeleteFunc(d.Parts(d.List("")), func(p Part) bool { return tried[fmt.Sprint(p.Session, p.Turn)] })
				if len(left) == 0 {
					return
				}
				p := left[0]
				tried[fmt.Sprint(p.Session, p.Turn)] = true

				got, out := d.Revert(p.Session, p.Path, Pick{Turn: p.Turn}, "", now)
				if out.Hunks == 0 {
					continue
				}
				is, done = got, append(done, p)
				told = append(told, fmt.Sprint("without ", p.Session, p.Turn, ": ", is.Lines))
			}
		}
		revert()
		if !is.Equal(first) || len(d.List("")) > 0 {
			t.Fatalf("play %d: it has %q\n%s", n, is.Lines, strings.Join(told, "\n"))
		}
		for range done {
			last := d.Last(false)
			is, _, _ = d.Undo(last.Session, last.Revert)
			told = append(told, fmt.Sprint("with ", last.Session, ": ", is.Lines))
		}
		if !is.Equal(text) {
			t.Fatalf("play %d: undone it has %q\n%s", n, is.Lines, strings.Join(told, "\n"))
		}
		now = now.Add(time.Second)
		if revert(); !is.Equal(first) || len(d.List("")) > 0 {
			t.Fatalf("play %d: reverted again it has %q\n%s", n, is.Lines, strings.Join(told, "\n"))
		}
	}
}
