// Package glob turns patterns for names of files that others wrote into regular expressions, which are matched in linear time whatever
// the pattern is. Packages secrets and elsewhere call it. It is pure.
package glob

import (
	"regexp"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// Star is what an asterisk stands for.
type Star string

const (
	Within  Star = `[^/]*` // of a name, as in a shell
	Through Star = `.*`    // also of several folders, as in Git and fnmatch(3)
)

// Expr returns a regular expression for a pattern, not anchored. What not every program reads in the same way is matched by more than one
// of them takes: a class that has signs with a meaning of their own is any character, a bracket that is not closed any text.
func Expr(text string, star Star) string {
	w := writer{text: []rune(text), star: string(star)}
	for w.at < len(w.text) {
		w.next()
	}
	for ; w.open > 0; w.open-- {
		w.out.WriteByte(')')
	}
	return w.out.String()
}

// writer is a translation that is under way.
type writer struct {
	text []rune
	star string
	at   int
	open int // groups in braces
	out  strings.Builder
}

func (w *writer) next() {
	c := w.text[w.at]
	w.at++
	switch {
	case c == '\\' && w.at < len(w.text):
		if sign := standing().FindString(string(w.text[w.at:min(w.at+5, len(w.text))])); sign != "" && w.star == string(Through) {
			w.out.WriteString(`(?:.|` + regexp.QuoteMeta(sign) + `)`) // another sign for some programs
			w.at += len(sign)
			return
		}
		w.literal(w.text[w.at])
		w.at++
	case c == '\\':
	case c == '/' && string(w.text[w.at:]) == "**":
		w.out.WriteString(`(?:/.*)?`)
		w.at = len(w.text)
	case c == '*':
		w.stars()
	case c == '?' && w.star == string(Within):
		w.out.WriteString(`[^/]`)
	case c == '?':
		w.out.WriteByte('.')
	case c == '[':
		w.class()
	case c == '{' && w.closes():
		w.out.WriteString(`(?:`)
		w.open++
	case c == '{':
		w.out.WriteString(`.*`)
	case c == ',' && w.open > 0:
		w.out.WriteByte('|')
	case c == '}' && w.open > 0:
		w.out.WriteByte(')')
		w.open--
	default:
		w.literal(c)
	}
}

func (w *writer) literal(c rune) { w.out.WriteString(regexp.QuoteMeta(string(c))) }

// stars writes what one or several asterisks stand for: two in place of a folder are any number of folders.
func (w *writer) stars() {
	begins := w.at == 1 || w.text[w.at-2] == '/'
	from := w.at - 1
	for w.at < len(w.text) && w.text[w.at] == '*' {
		w.at++
	}

	ends := w.at == len(w.text)
	switch {
	case w.at-from == 1:
		w.out.WriteString(w.star)
	case begins && !ends && w.text[w.at] == '/':
		w.out.WriteString(`(?:.*/)?`)
		w.at++
	case begins && ends:
		w.out.WriteString(`.*`)
	default:
		w.out.WriteString(w.star)
	}
}

// class writes what is in brackets. One with a negation is any character: whether letters of the other case are among those that it leaves
// out is not the same everywhere. Of one that has classes in it, as [[:alpha:]0], some programs see the end at the first bracket.
func (w *writer) class() {
	from := w.at
	first, last := w.classEnds()
	if first < 0 {
		w.out.WriteString(`.*`)
		if rest := string(w.text[from:min(from+2, len(w.text))]); rest == "^]" || rest == "!]" {
			w.at += 2 // any character for some
		}
		return
	}

	inner := string(w.text[from:first])
	expr := "[" + strings.ReplaceAll(inner, "]", `\]`) + "]"
	if _, err := regexp.Compile(expr); err != nil || strings.ContainsAny(inner, `!^[\`) {
		expr = `.`
	}
	w.out.WriteString(expr)
	w.at = first + 1
	if last > first {
		w.out.WriteString("(?:" + Expr(string(w.text[w.at:last+1]), Star(w.star)) + ")?")
		w.at = last + 1
	}
}

// classEnds returns where the brackets end that were just opened: at the first that closes, and at the first behind all classes in them,
// if there is one. They are -1 if they are not closed.
func (w *writer) classEnds() (first, last int) {
	first = -1
	unclosed := "" // signs of classes that do not end
	for i := w.at; i < len(w.text); i++ {
		begins := i == w.at || i == w.at+1 && strings.ContainsRune("!^", w.text[w.at])
		switch {
		case w.text[i] == ']' && !begins && first < 0:
			return i, i
		case w.text[i] == ']' && !begins:
			return first, i
		case w.text[i] != '[' || i+1 == len(w.text) || !strings.ContainsRune(":.=", w.text[i+1]):
			continue
		case strings.ContainsRune(unclosed, w.text[i+1]):
			continue
		}

		end := i + 2
		for end+1 < len(w.text) && (w.text[end] != w.text[i+1] || w.text[end+1] != ']') {
			end++
		}
		if end+1 >= len(w.text) {
			unclosed += string(w.text[i+1])
			continue
		}
		i = end + 1
		if first < 0 {
			first = i
		}
	}
	return first, first
}

// standing is what follows a backslash where it stands for a sign by its number, or for one of a class.
var standing = lazy.Regexp(`^(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[0-7]{1,3}|[dDsSwW])`)

// closes reports whether a brace that was just opened is closed.
func (w *writer) closes() bool {
	depth := 1
	for i := w.at; i < len(w.text); i++ {
		switch w.text[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return true
			}
		}
	}
	return false
}
