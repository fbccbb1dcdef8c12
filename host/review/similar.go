package review

import (
	"unicode"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// similar reports whether one line is an edited version of another: half of the shorter one's letters are in words of both.
func similar(a, b string) bool {
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
	word := ""
	flush := func() {
		if word != "" {
			out = append(out, word)
		}
		word = ""
	}
	for _, r := range text {
		switch {
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			word += string(r)
		case unicode.IsSpace(r):
			flush()
		default:
			flush()
			out = append(out, string(r))
		}
	}
	flush()
	return out
}
