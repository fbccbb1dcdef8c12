//go:build !race

package tests

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A program in a story that takes more than a line of 160 columns is a file of its own: dofile("name.lua").
func TestStoryLines(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		script, _, _ := strings.Cut(read(t, "tests/"+file), "\n-- ")
		for i, line := range strings.Split(script, "\n") {
			word, _, _ := strings.Cut(line, " ")
			if slices.Contains([]string{"lua", "config", "until", "#"}, word) && len(line) > 160 {
				t.Errorf("%s:%d has %d columns, more than 160", file, i+1, len(line))
			}
		}
	}
}

// What a story expects of an output is not met by every output: "^$" matches behind the last end of a line of any.
func TestStoryExpectations(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		script, _, _ := strings.Cut(read(t, "tests/"+file), "\n-- ")
		for i, line := range strings.Split(script, "\n") {
			word, pattern, _ := strings.Cut(line, " ")
			if word != "stdout" && word != "stderr" {
				continue
			}
			re, err := regexp.Compile("(?m)" + strings.Trim(pattern, "'"))
			if err == nil && re.MatchString("\x01\n") {
				t.Errorf("%s:%d is met by any output: to expect none, write ! %s .", file, i+1, word)
			}
		}
	}
}
