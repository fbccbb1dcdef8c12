// Package plain makes texts of agents, files and servers fit to be shown: on one line, cleaned, cut at a length.
package plain

import (
	"fmt"
	"strings"
	"unicode"
)

// OneLine makes an agent's text safe for a title, a picker or a float: one line, controls as ^X, invisible characters and those
// that change the direction as <202E> (behaviour 220).
func OneLine(s string) string {
	return clean(strings.TrimSpace(s), func(r rune) string {
		if r == '\n' {
			return " "
		}
		return ""
	})
}

// Brief is OneLine for names and titles: it cuts a long text.
func Brief(s string) string {
	return Title(OneLine(Cut(s, 4*maxTitle))) // so that megabytes are not cleaned each time
}

// Visible is OneLine for text that keeps its lines and tabs.
func Visible(s string) string {
	return clean(s, func(r rune) string {
		if r == '\n' || r == '\t' {
			return string(r)
		}
		return ""
	})
}

// Exact is Visible for a command: a space that does not separate words there, such as a no-break space, is shown as a sign.
func Exact(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Zs, r) && r != ' ' {
			return '\u2423'
		}
		return r
	}, Visible(s))
}

func clean(s string, keep func(rune) string) string {
	if printable(s) {
		return s
	}

	var b strings.Builder
	before := rune(0)
	for _, r := range s {
		last := before
		before = r
		if kept := keep(r); kept != "" {
			b.WriteString(kept)
			continue
		}
		switch {
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, "^%c", r^0x40)
		case hides(r), presents(r) && (last < 0x80 || presents(last)):
			fmt.Fprintf(&b, "<%04X>", r)
		default:
			b.WriteRune(r)
		}
	}

	return b.String()
}

func printable(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c >= 0x7f {
			return false
		}
	}
	return true
}

// hides reports whether a character is invisible or reorders others. lua/nvim-acp/ui/hidden.lua is generated from it.
func hides(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case r < 0xa0, unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point):
		return true
	case unicode.Is(unicode.Variation_Selector, r):
		return !presents(r)
	}
	// the empty Braille pattern, two signs that are drawn as nothing, a place for an object, and the block for tags
	return r == 0x2800 || r == 0x16fe4 || r == 0x1d159 || r == 0xfffc || r >= 0xe0000 && r <= 0xe0fff
}

// presents reports whether a character is one of the two variation selectors for the symbol before them.
func presents(r rune) bool { return r == 0xfe0e || r == 0xfe0f }
