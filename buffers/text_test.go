package buffers

import (
	"errors"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name, content, lines string
		eol, crlf, bom       bool
	}{
		{"empty", "", "", false, false, false},
		{"only a mark", "\ufeff", "", false, false, true},
		{"one empty line", "\n", "", true, false, false},
		{"final newline", "a\nb\n", "a|b", true, false, false},
		{"no final newline", "a\nb", "a|b", false, false, false},
		{"CRLF", "a\r\nb\r\n", "a|b", true, true, false},
		{"CRLF, no final newline", "a\r\nb", "a|b", false, true, false},
		{"mixed stays as it is", "a\r\nb\n", "a\r|b", true, false, false},
		{"mark", "\ufeffa\n", "a", true, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Parse(tt.content)
			if l := strings.Join(got.Lines, "|"); l != tt.lines || got.EOL != tt.eol || got.CRLF != tt.crlf || got.BOM != tt.bom {
				t.Errorf("got %+v", got)
			}
			if s := got.String(); s != tt.content {
				t.Errorf("String() = %q, want %q", s, tt.content)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "\n", "a\r\nb", "\ufeff\r\n", "a\r\r\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) {
		if got := Parse(content).String(); got != content {
			t.Errorf("got %q, want %q", got, content)
		}
	})
}

// sliceTests has -1 for an absent value; last is the line an error names.
var sliceTests = []struct {
	name, content string
	line, limit   int
	want          string
	last          int
}{
	{"line", "one\ntwo\nthree\nfour\n", 3, -1, "three\nfour\n", -1},
	{"limit", "one\ntwo\nthree\nfour\n", -1, 2, "one\ntwo\n", -1},
	{"line and limit", "one\ntwo\nthree\nfour\n", 2, 2, "two\nthree\n", -1},
	{"beyond", "one\ntwo\nthree\nfour\n", 6, -1, "", 4},
	{"line 0 is line 1", "one\ntwo\n", 0, 1, "one\n", -1},
	{"after the last", "one\ntwo\nthree\nfour\n", 5, -1, "", -1},
	{"after the last without newline", "one\ntwo", 3, -1, "", -1},
	{"beyond without newline", "one\ntwo", 4, -1, "", 2},
	{"last without newline", "one\ntwo", 2, 5, "two", -1},
	{"limit 0", "one\n", -1, 0, "", -1},
	{"limit 0 beyond", "one\n", 9, 0, "", 1},
	{"empty, line 1", "", 1, -1, "", -1},
	{"empty, line 5", "", 5, -1, "", 0},
	{"CRLF stays", "a\r\nb\r\n", 1, 1, "a\r\n", -1},
	{"all", "a\nb", -1, -1, "a\nb", -1},
}

func number(n int) *uint32 {
	if n < 0 {
		return nil
	}
	u := uint32(n)
	return &u
}

// Lines are selected from 1, and a line after the end is an error with the last one (behaviours 25, 26, 209).
func TestSlice(t *testing.T) {
	for _, tt := range sliceTests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Slice(tt.content, number(tt.line), number(tt.limit))
			checkSlice(t, got, err, tt.want, tt.last)
		})
	}
}

func checkSlice(t *testing.T, got string, err error, want string, last int) {
	t.Helper()
	if last < 0 {
		if got != want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
		return
	}
	var out *RangeError
	if !errors.As(err, &out) || !errors.Is(err, ErrRange) || out.Last != last {
		t.Errorf("got %q, %v, want an error that names line %d", got, err, last)
	}
}
