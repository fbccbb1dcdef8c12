package host

import (
	"strings"
	"testing"
)

// A text that is cut stays text, and is cut behind a line if it has lines.
func TestCutText(t *testing.T) {
	long := strings.Repeat("ä", maxEmbedded)
	if got := cutText(long); len(got) > maxEmbedded || strings.ToValidUTF8(got, "?") != got {
		t.Errorf("got %d bytes, valid %v", len(got), strings.ToValidUTF8(got, "?") == got)
	}
	if got := cutText("first\n" + long); got != "first\n" {
		t.Errorf("got %d bytes, want the first line", len(got))
	}
	if got, want := fenced("a\n```\nb\n"), "````\na\n```\nb\n````"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
