package transcript

import (
	"fmt"
	"strings"
	"unicode"
)

// OneLine makes an agent's text fit for a title, a picker or a float: one line, controls as ^X, characters that change the
// direction or hide as <202E> (behaviour 220).
func OneLine(s string) string {
	return clean(strings.TrimSpace(s), func(r rune) string {
		if r == '\n' {
			return " "
		}
		return ""
	})
}

// Brief is OneLine for names and titles: of a long text the beginning.
func Brief(s string) string {
	if len(s) > 4*mostHead {
		s = s[:safeCut([]byte(s), 4*mostHead)] // else megabytes are cleaned each time
	}
	return cutHead(OneLine(s))
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

func clean(s string, keep func(rune) string) string {
	if plain(s) {
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

func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c >= 0x7f {
			return false
		}
	}
	return true
}

// hides reports characters that are not seen or that reorder what is seen. lua/nvim-acp/ui/hidden.lua has the same, made of this.
func hides(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case r < 0xa0, unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point):
		return true
	case unicode.Is(unicode.Variation_Selector, r):
		return !presents(r)
	}
	return r == 0x2800 || r >= 0xe0000 && r <= 0xe0fff // an empty pattern of dots, and what is set aside for tags
}

// presents reports the two selectors that choose how the symbol before them looks.
func presents(r rune) bool { return r == 0xfe0e || r == 0xfe0f }
