package transcript

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// A large diff is compared between its first and its last change; of the rest the beginning is, and that is said. It takes little memory
// (behaviour 1044).
func TestLargeDiffs(t *testing.T) {
	const n = 30 << 20
	fill := func(line string) string { return strings.Repeat(line+"\n", n/(len(line)+1)) }
	var numbers, others strings.Builder
	for i := 0; numbers.Len() < n/2; i++ {
		fmt.Fprintf(&numbers, "%d\n", i)
		fmt.Fprintf(&others, "%d\n", i+i%3*1_000_000_000)
	}
	short := fill("a")
	for _, tt := range []struct {
		name, old, text string
		added, deleted  int
		uncompared      int // -1: some
	}{
		{"a new file", "", short, n / 2, 0, 0},
		{"a file that goes", short, "", 0, n / 2, 0},
		{"one line in many", short + "b\n" + short, short + "c\n" + short, 1, 1, 0},
		{"lines that come", short, short + "b\n" + short, n/2 + 1, 0, 0},
		{"all lines", fill("word one"), fill("word two"), 200_000, 200_000, 2*(n/9) - 400_000},
		{"a line for many", "x", short, 200_000, 1, n/2 - 200_000},
		{"lines that are apart", numbers.String(), others.String(), 0, 0, -1},
		{"empty lines", fill(""), "x" + fill(""), 1, 1, 0},
		{"one line", strings.Repeat("x", n), strings.Repeat("y", n), 1, 1, 0},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		v := viewOf(&acp.Diff{Path: "a", OldText: &tt.old, NewText: tt.text})
		runtime.ReadMemStats(&after)
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 200 {
			t.Errorf("%s: took %d MiB", tt.name, took)
		}
		if len(v.lines) > maxViewed {
			t.Errorf("%s: %d lines are viewed", tt.name, len(v.lines))
		}
		if _, _, known := (&DiffView{view: v}).Count(); known != (tt.uncompared == 0) {
			t.Errorf("%s: its counts are known: %v", tt.name, known)
		}
		switch said := v.left(); {
		case tt.uncompared < 0:
			if v.uncompared == 0 || !strings.Contains(said, "not compared") {
				t.Errorf("%s: %q", tt.name, said)
			}
		case v.added != tt.added || v.deleted != tt.deleted || v.uncompared != tt.uncompared:
			t.Errorf("%s: got +%d -%d, %d not compared; want +%d -%d, %d",
				tt.name, v.added, v.deleted, v.uncompared, tt.added, tt.deleted, tt.uncompared)
		}
	}
}

// Whatever is left out, each line that is shown is one of its text, under its own number, and what is counted is what differs
// (behaviour 1044).
func TestCompared(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	some := func() string {
		var b strings.Builder
		for range random.IntN(6) {
			b.WriteString([]string{"a\n", "b\n", "\n", "ab\n", "ü\n"}[random.IntN(5)])
		}
		return b.String() + []string{"", "", "a", "b"}[random.IntN(4)]
	}
	for range 50_000 {
		common := some()
		old, text := common+some(), common+some()
		if random.IntN(2) == 0 {
			end := "\n" + some()
			old, text = old+end, text+end
		}
		bound, most := 2+random.IntN(12), 1+random.IntN(20)
		c := compareWithin(&acp.Diff{OldText: &old, NewText: text}, random.IntN(4), most, bound)
		a, b := textLines(old), textLines(text)
		for _, l := range c.lines {
			of := b
			if l.sign == "-" {
				of = a
			}
			if l.sign != "…" && (l.number < 1 || l.number > len(of) || of[l.number-1] != strings.TrimSuffix(l.text, noNewline)) {
				t.Fatalf("%q and %q within %d: line %v", old, text, bound, l)
			}
		}
		if c.uncompared == 0 && c.added-c.deleted != len(b)-len(a) || len(c.lines) > most || c.more > 0 && len(c.lines) < most {
			t.Fatalf("%q and %q within %d: %+v", old, text, bound, c)
		}
	}
}

// Where nothing but the newline at the end of a text changes, the diff says so (behaviour 1235).
func TestNewlineAtTheEnd(t *testing.T) {
	for _, test := range []struct{ name, old, text, want string }{
		{"it goes", "a\nb\n", "a\nb", " a\n-b\n+b  (no newline at the end)\n"},
		{"it comes", "b", "b\n", "-b  (no newline at the end)\n+b\n"},
		{"it comes with another change", "a", "b\n", "-a\n+b\n"},
		{"nothing changes", "a\n", "a\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := compare(&acp.Diff{Path: "a.txt", OldText: &test.old, NewText: test.text}, 3, 100)
			if got := c.text(""); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
