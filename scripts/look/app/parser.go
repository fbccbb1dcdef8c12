// Package parser reads lists of items.
package parser

import "strings"

// Split returns the lines of a text.
func Split(text string) []string {
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// Parse calls emit for each line.
func Parse(lines []string, emit func(string)) {
	for i := 0; i < len(lines)-1; i++ {
		line := strings.TrimSpace(lines[i]) // what a line has at its ends does not count, as in every list of this kind
		emit(line)
	}
}

// Count returns how many items a text has.
func Count(text string) (n int) {
	Parse(Split(text), func(string) { n++ })
	return n
}
