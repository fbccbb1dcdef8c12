package edit

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/buffers"
)

var sequences = flag.Int("sequences", 2000, "random sequences that are played")

func apply(lines []string, t Accepted) []string { return buffers.Apply(lines, t.Edits) }

// Whatever the user types while an answer comes, and whatever that is: when it is taken no line is lost that was typed, and what
// the user has left as it was is as the answer has it, or the user's and the answer's both stay (behaviour 416).
func TestTyping(t *testing.T) {
	for seed := range uint64(*sequences) {
		random := rand.New(rand.NewPCG(seed, 7))
		base := words(random, "b", 1+random.IntN(12))
		theirs := change(random, base, "agent")
		ours := base
		p := &Place{}
		p.Begin(Request{Kind: Edit, Lines: base, Tab: 4})
		text := "```\n" + strings.Join(theirs, "\n") + "\n```\n"
		if len(theirs) == 0 {
			text = "```\n```\n"
		}

		var differ Differ
		var drawn screen
		seen := 0
		typed := map[string]bool{}
		for text != "" {
			n := 1 + random.IntN(len(text))
			p.Write(text[:n])
			text = text[n:]
			if random.IntN(2) == 0 {
				seen++
				ours = change(random, ours, fmt.Sprintf("typed%d.", seen))
				p.Typed(ours, seen)
			}
			if s := p.Snapshot(); s.Has {
				d := differ.Diff(s, nil)
				check(t, seed, s, d)
				drawn.draw(t, random, seed, d.Marks, s.Ours)
			}
		}
		p.End(false, "")
		for _, line := range ours {
			if strings.HasPrefix(line, "typed") {
				typed[line] = true
			}
		}

		s := p.Snapshot()
		if s.Phase == Same {
			continue
		}
		taken := s.Version.Accept(ours)
		result := apply(ours, taken)
		for line := range typed {
			if !slices.Contains(result, line) {
				t.Fatalf("seed %d: %s is lost:\nbase %q\nours %q\ntheirs %q\ngot %q", seed, line, base, ours, theirs, result)
			}
		}
		if slices.Equal(ours, base) && !slices.Equal(result, theirs) {
			t.Fatalf("seed %d: nothing was typed: got %q, want %q", seed, result, theirs)
		}
		if d := differ.Diff(s, nil); !slices.Equal(d.Lines, result) {
			t.Fatalf("seed %d: shown %q, taken %q", seed, d.Lines, result)
		}
	}
}

// check sees that marks make of the lines what the diff says: those that stay, and those that come, each once.
func check(t *testing.T, seed uint64, s Snapshot, d Diff) {
	t.Helper()
	gone := map[int]bool{}
	come := map[int]int{}
	for _, m := range d.Marks {
		for i := range m.Gone {
			gone[m.Row+i] = true
		}
		come[m.Row] += len(m.Lines)
	}
	n := 0
	for i := range len(s.Ours) + 1 {
		n += come[i]
		if i < len(s.Ours) && !gone[i] {
			n++
		}
	}
	if n != len(d.Lines) {
		t.Fatalf("seed %d: the marks make %d lines, the text has %d", seed, n, len(d.Lines))
	}
}

// screen is what an editor has drawn, from patches.
type screen struct {
	marks, want []Mark
	ours        []string
}

// draw patches the marks, and sees that they are those that are wanted. Some of the patches are not made, as the lines have changed.
func (c *screen) draw(t *testing.T, random *rand.Rand, seed uint64, marks []Mark, ours []string) {
	t.Helper()
	c.marks = moved(c.marks, c.ours, ours)
	parts := Change(c.want, c.ours, marks, ours).Parts(4, 2)
	for i, p := range parts {
		if random.IntN(5) == 0 {
			c.want, c.ours = Made(c.want, c.ours, ours, parts[:i]), ours
			return
		}
		c.marks = slices.Concat(c.marks[:p.From], p.Marks, c.marks[p.From+p.Drop:])
	}
	c.want, c.ours = marks, ours
	if !slices.EqualFunc(c.marks, marks, Mark.equal) {
		t.Fatalf("seed %d: drawn %v, want %v", seed, c.marks, marks)
	}
}

// words returns different lines, some of which are blank.
func words(random *rand.Rand, name string, n int) []string {
	lines := make([]string, n)
	for i := range lines {
		if random.IntN(5) > 0 {
			lines[i] = fmt.Sprintf("%s%d", name, i)
		}
	}
	return lines
}

// change returns lines with some of them replaced, removed and added.
func change(random *rand.Rand, lines []string, name string) []string {
	out := slices.Clone(lines)
	for i := range 1 + random.IntN(3) {
		at := random.IntN(len(out) + 1)
		switch line := fmt.Sprintf("%s%d", name, i); {
		case random.IntN(3) == 0 || at == len(out):
			out = slices.Insert(out, at, line)
		case random.IntN(2) == 0:
			out[at] = line
		default:
			out = slices.Delete(out, at, at+1)
		}
	}
	return out
}
