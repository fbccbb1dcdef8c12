// Package bounds says how much of what others send goes to Neovim: a list of a hundred thousand entries would hold it for a second.
// Who leaves something out says so.
package bounds

import "fmt"

// Read is how many entries of a list are read at all; nobody knows how many more there are.
const Read = 2000

// The most that is shown of each list, and of a text.
const (
	Commands = 500
	Options  = 50
	Choices  = 500
	Sessions = 2000 // of an agent, page by page
	Fields   = 100
	Logins   = 50

	ID      = 1 << 10  // bytes of what others name a thing by: it comes back, and so is not cut
	URL     = 8 << 10  // bytes
	Message = 16 << 10 // bytes
	Form    = 256 << 10
	Text    = 4 << 20 // bytes, in a window for reading
)

// First returns the first entries of a list, and how many are left out.
func First[T any](list []T, most int) (first []T, left int) {
	if len(list) <= most {
		return list, 0
	}
	return list[:most:most], len(list) - most
}

// Number says how many there are, of a list of which so many entries were read.
func Number(n, read int) string {
	if read >= Read {
		return fmt.Sprintf("%d or more", n)
	}
	return fmt.Sprint(n)
}

// Cut returns a text cut to so many bytes, with a line that says so.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && text[end]&0xc0 == 0x80 {
		end--
	}
	return fmt.Sprintf("%s\n(cut: it has %d bytes)", text[:end], len(text))
}
