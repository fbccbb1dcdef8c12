package moves

import (
	"fmt"
	"strings"
	"testing"
)

// TestInOrder plays the steps of renames: each text comes to its new name, and none is replaced before it has gone (behaviour 1377).
func TestInOrder(t *testing.T) {
	for _, tt := range []struct{ name, found string }{
		{"one", "a>b"},
		{"a chain", "a>b b>c c>d"},
		{"the other way", "d>c c>b b>a"},
		{"a circle", "a>b b>a"},
		{"two circles and one", "a>b b>c c>a d>e e>d f>g"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, texts, want := map[string]string{}, map[string]string{}, map[string]string{}
			for _, pair := range strings.Fields(tt.found) {
				from, to, _ := strings.Cut(pair, ">")
				found[from], texts[from], want[to] = to, from, from
			}
			for _, s := range inOrder(found) {
				if texts[s.to] != "" {
					t.Errorf("%v comes to a name that is taken", s)
				}
				texts[s.to] = texts[s.from]
				delete(texts, s.from)
			}
			if fmt.Sprint(texts) != fmt.Sprint(want) {
				t.Errorf("got %v, want %v", texts, want)
			}
		})
	}
}
