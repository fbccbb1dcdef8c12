package rules

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word is a word of a command; of one that is not fixed the text is only what is fixed of it.
type word struct {
	text  string
	fixed bool
	open  bool // it can become an option, though it is not fixed
}

func newWord(arg *syntax.Word) word {
	text, fixed := literal(arg)
	w := word{text: text, fixed: fixed}
	if fixed {
		return w
	}
	w.open = strings.ContainsAny(lead(arg), "-+*?[{$") || splits(arg)
	return w
}

// evaluates reports whether a word could be an expression that runs something.
func (w word) evaluates() bool { return strings.ContainsAny(w.text, "[`$") }

// lead is how a word begins, "$" if that is not fixed.
func lead(arg *syntax.Word) string {
	part := arg.Parts[0]
	if quoted, ok := part.(*syntax.DblQuoted); ok && len(quoted.Parts) > 0 {
		part = quoted.Parts[0]
	}
	text := ""
	switch part := part.(type) {
	case *syntax.Lit:
		text = part.Value
	case *syntax.SglQuoted:
		text = part.Value
	}
	if text == "" || text[0] == '\\' {
		return "$"
	}
	return text[:1]
}

// splits reports whether a word can become several.
func splits(arg *syntax.Word) bool {
	for _, p := range arg.Parts {
		switch p.(type) {
		case *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted:
		default:
			return true
		}
	}
	return false
}

// literal is a word's text if it is fixed; a word with expansions has the text of its fixed parts.
func literal(word *syntax.Word) (text string, fixed bool) {
	var b strings.Builder
	fixed = true
	for _, p := range word.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			text, pattern := unescaped(p.Value)
			b.WriteString(text)
			fixed = fixed && !pattern
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
			fixed = fixed && !p.Dollar
		case *syntax.DblQuoted:
			fixed = fixed && !p.Dollar
			for _, q := range p.Parts {
				lit, ok := q.(*syntax.Lit)
				if !ok {
					fixed = false
					continue
				}
				b.WriteString(lit.Value)
				fixed = fixed && !strings.Contains(lit.Value, `\`)
			}
		default:
			fixed = false
		}
	}
	return b.String(), fixed
}

// unescaped is a text outside of quotes without its backslashes, and whether something in it can stand for other text.
func unescaped(value string) (text string, pattern bool) {
	var b strings.Builder
	if value == "[" {
		return value, false
	}
	escaped := false
	for _, c := range value {
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
			continue
		case strings.ContainsRune("*?[{~^$=", c) && !(c == '=' && b.Len() > 0):
			pattern = true
		}
		b.WriteRune(c)
	}
	return b.String(), pattern
}
