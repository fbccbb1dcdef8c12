package markdown

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/nvim-acp/nvim-acp/host/highlight"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// line is text that is being written, with its spans and links. Its text is without what containers put before it.
type line struct {
	text   []byte
	spans  []highlight.Span
	links  []Link
	source int
}

func (l *line) add(text string) { l.text = append(l.text, text...) }

// Cells returns the width of a text.
func Cells(text string) int {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return ansi.StringWidth(text)
		}
	}
	return len(text)
}

// part returns the bytes from one to another of a line.
func (l *line) part(from, to int) line {
	out := line{text: l.text[from:to], source: l.source}
	for _, s := range l.spans {
		if a, b := max(s.From, from), min(s.To, to); a < b {
			out.spans = append(out.spans, highlight.Span{From: a - from, To: b - from, Group: s.Group})
		}
	}
	for _, k := range l.links {
		if a, b := max(k.From, from), min(k.To, to); a < b {
			out.links = append(out.links, Link{a - from, b - from, k.Target})
		}
	}
	return out
}

// wrap breaks a line at spaces; words that are wider than the width, as paths are, between their pieces, and pieces that are
// wider anywhere.
func (l *line) wrap(width int) []line {
	if Cells(string(l.text)) <= width {
		return []line{*l}
	}

	var out []line
	from, used := 0, 0 // of the row: where it begins, its cells
	text := string(l.text)
	for at := 0; at < len(text); {
		end := at + wordLen(text[at:])
		word := Cells(strings.TrimRight(text[at:end], " "))
		if used > 0 && used+word > width {
			out = append(out, l.part(from, trimmed(text, from, at)))
			from, used = at, 0
		}
		if word > width {
			end = at + pieces(text[at:end], fitting(text[at:end], width))
			out = append(out, l.part(at, trimmed(text, at, end)))
			at, from, used = end, end, 0
			continue
		}

		used += Cells(text[at:end])
		at = end
	}

	if from < len(text) {
		out = append(out, l.part(from, trimmed(text, from, len(text))))
	}

	return out
}

// wordLen returns the bytes of the first word of a text with the spaces after it.
func wordLen(text string) int {
	n := strings.IndexByte(text, ' ')
	if n < 0 {
		return len(text)
	}
	for n < len(text) && text[n] == ' ' {
		n++
	}
	return n
}

// trimmed returns the end of a part of a text without spaces at its end.
func trimmed(text string, from, to int) int { return from + len(strings.TrimRight(text[from:to], " ")) }

// fitting returns the bytes of a text that fit a width, at least one character.
func fitting(text string, width int) int {
	n := len(ansi.Truncate(text, width, ""))
	if n == 0 {
		for i := range text {
			if i > 0 {
				return i
			}
		}
		return len(text)
	}
	return n
}

// pieces returns the bytes of the whole pieces of a word that are in its first bytes; all of these if there is none.
func pieces(word string, fit int) int {
	n := 0
	for next := 0; next < len(word); {
		if next += pieceLen(word[next:]); next <= fit {
			n = next
		}
	}
	return cmp.Or(n, fit)
}

// pieceLen returns the bytes of the first piece of a word: up to what separates the parts of paths and names.
func pieceLen(word string) int {
	n := strings.IndexAny(word, "/-_.,:;?&=")
	if n < 0 {
		return len(word)
	}
	for n < len(word) && strings.IndexByte("/-_.,:;?&=", word[n]) >= 0 {
		n++
	}
	return n
}

// longest returns the cells of the widest word of a line, and of the widest piece of a word.
func (l *line) longest() (word, piece int) {
	for _, w := range strings.Fields(string(l.text)) {
		word = max(word, Cells(w))
		for w != "" {
			n := pieceLen(w)
			piece = max(piece, Cells(w[:n]))
			w = w[n:]
		}
	}
	return word, piece
}

// breakAt returns where a line that is too long for a row is broken: after a space, if there is one.
func breakAt(text []byte) int {
	if at := bytes.LastIndexByte(text[:maxRow], ' '); at > maxRow/2 {
		return at + 1
	}
	return max(plain.Start(text, maxRow), 1)
}
