package transcript

import "testing"

// A turn's end is broken between its parts, never within one (behaviour 1231).
func TestTurnEndIsBrokenBetweenParts(t *testing.T) {
	const text = "1 file +2 −3 · $0.04 · 12 k tokens"
	for _, test := range []struct {
		name  string
		width int
		want  string
	}{
		{"all of it fits", 36, text},
		{"the last part does not", 35, "1 file +2 −3 · $0.04" + "             " + "  12 k tokens"},
		{"each has a row", 16, "1 file +2 −3" + "  " + "  $0.04" + "         " + "  12 k tokens"},
		{"one is longer than a row", 8, "1 file +2 −3" + "  $0.04" + " " + "  12 k tokens"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := hung(text, " · ", 2, test.width); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
