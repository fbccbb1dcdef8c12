package plain

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxTitle is the longest title that is shown, in bytes: a line of hundreds of kilobytes makes each redraw of a window slow.
const maxTitle = 500

// Title cuts a text to the length of a title.
func Title(text string) string { return Short(text, maxTitle) }

// Short cuts a text to so many bytes, and puts "…" behind one that was longer.
func Short(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return Cut(text, most) + "…"
}

// Cut returns the beginning of a text, whole characters of at most so many bytes.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return text[:Start(text, most)]
}

// Tail returns the end of a text, whole characters of at most so many bytes.
func Tail(text string, most int) string {
	if len(text) <= most {
		return text
	}
	at := len(text) - most
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return text[at:]
}

// Start moves an offset in a text back to the start of the character that it is in.
func Start[T string | []byte](text T, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// Plural says how many of something there are: "1 file", "2 files".
func Plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// Words returns a text on one line, with single spaces.
func Words(text string) string { return strings.Join(strings.Fields(text), " ") }
