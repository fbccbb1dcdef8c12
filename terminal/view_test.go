package terminal

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// shown is all that a view has to show now, read in chunks of at most max bytes.
func shown(t *testing.T, v *View, max int) string {
	t.Helper()
	var out []byte
	for {
		chunk, skipped := v.Next(max)
		if skipped {
			t.Error("skipped")
		}
		if len(chunk) == 0 {
			return string(out)
		}
		out = append(out, chunk...)
	}
}

// The filter passes styling and cursor movement, and drops everything that acts outside of the view (behaviour 224).
func TestFilter(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"text", "aä€😀\r\n\t\b", "aä€😀\r\n\t\b"},
		{"colours", "\x1b[1;38:2::1:2:3mx\x1b[m", "\x1b[1;38:2::1:2:3mx\x1b[m"},
		{"cursor and erase", "\x1b[2J\x1b[3;4H\x1b[K\x1bM", "\x1b[2J\x1b[3;4H\x1b[K\x1bM"},
		{"the cursor saved and restored", "\x1b7a\x1b8\x1b[sb\x1b[u", "\x1b7a\x1b[?1048l\x1b7b\x1b[?1048l"},
		{"format characters", "a\u200b\u200db\ufeff", "ab"},
		{"a repetition behind a format character", "\u202ea\u200d\x1b[2b", "aaa"},
		{"marks", "e\u0301❤\ufe0f", "e\u0301❤\ufe0f"},
		{"scrolling regions", "\x1b[1;9r\x1b[5;9r\x1b[;7r\x1b[r", "\x1b[1;9r\x1b[r\x1b[1;7r\x1b[r"},
		{"modes", "\x1b[?1049h\x1b[?25l\x1b[4h\x1b[!p\x1b[2 q", "\x1b[?1049h\x1b[?25l\x1b[4h\x1b[!p\x1b[2 q"},
		{"line drawing", "\x1b(0qqq\x1b(B", "\x1b(0qqq\x1b(B"},
		{"link", "\x1b]8;;http://x/\ay\x1b]8;;\x1b\\", "\x1b]8;;http://x/\x1b\\y\x1b]8;;\x1b\\"},
		{"link with an escape", "\x1b]8;;a\x05b\x1b[31m", "\x1b]8;;ab\x1b\\\x1b[31m"},
		{"title and notifications", "a\x1b]0;t ✓\ab\x1b]9;n\x1b\\c\x1b]777;n\ad", "abcd"},
		{"clipboard", "a\x1b]52;c;aGk=\ab", "ab"},
		{"device control and others", "a\x1bPq1\x1b\\b\x1b_x\x1b\\c\x1b^x\x1b\\d\x1bXx\x1b\\e", "abcde"},
		{"a string within a string", "\x1bPtmux;\x1b\x1b]52;c;aGk=\a\x1b\\x", "x"},
		{"queries", "a\x1b[c\x1b[>c\x1b[=c\x1b[5n\x1b[6n\x1b[?6nb\x1b[>q\x1b[?2026$p\x1b[18t\x1b]11;?\ac", "abc"},
		{"window operations and printing", "\x1b[22;0t\x1b[8;1;1t\x1b[5i\x1b[21tx", "x"},
		{"key protocols", "\x1b[>1u\x1b[?u\x1b[<u\x1b[>4;2m\x1b[?4mx", "x"},
		{"held drawing", "\x1b[?2026hx\x1b[?2026l", "x"},
		{"bell and C1", "\ax\u009b31m\x9b\x1b[3\xc3\xa4", "x31m\ufffdä"},
		{"control inside a sequence", "\x1b[3\r1mx", "\r\x1b[31mx"},
		{"too long", "\x1b[" + strings.Repeat("1;", 300) + "mx", "x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			term := NewDisplay(Options{})
			v := term.View()
			term.feedLocked([]byte(tt.in))
			if got := shown(t, v, 1000); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFilterPassesTheClipboardIfWanted(t *testing.T) {
	term := NewDisplay(Options{OSC52: true})
	v := term.View()
	term.Feed([]byte("\x1b]52;c;aGk=\a\x1b]52;c;?\a"))
	if got, want := shown(t, v, 1000), "\x1b]52;c;aGk=\x1b\\"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// harmless checks that a stream has nothing but what a view may get, by cutting it into units.
func harmless(stream []byte) error {
	if !utf8.Valid(stream) {
		return fmt.Errorf("not UTF-8")
	}
	for len(stream) > 0 {
		n := unitLen(stream)
		u := string(stream[:n])
		stream = stream[n:]
		last := u[len(u)-1]
		switch {
		case u[0] != '\x1b':
			r, _ := utf8.DecodeRuneInString(u)
			if r < 0x20 && !strings.ContainsRune(viewControls, r) || r >= 0x7f && r < 0xa0 || unicode.Is(format, r) {
				return fmt.Errorf("character %q", u)
			}
		case strings.HasPrefix(u, "\x1b]8;"):
			if !strings.HasSuffix(u, "\x1b\\") || !printable([]byte(u[1:len(u)-2])) {
				return fmt.Errorf("link %q", u)
			}
		case strings.HasPrefix(u, "\x1b["):
			if strings.ContainsAny(u[2:], "\x1b<=>") || last < 0x40 || strings.ContainsRune("cnti", rune(last)) {
				return fmt.Errorf("control function %q", u)
			}
		case !slices.Contains(viewEscapes, u[1:]):
			return fmt.Errorf("escape %q", u)
		}
	}
	return nil
}

// The filter's output is harmless for any input, and the same for every split of it (behaviour 224).
func TestFilterProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		checkFilter(t, randomOutput(r, r.IntN(500)), r)
	}
}

func FuzzFilter(f *testing.F) {
	for i, p := range pieces {
		f.Add([]byte(p+"x"+pieces[len(pieces)-1-i]), uint64(i))
	}
	f.Fuzz(func(t *testing.T, in []byte, seed uint64) { checkFilter(t, in, rand.New(rand.NewPCG(seed, 0))) })
}

func checkFilter(t *testing.T, in []byte, r *rand.Rand) {
	t.Helper()
	whole, cut := NewDisplay(Options{}), NewDisplay(Options{})
	v, w := whole.View(), cut.View()
	whole.feedLocked(in)
	want := shown(t, v, 1<<20)
	var read []byte // into which each part is read after the other
	for len(in) > 0 {
		n := 1 + r.IntN(len(in))
		read = append(read[:0], in[:n]...)
		cut.feedLocked(read)
		in = in[n:]
	}
	var got []byte
	for {
		chunk, _ := w.Next(1 + r.IntN(30))
		if len(chunk) == 0 {
			break
		}
		if err := harmless(chunk); err != nil {
			t.Fatal(err)
		}
		got = append(got, chunk...)
	}
	if string(got) != want {
		t.Fatalf("in parts %q, at once %q", got, want)
	}
}

func TestAnswers(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"\x1b[c", "\x1b[?62;22c"},
		{"\x1b[0c", "\x1b[?62;22c"},
		{"\x1b[?62;22c", ""},
		{"\x1b[>c", "\x1b[>0;100;0c"},
		{"\x1b[5n", "\x1b[0n"},
		{"ab\r\nc\x1b[6n", "\x1b[2;2R"},
		{"\x1b[3;7H\x1b[?6n", "\x1b[?3;7R"},
		{strings.Repeat("\r\n", 100) + "\x1b[6n", "\x1b[40;1R"},
		{"\x1b[>q", "\x1bP>|nvim-acp\x1b\\"},
		{"\x1b[?2026$p", "\x1b[?2026;0$y"},
		{"\x1b[18t", "\x1b[8;40;120t"},
		{"\x1b]11;?\a", "\x1b]11;rgb:0000/0000/0000\x1b\\"},
		{"\x1b]10;?\x1b\\", "\x1b]10;rgb:d0d0/d0d0/d0d0\x1b\\"},
		{"\x1b]4;15;?\a", "\x1b]4;15;rgb:ffff/ffff/ffff\x1b\\"},
		{"\x1b]11;red\a", ""},
		{"\x1bP$qm\x1b\\", "\x1bP0$r\x1b\\"},
		{"\x1bP+q544e\x1b\\", "\x1bP0+r\x1b\\"},
	} {
		p := &process{input: newOutbox()}
		newTerminal(Spec{}, Options{}, p).feed([]byte(tt.in))
		if got := string(p.input.buf); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestViewsAreIndependent(t *testing.T) {
	term := NewDisplay(Options{})
	a := term.View()
	term.Feed([]byte("one\n"))
	b := term.View() // begins with what was
	if got := shown(t, a, 10) + shown(t, b, 10); got != "one\r\none\r\n" {
		t.Errorf("got %q", got)
	}
	for _, v := range []*View{a, b} {
		select {
		case <-v.Poke():
		default:
		}
	}
	a.Close()
	term.Feed([]byte("two\n"))
	if len(a.Poke()) != 0 || len(b.Poke()) != 1 {
		t.Error("a closed view was poked, or the other not")
	}
}

func TestViewPokesAtTheEnd(t *testing.T) {
	term := NewDisplay(Options{})
	v := term.View()
	<-v.Poke()
	term.Exit(ExitStatus{Signal: "SIGKILL"})
	select {
	case <-v.Poke():
	case <-time.After(10 * time.Second):
		t.Error("no poke at the end")
	}
}

func TestViewSkips(t *testing.T) {
	term := NewDisplay(Options{})
	v := term.View()
	term.Feed([]byte("\x1b[?2004h\x1b[31m"))
	for i := range 100000 {
		term.Feed(fmt.Appendf(nil, "\x1b[32mline %d €\x1b[0m\n", i))
	}
	chunk, skipped := v.Next(8192)
	if !skipped || len(chunk) > 8192 {
		t.Fatalf("got %d bytes, skipped %v", len(chunk), skipped)
	}
	if lead := "\x1b]8;;\x1b\\\x1b[m\x1b[r\r\n\x1b[?2004h\x1b[32mline "; !strings.HasPrefix(string(chunk), lead) {
		t.Errorf("begins %q", chunk[:60])
	}
	rest := shown(t, v, 8192)
	if n := len(chunk) + len(rest); n > keepBacklog+100 || n < keepBacklog-5000 {
		t.Errorf("%d bytes after the skip", n)
	}
	if !strings.HasSuffix(rest, "\x1b[32mline 99999 €\x1b[0m\r\n") {
		t.Errorf("ends %q", rest[len(rest)-60:])
	}
	// A new view gets all that is kept.
	if past := shown(t, term.View(), 8192); len(past) < history {
		t.Errorf("a new view begins with %d bytes", len(past))
	}
}

// For Feed and Next in any order, every chunk is complete and harmless, and without a skip nothing is missing.
func TestViewProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 6 {
		term := NewDisplay(Options{})
		v := term.View()
		for range 30 {
			term.feedLocked(bytes.Repeat(randomOutput(r, 100), r.IntN(600)))
			for range r.IntN(4) {
				chunk, _ := v.Next(1 + r.IntN(20000))
				if err := harmless(chunk); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
