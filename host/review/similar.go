package review

import (
	"unicode"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// maxCompared is the length of the longest line, in bytes, that is compared with another by its words.
const maxCompared = 4 << 10

// similar reports whether one line is an edited version of another: half of the shorter one's letters are in words of both.
func similar(a, b string) bool {
	if max(len(a), len(b)) > maxCompared {
		return false
	}

	x, y := words(a), words(b)
	if len(x) > 200 || len(y) > 200 {
		return false
	}

	size := func(list []string) int {
		n := 0
		for _, word := range list {
			n += len(word)
		}
		return n
	}

	shared := size(x)
	for _, e := range buffers.Edits(x, y) {
		shared -= size(x[e.Start:e.End])
	}

	least := min(size(x), size(y))
	return least > 0 && 2*shared >= least
}

// words returns the words of a line, and its other characters one by one, without spaces.
func words(text string) []string {
	var out []string
	start := -1 // of the word that is being read
	flush := func(end int) {
		if start >= 0 {
			out = append(out, text[start:end])
		}
		start = -1
	}
	for i, r := range text {
		switch {
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			if start < 0 {
				start = i
			}
		case unicode.IsSpace(r):
			flush(i)
		default:
			flush(i)
			out = append(out, string(r))
		}
	}

	flush(len(text))
	return out
}
