package transcript

import (
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// The part of a file that an agent sends is found in the file, with the change or without, and becomes whole lines with those
// around them and their numbers (behaviours 284, 523).
func TestLocated(t *testing.T) {
	file := "1\n2\n3\n4\nif len(items)-1 > 0 {\n6\n7\n8\n9\n"
	tests := []struct {
		name, file, old, new string
		near                 int
		want                 string
	}{
		{"a part of a line", file, "len(items)-1", "len(items)", 0,
			"2   2\n3   3\n4   4\n5 - if len(items)-1 > 0 {\n5 + if len(items) > 0 {\n6   6\n7   7\n8   8"},
		{"after the change", strings.Replace(file, "len(items)-1", "len(items)", 1), "len(items)-1", "len(items)", 0,
			"2   2\n3   3\n4   4\n5 - if len(items)-1 > 0 {\n5 + if len(items) > 0 {\n6   6\n7   7\n8   8"},
		{"a line", file, "7\n", "seven\n", 0, "4   4\n5   if len(items)-1 > 0 {\n6   6\n7 - 7\n7 + seven\n8   8\n9   9"},
		{"at the beginning", file, "1\n2\n", "1\n", 0, "1   1\n2 - 2\n2   3\n3   4\n4   if len(items)-1 > 0 {"},
		{"the whole file", "a\nb\n", "a\nb\n", "a\nc\n", 0, "1   a\n2 - b\n2 + c"},
		{"no line end", "a\nb", "b", "c", 0, "1   a\n2 - b\n2 + c"},
		{"removed", "a\nb\nc\n", "b\n", "", 0, "1   a\n2 - b\n2   c"},
		{"several places", "x\ny\nx\n", "x", "z", 0, ""},
		{"several, one is named", "x\ny\nx\ny\n", "x", "z", 3, "1   x\n2   y\n3 - x\n3 + z\n4   y"},
		{"two spaces for each tab", "a {\n\tif b {\n\t\tc(2)\n\t}\n}\n", "  if b {\n    c(1)\n  }", "  if b {\n    c(2)\n  }", 0,
			"1   a {\n2   \tif b {\n3 - \t\tc(1)\n3 + \t\tc(2)\n4   \t}\n5   }"},
		{"two spaces for each tab, elsewhere", "\tx\n", "  b\n", "  c\n", 0, ""},
		{"not there", "a\n", "b", "c", 0, ""},
		{"nothing but space", "a\n\nb\n", "\n", " ", 0, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			if d, first, ok := located(&acp.Diff{OldText: &test.old, NewText: test.new}, test.file, test.near); ok {
				var lines []string
				for _, l := range compare(d, around, maxViewed).lines {
					lines = append(lines, string(rune('0'+l.number+first-1))+" "+l.sign+" "+l.text)
				}
				got = strings.Join(lines, "\n")
			}
			if got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// Each two spaces of an indent become a tab: the rest of it, and spaces behind it, stay as they are.
func TestTabbed(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"a", "a"},
		{" a", " a"},
		{"  a", "\ta"},
		{"   a", "\t a"},
		{"    a  b", "\t\ta  b"},
		{"     a", "\t\t a"},
		{"\t  a", "\t  a"},
		{"a\n  b\n\n   c\n", "a\n\tb\n\n\t c\n"},
		{"a  b", "a  b"},
		{"  \n  ", "\t\n\t"},
		{" \n   \r\n", " \n\t \r\n"},
	} {
		if got := tabbed(tt.text); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}
