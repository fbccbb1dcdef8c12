package tests

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

var (
	luaMessage = regexp.MustCompile(`(?:\bmessage"\)|\bmessage(?:\(\))?)\.(?:info|warn|error)\(\s*\(?"((?:[^"\\]|\\.)*)"`)
	goMessage  = regexp.MustCompile(`\b[sS]ay\("(?:info|warn|error)", (?:fmt\.Sprintf\()?"((?:[^"\\]|\\.)*)"`)
)

// TestMessagesNarrow finds messages whose first clause is longer than the 48 cells that a screen of 60 columns has for one, so that what
// matters would not be seen (behaviour 1328).
func TestMessagesNarrow(t *testing.T) {
	t.Parallel()
	n := 0
	look := func(path string, message *regexp.Regexp) {
		for _, found := range message.FindAllStringSubmatch(read(t, path), -1) {
			n++
			clause, _, _ := strings.Cut(found[1], "; ")
			clause, _, _ = strings.Cut(clause, ": ")
			if cells := utf8.RuneCountInString(clause); cells > 48 {
				t.Errorf("%s: %d cells before the first colon or semicolon, want 48 at most: %q", path, cells, found[1])
			}
		}
	}
	for _, path := range luaFiles(t) {
		look(path, luaMessage)
	}
	for _, path := range goFiles(t, "host") {
		look(path, goMessage)
	}
	if n < 150 {
		t.Errorf("%d messages found, want 150 at least", n)
	}
}
