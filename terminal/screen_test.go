package terminal

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// show feeds a display terminal of 120×40 and returns the text.
func show(input string) string {
	t := NewDisplay(Options{})
	t.Feed([]byte(input))
	text, _, _ := t.Output()
	return text
}

// Each control function does what it does in a terminal: of three lines, the cursor behind the last (behaviour 237).
func TestControlFunctions(t *testing.T) {
	missing := maps.Clone(functions)
	for final, cases := range map[byte][][2]string{
		'A': {{"\x1b[AX", "abc\ndefX\nghi"}, {"\x1b[9AX", "abcX\ndef\nghi"}},
		'B': {{"\x1b[2A\x1b[BX", "abc\ndefX\nghi"}, {"\x1b[2BX", "abc\ndef\nghi\n\n   X"}},
		'e': {{"\x1b[2A\x1b[eX", "abc\ndefX\nghi"}},
		'C': {{"\r\x1b[2CX", "abc\ndef\nghX"}},
		'a': {{"\r\x1b[2aX", "abc\ndef\nghX"}},
		'D': {{"\x1b[2DX", "abc\ndef\ngXi"}, {"\x1b[9DX", "abc\ndef\nXhi"}},
		'E': {{"\x1b[2A\x1b[EX", "abc\nXef\nghi"}},
		'F': {{"\x1b[2FX", "Xbc\ndef\nghi"}},
		'G': {{"\x1b[2GX", "abc\ndef\ngXi"}},
		'`': {{"\x1b[2`X", "abc\ndef\ngXi"}},
		'H': {{"\x1b[2;3HX", "abc\ndeX\nghi"}, {"\x1b[;2HX", "aXc\ndef\nghi"}, {"\x1b[2HX", "abc\nXef\nghi"}},
		'f': {{"\x1b[2;3fX", "abc\ndeX\nghi"}},
		'd': {{"\x1b[D\x1b[2dX", "abc\ndeX\nghi"}},
		'I': {{"\x1b[IX", "abc\ndef\nghi     X"}, {"\x1b[2IX", "abc\ndef\nghi             X"}},
		'Z': {{"\x1b[20G\x1b[ZX", "abc\ndef\nghi             X"}, {"\x1b[17G\x1b[ZX", "abc\ndef\nghi     X"}, {"\x1b[ZX", "abc\ndef\nXhi"}},
		'J': {{"\x1b[2;2H\x1b[JX", "abc\ndX"}, {"\x1b[2;2H\x1b[1JX", "\n Xf\nghi"}, {"\x1b[2JX", "\n\n   X"}},
		'K': {{"\r\x1b[C\x1b[KX", "abc\ndef\ngX"}, {"\r\x1b[C\x1b[1KX", "abc\ndef\n Xi"}, {"\x1b[2KX", "abc\ndef\n   X"}},
		'X': {{"\r\x1b[2XY", "abc\ndef\nY i"}},
		'@': {{"\r\x1b[2@X", "abc\ndef\nX ghi"}},
		'P': {{"\r\x1b[PX", "abc\ndef\nXi"}},
		'L': {{"\x1b[A\x1b[LX", "abc\n   X\ndef\nghi"}},
		'M': {{"\x1b[2A\x1b[MX", "defX\nghi"}},
		'S': {{"\x1b[SX", "abc\ndef\nghi\n   X"}, {"\x1b[2S\x1b[HX", "abc\ndef\nXhi"}},
		'T': {{"\x1b[TX", "\nabc\ndefX\nghi"}},
		'b': {{"\x1b[2bX", "abc\ndef\nghiiiX"}},
		's': {{"\x1b[s\x1b[HZ\x1b[uX", "Zbc\ndef\nghiX"}},
		'u': {{"\x1b[uX", "Xbc\ndef\nghi"}},
		'r': {{"\x1b[1;2rX", "Xbc\ndef\nghi"}, {"\x1b[1;2r\x1b[2H\nX", "abc\ndef\nX\nghi"}, {"\x1b[1;2r\x1b[r\x1b[2H\nX", "abc\ndef\nXhi"}},
	} {
		if functions[final] == nil {
			t.Errorf("there is no function %c", final)
		}
		for _, c := range cases {
			if got := show("abc\ndef\nghi" + c[0]); got != c[1] {
				t.Errorf("%q: got %q, want %q", c[0], got, c[1])
			}
		}
		delete(missing, final)
	}
	for final := range missing {
		t.Errorf("nothing shows what %c does", final)
	}
}

// The text is the one that a terminal would show in the end (behaviour 237).
func TestCollapse(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"text", "a\nb\n", "a\nb\n"},
		{"colours", "\x1b[1;38:2::1:2:3mred\x1b[0m", "red"},
		{"progress", "10%\r50%\r100%\ndone\n", "100%\ndone\n"},
		{"shorter over longer", "long line\rshort\n", "shortline\n"},
		{"erase to the end", "long line\rnew\x1b[K\n", "new\n"},
		{"erase the line", "junk\x1b[2K\rnew", "new"},
		{"erase to the beginning", "abcd\x1b[2D\x1b[1K", "   d"},
		{"backspace", "abc\b\bX", "aXc"},
		{"two lines up", "a\nb\nc\x1b[2A\rX", "X\nb\nc"},
		{"cursor next line", "a\nb\x1b[FX\x1b[EY", "X\nY"},
		{"absolute", "abc\x1b[1;2HX", "aXc"},
		{"column", "abc\x1b[GX", "Xbc"},
		{"forward makes blanks", "a\x1b[3Cb", "a   b"},
		{"forward ends at the edge", "\x1b[999Cx", strings.Repeat(" ", 119) + "x"},
		{"clear", "old\nlines\n\x1b[H\x1b[2Jnew\n", "new\n"},
		{"clear below", "a\nb\nc\x1b[H\x1b[Jx", "x"},
		{"delete characters", "abcdef\r\x1b[2P", "cdef"},
		{"insert characters", "abc\r\x1b[2@", "  abc"},
		{"erase characters", "abcd\r\x1b[2X", "  cd"},
		{"insert line", "a\nb\x1b[Lx", "a\n x\nb"},
		{"delete line", "a\nb\nc\x1b[2A\x1b[M", "b\nc"},
		{"repeat", "-\x1b[4b", "-----"},
		{"save and restore", "ab\x1b7cd\x1b8X", "abXd"},
		{"reverse line feed", "a\nb\x1bM\rX", "X\nb"},
		{"tabs stay", "\tif x {\n\t\ty\n", "\tif x {\n\t\ty\n"},
		{"tab over text", "abcdefghij\r\tX", "abcdefghXj"},
		{"text over a tab", "\tx\rab", "ab      x"},
		{"wide", "日本\rx", "x 本"},
		{"half of wide", "日本\x1b[2GX", " X本"},
		{"combining", "e\u0301x\by", "e\u0301y"},
		{"combining overwritten", "e\u0301\ra", "a"},
		{"emoji", "👩\u200d🚀 ok", "👩\u200d🚀 ok"},
		{"no wrap", strings.Repeat("x", 300), strings.Repeat("x", 300)},
		{"alternate screen", "a\x1b[?1049h\x1b[2Jvim\x1b[?1049lb", "ab"},
		{"title", "a\x1b]0;title ✓\ab", "ab"},
		{"title by ST", "a\x1b]0;title\x1b\\b", "ab"},
		{"link", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"device control", "a\x1bPq#0;2\x1b\\b", "ab"},
		{"other strings", "a\x1b_x ü\x1b\\b\x1b^y\x1b\\c\x1bXz\x1b\\d", "abcd"},
		{"cancelled sequence", "a\x1b[3\x18b", "ab"},
		{"control inside a sequence", "ab\x1b[\b2CX", "ab X"},
		{"text in the middle of a sequence", "a\x1b[3üb", "aüb"},
		{"not UTF-8", "a\xffb\xc3", "a\ufffdb"},
		{"C1", "a\u009b31mb\x9b", "a31mb\ufffd"},
		{"scrolling region", "\x1b[1;39r\x1b[40;1Hbar\x1b[39;1Hone\ntwo\n", strings.Repeat("\n", 38) + "one\ntwo\n\nbar"},
		{"unknown", "a\x1b[>4;1mb\x1b[?25lc\x1b(0d", "abcd"},
		{"huge numbers", "a\x1b[99999999999999999999Bb", "a" + strings.Repeat("\n", 39) + " b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := show(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// The last 50 lines can be rewritten, older ones are final (behaviour 237).
func TestFiftyLinesCanBeRewritten(t *testing.T) {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "%d\n", i)
	}
	lines := strings.Split(show(b.String()+"\x1b[49AX"), "\n")
	if lines[10] != "10" || lines[11] != "X1" {
		t.Errorf("got %q", lines[9:13])
	}
	lines = strings.Split(show(b.String()+"\x1b[99AX"), "\n")
	if lines[10] != "10" || lines[11] != "X1" {
		t.Errorf("got %q", lines[9:13])
	}
}

func limited(limit uint64) *Terminal { return newTerminal(Spec{Limit: &limit}, Options{}, nil) }

// Output keeps its last bytes, at a character boundary (behaviour 85).
func TestOutputLimit(t *testing.T) {
	for _, tt := range []struct {
		in        string
		limit     uint64
		want      string
		truncated bool
	}{
		{"0123456789äöü", 10, "6789äöü", true},
		{"0123456789", 10, "0123456789", false},
		{"€€€", 8, "€€", true},
		{"x\ny\n", 2, "y\n", true},
		{"\x1b[31m0123456789\x1b[0m", 10, "0123456789", false},
		{"99%\r100%\n", 5, "100%\n", false},
		{"x", 0, "", true},
		{"", 0, "", false},
		{"\x1b[31m", 0, "", false},
		{"€", 2, "", true},
	} {
		term := limited(tt.limit)
		term.Feed([]byte(tt.in))
		if got, truncated, _ := term.Output(); got != tt.want || truncated != tt.truncated {
			t.Errorf("%q, limit %d: got %q, %v", tt.in, tt.limit, got, truncated)
		}
	}
}

// What is kept of a long output begins with a whole character, wherever the limit is (behaviour 131).
func TestLimitsAreBetweenCharacters(t *testing.T) {
	lines := strings.Repeat("€ä\n", 5*maxRows)
	for limit := range 8 * maxRows {
		for _, in := range []string{lines, lines + strings.Repeat("é", maxCells) + "\n" + strings.Repeat("\n", maxRows), strings.Repeat("é", maxCells+1)} {
			term := limited(uint64(limit))
			term.Feed([]byte(in))
			got, truncated, _ := term.Output()
			if !utf8.ValidString(got) || len(got) > limit || len(got) < limit-2 && limit < len(in) || !strings.HasSuffix(in, got) || !truncated {
				t.Fatalf("limit %d: got %q, %v", limit, got, truncated)
			}
			term.Shrink(limit / 2)
			if got, _, _ := term.Output(); !utf8.ValidString(got) || len(got) > limit/2 {
				t.Fatalf("limit %d, shrunk: got %q", limit, got)
			}
		}
	}
}

// Output equals that of a terminal that keeps everything and gets its input at once (behaviour 131).
func TestOutputProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1500 {
		checkOutput(t, randomOutput(r, r.IntN(2000)), uint64(r.IntN(300)), r)
	}
}

func checkOutput(t *testing.T, in []byte, limit uint64, r *rand.Rand) {
	t.Helper()
	whole, cut := limited(maxLimit), limited(limit)
	whole.Feed(in)
	for rest := in; len(rest) > 0; {
		n := 1 + r.IntN(min(len(rest), 40))
		cut.Feed(rest[:n])
		rest = rest[n:]
	}
	whole.Exit(ExitStatus{})
	cut.Exit(ExitStatus{})
	full, lost, _ := whole.Output()
	got, truncated, _ := cut.Output()
	if !utf8.ValidString(got) || uint64(len(got)) > limit {
		t.Fatalf("limit %d: got %q", limit, got)
	}
	if !strings.HasSuffix(full, got) || truncated != (lost || len(got) < len(full)) || truncated && !lost && uint64(len(got)+4) <= limit {
		t.Fatalf("input %q, limit %d: got %q, %v; all is %q", in, limit, got, truncated, full)
	}
}

var pieces = []string{
	"text", "\n", "\r\n", "\r", "\b", "\t", "ä", "€", "日本", "👩\u200d🚀", "e\u0301", "\x1b[2J", "\x1b[H", "\x1b[5A", "\x1b[3B",
	"\x1b[4C", "\x1b[2D", "\x1b[K", "\x1b[1K", "\x1b[L", "\x1b[M", "\x1b[2P", "\x1b[3@", "\x1b[X", "\x1b[2S", "\x1b[2T", "\x1b[9b",
	"\x1b[31m", "\x1b]0;t\a", "\x1b]8;;u\x1b\\", "\x1b[?1049h", "\x1b[?1049l", "\x1b7", "\x1b8", "\x1bM", "\x1bc", "\x1b", "\x9b", "\xff", "\xe2\x82",
	"\x1b[3;20r", "\x1b[10;10H", "\x1b[1;5r", "\x1bPq", "\x1b\\", "\x18", "\x00", "\x1b[c", "\x1b[6n", "\x1b[?25h", "\x1b[?2004h",
}

// randomOutput is bytes and what programs print, torn and mixed.
func randomOutput(r *rand.Rand, n int) []byte {
	var out []byte
	for len(out) < n {
		if r.IntN(10) == 0 {
			out = append(out, byte(r.IntN(256)))
			continue
		}
		out = append(out, pieces[r.IntN(len(pieces))]...)
	}
	return out[:n]
}

func FuzzOutput(f *testing.F) {
	for i, p := range pieces {
		f.Add([]byte(p+"x"+pieces[len(pieces)-1-i]), uint16(i), uint64(i))
	}
	f.Fuzz(func(t *testing.T, in []byte, limit uint16, seed uint64) {
		checkOutput(t, in, uint64(limit), rand.New(rand.NewPCG(seed, 0)))
	})
}

// The memory of a screen is bounded, whatever it is fed (behaviour 132).
func TestMemoryIsBounded(t *testing.T) {
	for _, tt := range []struct{ name, in string }{
		{"one line", "xxxxxxxxxxxxxxxx"},
		{"lines", "xxxxxxxxxxxxxxx\n"},
		{"one line of wide characters", "日本語日本語"},
		{"combining characters", "\u0301\u0302"},
		{"an endless title", "\x1b]0;xxxxxxxxx"},
		{"an endless device control", "\x1bPqxxxxxxxx"},
		{"an endless sequence", "\x1b[1;1;1;1;1;"},
		{"lines that are inserted", "xxx\x1b[L\x1b[99@"},
		{"cursor movement", "\x1b[4096C\x1b[4096Bx\t"},
		{"modes", "\x1b[?1h\x1b[?2l\x1b[?12345h"},
		{"empty lines", "\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			term := newTerminal(Spec{}, Options{}, nil)
			chunk := []byte(strings.Repeat(tt.in, 64<<10/len(tt.in)))
			if strings.HasPrefix(tt.name, "an endless") {
				chunk = append(chunk[:2], []byte(strings.Repeat(tt.in[2:], 64<<10/len(tt.in)))...)
			}
			for range 5 << 19 / len(chunk) {
				term.Feed(chunk)
				if strings.HasPrefix(tt.name, "an endless") {
					chunk[0], chunk[1] = tt.in[2], tt.in[2]
				}
			}
			s := term.screen
			for _, r := range s.rows {
				if len(r.cells) > maxCells+maxCount || len(r.marks) > maxCells {
					t.Errorf("a line of %d cells", len(r.cells))
				}
			}
			if len(s.rows) > maxRows || cap(s.done.buf) > 6*defaultLimit || cap(term.log.buf) > 4*history {
				t.Errorf("%d rows, %d bytes of text, %d of stream", len(s.rows), cap(s.done.buf), cap(term.log.buf))
			}
			if c := cap(term.scanner.seq); c > 4*maxSequence {
				t.Errorf("%d bytes of a sequence", c)
			}
		})
	}
}

func TestTail(t *testing.T) {
	term := NewDisplay(Options{})
	if got := term.Tail(3); len(got) != 0 {
		t.Errorf("empty: got %q", got)
	}
	term.Feed([]byte("1\n2\n\n4\n"))
	for n, want := range [][]string{{}, {"4"}, {"", "4"}, {"2", "", "4"}, {"1", "2", "", "4"}, {"1", "2", "", "4"}} {
		if got := term.Tail(n); !slices.Equal(got, want) {
			t.Errorf("Tail(%d): got %q, want %q", n, got, want)
		}
	}
	term.Feed([]byte(strings.Repeat("x\n", 100) + "\x1b[31mlast"))
	if got, want := term.Tail(2), []string{"x", "last"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func BenchmarkFeed(b *testing.B) {
	for _, tt := range []struct{ name, in string }{
		{"lines", "a line of text as commands print it, of some length\r\n"},
		{"colours", "\x1b[32mok\x1b[0m  \x1b[1mpackage\x1b[0m 0.01s\r\n"},
		{"wide", "日本語の文字がここにある\r\n"},
		{"short lines", "y\r\n"},
		{"one line", "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"},
	} {
		b.Run(tt.name, func(b *testing.B) {
			chunk := []byte(strings.Repeat(tt.in, 64<<10/len(tt.in)))
			t := newTerminal(Spec{}, Options{}, nil)
			b.SetBytes(int64(len(chunk)))
			for b.Loop() {
				t.feed(chunk)
			}
		})
	}
}
