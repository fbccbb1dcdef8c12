package terminal

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// reading reads output as the comment of screen says, a byte at a time, with nothing of its code: lines of cells that know what of them is
// final.
type reading struct {
	lines [][]byte
	fixed []int // cells at the beginning of each line that are final
	first int   // the first line that can be reached
	x, y  int
	lost  bool // text was taken for a part of a string that has no end
}

// read returns what a reading gives of some output.
func read(in string) *reading {
	r := &reading{lines: [][]byte{nil}, fixed: []int{0}}
	for i := 0; i < len(in); i++ {
		switch c := in[i]; {
		case c == '\x1b' && i+1 < len(in) && (in[i+1] == ']' || in[i+1] == 'P'):
			i = r.skip(in, i+2, in[i+1] == ']')
		case c == '\x1b' && i+1 < len(in) && in[i+1] == '[':
			end := i + 2 + strings.IndexFunc(in[i+2:], func(c rune) bool { return c >= '@' })
			n := 1
			_, _ = fmt.Sscan(in[i+2:end], &n)
			r.move(in[end], n)
			i = end
		case c == '\x1b':
			i++ // the end of no string
		case c == '\r':
			r.x = 0
		case c == '\b':
			r.x = max(r.x-1, 0)
		case c == '\n':
			if r.y++; r.y == len(r.lines) {
				r.lines, r.fixed = append(r.lines, nil), append(r.fixed, 0)
			}
		case c >= ' ':
			r.put(c)
		}
	}
	return r
}

// skip skips a string from a place on, and returns the place of its last byte.
func (r *reading) skip(in string, i int, title bool) int {
	for ; i < len(in); i++ {
		switch {
		case title && in[i] == '\a', in[i] == '\x18', in[i] == '\x1a':
			return i
		case in[i] == '\n':
			r.lost = true
		case in[i] == '\x1b' && i+1 < len(in) && in[i+1] == '\\':
			return i + 1
		case in[i] == '\x1b':
			r.lost = true
			return i - 1
		}
	}
	r.lost = true
	return i
}

func (r *reading) put(c byte) {
	r.x = max(min(r.x, max(len(r.lines[r.y]), defaultCols-1)), r.fixed[r.y])
	for len(r.lines[r.y]) <= r.x {
		r.lines[r.y] = append(r.lines[r.y], ' ')
	}
	r.lines[r.y][r.x] = c
	r.x++
	for len(r.lines[r.y])-r.fixed[r.y] > maxCells {
		r.fixed[r.y] += keepCells
		r.first = r.y
	}
}

func (r *reading) move(how byte, n int) {
	right := func(x int) int { return max(min(x, max(defaultCols-1, r.x)), 0) }
	switch how {
	case 'A':
		r.y = max(r.y-n, r.first)
	case 'C':
		r.x = right(r.x + n)
	case 'D':
		r.x = right(r.x - n)
	case 'G':
		r.x = right(n - 1)
	case 'K':
		if at := max(r.x, r.fixed[r.y]); at < len(r.lines[r.y]) {
			r.lines[r.y] = r.lines[r.y][:at]
		}
	}
}

func (r *reading) text() string {
	lines := r.lines
	for len(lines) > r.y+1 && len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	var out []string
	for _, line := range lines {
		out = append(out, string(line))
	}
	return strings.Join(out, "\n")
}

// What a command has printed, in whatever pieces it comes, is what an independent reading of it gives, also with lines of any length; and
// where text was dropped, that is said (behaviours 865).
func TestReading(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 9))
		var b strings.Builder
		for lines := 0; lines < 30 && r.IntN(60) > 0; {
			n := 1 + r.IntN(5)
			switch r.IntN(14) {
			case 0, 1, 2, 3:
				b.WriteString(strings.Repeat(string(rune('a'+r.IntN(26))), 1+r.IntN([]int{3, 30, 200, 200, 9000}[r.IntN(5)])))
			case 4, 5:
				lines++
				b.WriteString("\r\n")
			case 6:
				b.WriteString([]string{"\r", "\b", "\x1b[K", "\x1b[1;31m", "\a"}[r.IntN(5)])
			case 7:
				fmt.Fprintf(&b, "\x1b[%d%c", n, "ACD"[r.IntN(3)])
			case 8:
				fmt.Fprintf(&b, "\x1b[%dG", 1+r.IntN(150))
			case 9:
				b.WriteString([]string{"\x1b]0;title\a", "\x1b]8;;u\x1b\\", "\x1bPq#0\x1b\\"}[r.IntN(3)])
			case 10:
				if r.IntN(4) == 0 {
					b.WriteString([]string{"\x1b]0;title", "\x1bPq#0"}[r.IntN(2)])
				}
			default:
				b.WriteString("words ")
			}
		}
		in := b.String()
		want := read(in)

		term := limited(maxLimit)
		for rest := []byte(in); len(rest) > 0; {
			n := 1 + r.IntN(min(len(rest), 1+r.IntN(6000)))
			term.feed(rest[:n])
			rest = rest[n:]
		}
		term.Exit(ExitStatus{})
		got, truncated, _ := term.Output()
		if got != want.text() || truncated != want.lost {
			at := 0
			for at < min(len(got), len(want.text())) && got[at] == want.text()[at] {
				at++
			}
			t.Fatalf("seed %d: from %d on got %.60q, want %.60q; truncated %t, want %t", seed, at, got[at:], want.text()[at:], truncated, want.lost)
		}
	}
}

// The line after a long one begins at its beginning (behaviours 865); what stands behind a title that does not end is dropped, and that is said.
func TestLongLines(t *testing.T) {
	for _, n := range []int{100, maxCells, maxCells + 1, 3 * maxCells} {
		long := strings.Repeat("x", n)
		if got := show(long + "\r\nnext\r\n\x1b[Aup"); got != long+"\nupxt" {
			t.Errorf("%d: got %.80q", n, got[min(n, len(got)):])
		}
	}
	for _, tt := range []struct {
		name, in string
		want     string
		lost     bool
	}{
		{"a title", "a\x1b]0;t\ab", "ab", false},
		{"a title without an end", "a\x1b]0;t\nall that follows", "a", true},
		{"a title with a line break", "a\x1b]0;t\nmore\ab", "ab", true},
		{"a title that a colour ends", "a\x1b]0;t text\x1b[31mb", "ab", true},
		{"an image without an end", "a\x1bPq#0", "a", true},
		{"at the very end", "a\x1b]0;t\x1b", "a", true},
		{"on the screen that is dropped", "a\x1b[?1049h\x1b]0;t\nx\x1b\\\x1b[?1049lb", "ab", false},
	} {
		term := limited(maxLimit)
		for _, c := range slices.Collect(strings.SplitSeq(tt.in, "")) {
			term.feed([]byte(c))
		}
		term.Exit(ExitStatus{})
		if got, truncated, _ := term.Output(); got != tt.want || truncated != tt.lost {
			t.Errorf("%s: got %q %t, want %q %t", tt.name, got, truncated, tt.want, tt.lost)
		}
	}
}
