package transcript

import (
	"fmt"
	"strings"
	"unicode"
)

// OneLine makes an agent's text fit for a title, a picker or a float: one line, controls as ^X, characters that change the
// direction or hide as <202E> (DECISIONS 20 of the design).
func OneLine(s string) string {
	return clean(strings.TrimSpace(s), func(r rune) string {
		if r == '\n' {
			return " "
		}
		return ""
	})
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
	for _, r := range s {
		if kept := keep(r); kept != "" {
			b.WriteString(kept)
			continue
		}
		switch {
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, "^%c", r^0x40)
		case hides(r):
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

// hides reports characters that are not seen or that reorder what is seen.
func hides(r rune) bool {
	if r == 0x200d || r == 0xfe0f || r == 0xfe0e { // joins of emoji
		return false
	}
	return unicode.Is(unicode.Cf, r) || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0x115f || r == 0x3164
}
