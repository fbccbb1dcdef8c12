package edit

import (
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/highlight"
)

func TestTabs(t *testing.T) {
	for _, test := range []struct {
		name, text string
		words      []highlight.Span
		want       string
	}{
		{"none", "a b", nil, "a b"},
		{"first", "\tx", nil, "    x"},
		{"after a letter", "ab\tx", nil, "ab  x"},
		{"at a stop", "abcd\tx", nil, "abcd    x"},
		{"after wide characters", "日\tx", nil, "日  x"},
		{"after a wide one and a letter", "日a\tx", nil, "日a x"},
		{"after one that takes no cell", "e\u0301\tx", nil, "e\u0301   x"},
		{"two", "日\t日\tx", nil, "日  日  x"},
		{"in another piece", "日本\tx", []highlight.Span{{From: 0, To: 3, Group: "Word"}}, "日本    x"},
		{"in pieces of a line that is cut", strings.Repeat("a", longest+9), []highlight.Span{{From: longest - 1, To: longest + 9, Group: "Word"}}, strings.Repeat("a", longest)},
		{"after a wide piece", "日\tx", []highlight.Span{{From: 0, To: 3, Group: "Word"}}, "日  x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b strings.Builder
			for _, chunk := range lineOf(test.text, nil, test.words, 4) {
				b.WriteString(chunk.Text)
			}
			if got := b.String(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
