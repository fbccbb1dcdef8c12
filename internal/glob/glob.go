// Package glob turns patterns for names of files that others wrote into regular expressions, which are matched in linear time whatever
// the pattern is. Packages secrets and elsewhere call it. It is pure.
package glob

import (
	"regexp"
	"strings"
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
// out is not the same everywhere.
func (w *writer) class() {
	from, to := w.at, w.at
	for to < len(w.text) && (w.text[to] != ']' || to == from || to == from+1 && strings.ContainsRune("!^", w.text[from])) {
		to++
	}
	if to == len(w.text) {
		w.out.WriteString(`.*`)
		return
	}

	w.at = to + 1
	inner := string(w.text[from:to])
	if named := strings.ContainsRune(inner, '['); named { // as [[:alpha:]b]
		for w.at < len(w.text) && w.text[w.at] != ']' {
			w.at++
		}
		w.at = min(w.at+1, len(w.text))
	}

	expr := "[" + strings.ReplaceAll(inner, "]", `\]`) + "]"
	if _, err := regexp.Compile(expr); err != nil || strings.ContainsAny(inner, `!^[\`) {
		expr = `.`
	}
	w.out.WriteString(expr)
}

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
