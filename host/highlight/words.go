package highlight

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// maxWords is the longest line that is compared word by word.
const maxWords = 1 << 10 // bytes

// Changes compares the removed lines of a change with the added ones, word by word. The spans are the words of a line that its
// counterpart lacks, in the given groups; a line of which 40 % or more have changed has no spans.
func Changes(old, new []string, oldGroup, newGroup string) (oldSpans, newSpans [][]Span) {
	oldSpans, newSpans = make([][]Span, len(old)), make([][]Span, len(new))
	for _, p := range pairs(old, new) {
		oldSpans[p[0]], newSpans[p[1]] = differ(old[p[0]], new[p[1]], oldGroup, newGroup)
	}
	return oldSpans, newSpans
}

// pairs returns the lines that are versions of each other: one by one if there are as many as before, else similar ones, in
// their order.
func pairs(old, new []string) [][2]int {
	var out [][2]int
	if len(old) == len(new) {
		for i := range old {
			out = append(out, [2]int{i, i})
		}
		return out
	}
	if len(old)*len(new) > 400 {
		return nil
	}

	next := 0
	for i := range old {
		best, most := -1, 0.5
		for j := next; j < len(new); j++ {
			if like := alike(words(old[i]), words(new[j])); like > most {
				best, most = j, like
			}
		}
		if best >= 0 {
			out = append(out, [2]int{i, best})
			next = best + 1
		}
	}

	return out
}

// alike returns the share of two lines, from 0 to 1, that they have in common, without spaces.
func alike(a, b []string) float64 {
	var total, gone int
	for _, w := range a {
		total += weight(w)
	}

	for _, w := range b {
		total += weight(w)
	}

	if total == 0 {
		return 0
	}
	for _, e := range buffers.Edits(a, b) {
		for _, w := range a[e.Start:e.End] {
			gone += weight(w)
		}
		for _, w := range e.Lines {
			gone += weight(w)
		}
	}

	return 1 - float64(gone)/float64(total)
}

func weight(word string) int {
	if strings.TrimSpace(word) == "" {
		return 0
	}
	return len(word)
}

// differ returns the words of two versions of a line that are not in both.
func differ(old, new, oldGroup, newGroup string) (oldSpans, newSpans []Span) {
	if len(old) > maxWords || len(new) > maxWords {
		return nil, nil
	}

	a, b := words(old), words(new)
	if alike(a, b) <= 0.6 {
		return nil, nil
	}

	shift := 0
	for _, e := range buffers.Edits(a, b) {
		oldSpans = join(oldSpans, old, spanOf(a, e.Start, e.End, oldGroup))
		newSpans = join(newSpans, new, spanOf(b, e.Start+shift, e.Start+shift+len(e.Lines), newGroup))
		shift += len(e.Lines) - (e.End - e.Start)
	}

	return oldSpans, newSpans
}

func spanOf(words []string, from, to int, group string) Span {
	s := Span{Group: group}
	for _, w := range words[:from] {
		s.From += len(w)
	}
	s.To = s.From
	for _, w := range words[from:to] {
		s.To += len(w)
	}
	return s
}

// join adds a span to those of a line; one that only a space or two separate from the last is joined with it.
func join(spans []Span, line string, s Span) []Span {
	if s.From == s.To {
		return spans
	}
	if n := len(spans); n > 0 && strings.TrimSpace(line[spans[n-1].To:s.From]) == "" {
		spans[n-1].To = s.To
		return spans
	}
	return append(spans, s)
}

// words splits a line into words, runs of spaces, and other single characters.
func words(line string) []string {
	var out []string
	for len(line) > 0 {
		first, n := utf8.DecodeRuneInString(line)
		if kind := kindOf(first); kind != 0 {
			n = strings.IndexFunc(line, func(r rune) bool { return kindOf(r) != kind })
			if n < 0 {
				n = len(line)
			}
		}
		out = append(out, line[:n])
		line = line[n:]
	}

	return out
}

func kindOf(r rune) int {
	switch {
	case unicode.IsSpace(r):
		return 1
	case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
		return 2
	}
	return 0
}
