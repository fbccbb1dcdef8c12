package buffers

import (
	"slices"
	"strings"
	"testing"
)

// An agent that has read a part of a file again has the new text of that part and the old text of the rest
// (behaviour 206).
func TestSeen(t *testing.T) {
	tests := []struct {
		name, known, now string
		first, count     int
		want             string
	}{
		{"nothing has changed", "a b c", "a b c", 0, 2, "a b c"},
		{"a line within", "a b c", "a b x c", 2, 1, "a b x c"},
		{"a line above", "a b c", "x a b c", 2, 2, "a b c"},
		{"a line below", "a b c", "a b c x", 0, 2, "a b c"},
		{"one of two", "a b c", "a x y b c", 1, 1, "a x b c"},
		{"deleted within", "a b c d", "a d", 0, 2, "a d"},
		{"deleted elsewhere", "a b c d e", "a b c d", 0, 2, "a b c d e"},
		{"changed within and above", "a b c d", "x b c y", 3, 1, "a b c y"},
		{"beyond the end", "a b", "a b x", 1, 100, "a b x"},
	}
	for _, tt := range tests {
		got := Seen(strings.Fields(tt.known), strings.Fields(tt.now), tt.first, tt.count)
		if want := strings.Fields(tt.want); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, want)
		}
	}
}
