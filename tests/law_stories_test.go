//go:build !race

package tests

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A program in a story that takes more than a line of 160 columns is a file of its own: dofile("name.lua").
func TestStoryLines(t *testing.T) {
	eachStoryLine(t, func(at, word, line string) {
		if slices.Contains([]string{"lua", "config", "until", "#"}, word) && len(line) > 160 {
			t.Errorf("%s has %d columns, more than 160", at, len(line))
		}
	})
}

// What a story expects of an output is not met by every output: "^$" matches behind the last end of a line of any.
func TestStoryExpectations(t *testing.T) {
	eachStoryLine(t, func(at, word, line string) {
		if word != "stdout" && word != "stderr" {
			return
		}
		re, err := regexp.Compile("(?m)" + strings.Trim(strings.TrimPrefix(line, word+" "), "'"))
		if err == nil && re.MatchString("\x01\n") {
			t.Errorf("%s is met by any output: to expect none, write ! %s .", at, word)
		}
	})
}

// eachStoryLine calls a function with each line of the stories' scripts: where it is, and its first word.
func eachStoryLine(t *testing.T, do func(at, word, line string)) {
	t.Helper()
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		script, _, _ := strings.Cut(read(t, "tests/"+file), "\n-- ")
		for i, line := range strings.Split(script, "\n") {
			word, _, _ := strings.Cut(line, " ")
			do(fmt.Sprintf("%s:%d", file, i+1), word, line)
		}
	}
}
