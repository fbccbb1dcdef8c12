package rules

import (
	"strings"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"
)

// The command of a rule is a list of patterns, with blanks between them. A blank after a backslash is part of its pattern; two
// apostrophes are the pattern of a word without text.

const noText = "''"

// fields splits the command of a rule.
func fields(command string) (list []string) {
	var field strings.Builder
	escaped := false
	for _, c := range command + " " {
		switch {
		case !escaped && unicode.IsSpace(c):
			if field.Len() > 0 {
				list = append(list, field.String())
				field.Reset()
			}
		default:
			field.WriteRune(c)
			escaped = c == '\\' && !escaped
		}
	}

	if field.Len() > 1 { // it ends in a backslash: the blank is ours
		list = append(list, strings.TrimSuffix(field.String(), " "))
	}

	return list
}

// matchField reports whether a word of a command is one that a rule has.
func matchField(field, word string) bool {
	if field == noText {
		return word == ""
	}
	if ups(word) > ups(field) { // no name in a folder is ".."
		return false
	}
	ok, err := doublestar.Match(field, word)
	return err == nil && ok
}

// ups counts how often a word goes up.
func ups(word string) (n int) {
	for _, part := range strings.Split(word, "/") {
		if part == ".." {
			n++
		}
	}
	return n
}

// quoteFields returns words as the command of a rule that matches only these.
func quoteFields(words []string) string {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = quoteGlob(word)
		if word == "" {
			list[i] = noText
		}
	}
	return strings.Join(list, " ")
}

// quoteGlob returns a text as a pattern that matches only this.
func quoteGlob(text string) string {
	var b strings.Builder
	for _, c := range text {
		if strings.ContainsRune(`*?[]{}\`, c) || unicode.IsSpace(c) || text == noText {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}
