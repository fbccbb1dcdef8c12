package session

import (
	"strconv"
	"strings"
	"testing"
)

// What was attached to prompts is known of the latest of them, and takes a bounded amount of memory (behaviour 1638).
func TestAttachedBounds(t *testing.T) {
	for _, test := range []struct {
		name        string
		size, known int
	}{
		{"many", 10, maxAttached},
		{"large", maxAttachedBytes / 3, 3},
		{"too large", maxAttachedBytes + 1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			var q Queue
			text := strings.Repeat("x", test.size)
			const prompts = maxAttached + 50
			for i := range prompts {
				q.began(strconv.Itoa(i), Prompt{Context: []Attachment{{Name: "snippet", Text: text}}})
			}
			known := 0
			for i := range prompts {
				if len(q.Attached(strconv.Itoa(i))) == 1 {
					known++
				} else if known > 0 {
					t.Errorf("nothing is known of prompt %d, but of an earlier one", i)
				}
			}
			if known != test.known {
				t.Errorf("known of %d, want %d", known, test.known)
			}
		})
	}
}
