//go:build !race

package tests

import (
	"path/filepath"
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
