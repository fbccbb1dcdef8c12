package terminal

import (
	"strings"
	"testing"
)

// Dropped output is reported also where the rest would fit, because the command has cleared its screen since
// (behaviour 85).
func TestDroppedIsSaid(t *testing.T) {
	const limit = 10
	term := limited(limit)
	term.Feed([]byte(strings.Repeat(strings.Repeat("x", 30)+"\n", 80) + "\x1b[50A\x1b[J"))
	text, truncated, _ := term.Output()
	if !truncated || len(text) != limit {
		t.Errorf("got %q, truncated %t", text, truncated)
	}
	if said, _ := term.State(); !said {
		t.Errorf("State says that nothing is missing")
	}
}

// A repetition is written out for a view; nothing is repeated where there is nothing, and nothing is longer than a screen (behaviour 805).
func TestRepetition(t *testing.T) {
	for _, tt := range []struct{ name, sent, want string }{
		{"nothing", "\x1b[9b", ""},
		{"a mark alone", "\u0301\x1b[9b", "\u0301"},
		{"a letter", "ab\x1b[3b", "abbbb"},
		{"without a number", "ab\x1b[b", "abb"},
		{"a wide one", "世\x1b[2b", "世世世"},
		{"private", "a\x1b[?3b", "a"},
		{"a screen at most", "a\x1b[99999b", "a" + strings.Repeat("a", min(maxCount, defaultRows*defaultCols))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			term := NewDisplay(Options{})
			view := term.View()
			defer view.Close()
			term.Feed([]byte(tt.sent))
			if got, _ := view.Next(1 << 20); string(got) != tt.want {
				t.Errorf("got %d bytes: %.40q, want %d: %.40q", len(got), got, len(tt.want), tt.want)
			}
		})
	}
}

// A control sequence that is too long is dropped, and the next one is passed on.
func TestLongSequence(t *testing.T) {
	term := NewDisplay(Options{})
	view := term.View()
	defer view.Close()
	term.Feed([]byte("a\x1b[" + strings.Repeat("1;", maxSequence) + "mb\x1b[31mc"))
	if got, _ := view.Next(1 << 20); string(got) != "ab\x1b[31mc" {
		t.Errorf("got %.80q", got)
	}
}
