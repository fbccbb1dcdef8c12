// Package linestest makes random texts for tests of what compares, merges and edits lines.
package linestest

import (
	"math/rand/v2"
	"slices"
)

// Random returns n lines of so many kinds; those of a kind are equal.
func Random(r *rand.Rand, n, kinds int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = string(rune('a' + r.IntN(kinds)))
	}
	return lines
}

// Edited returns lines with up to three places replaced, deleted or inserted, or none. At least one line stays.
func Edited(r *rand.Rand, base []string, kinds int) []string {
	lines := slices.Clone(base)
	for range r.IntN(4) {
		from := r.IntN(len(lines) + 1)
		to := min(from+r.IntN(4), len(lines))
		lines = slices.Replace(lines, from, to, Random(r, r.IntN(3), kinds)...)
		if len(lines) == 0 {
			lines = Random(r, 1, kinds)
		}
	}
	return lines
}
