package rules

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// word is a word of a command; with expansions its text has only the fixed part.
type word struct {
	text   string
	fixed  bool
	open   bool // it has expansions and can become an option
	one    bool // it is one argument, whatever it has
	number bool // it is a variable that is always a number
}

func newWord(arg *syntax.Word) word {
	text, fixed := literal(arg)
	w := word{text: text, fixed: fixed, one: fixed || quoted(arg), number: !fixed && isNumber(arg)}
	if !fixed && !readsProcess(arg) {
		w.open = strings.ContainsAny(lead(arg), "-+*?[{$") || splits(arg)
	}
	return w
}

// nameOf returns the name of a command, "" if it has none that is fixed.
func nameOf(c *syntax.CallExpr) string {
	if len(c.Args) == 0 {
		return ""
	}
	if name := newWord(c.Args[0]); name.fixed {
		return name.text
	}
	return ""
}

// texts returns the texts of the words of a command; one that is not fixed has none.
func texts(c *syntax.CallExpr) []string {
	var words []word
	for _, arg := range c.Args {
		words = append(words, newWord(arg))
	}
	return textsOf(words)
}

func textsOf(words []word) []string {
	list := make([]string, len(words))
	for i, w := range words {
		if w.fixed {
			list[i] = w.text
		}
	}
	return list
}

// evaluates reports whether a word could be an expression that runs something.
func (w word) evaluates() bool { return strings.ContainsAny(w.text, "[`$") }

// spend takes the steps that it costs to read words, and reports whether the budget had as many.
func (b *budget) spend(words []word) bool {
	if b.left < 0 {
		return false
	}
	steps := 10
	for _, w := range words {
		steps += 1 + len(w.text)/16
	}
	return b.take(steps)
}

// plain reports whether an expansion is only a variable's value: $x or ${x}.
func plain(e *syntax.ParamExp) bool {
	return e.Param != nil && e.NestedParam == nil && e.Flags == nil && !e.Excl && !e.Length && !e.Width && !e.IsSet &&
		e.Index == nil && len(e.Modifiers) == 0 && e.Slice == nil && e.Repl == nil && e.Names == 0 && e.Exp == nil
}

// number reports whether a text consists of digits only. The empty text does.
func number(text string) bool { return strings.Trim(text, "0123456789") == "" }

// quoted reports whether a word is in quotes from its beginning to its end.
func quoted(arg *syntax.Word) bool {
	if len(arg.Parts) != 1 {
		return false
	}
	q, ok := arg.Parts[0].(*syntax.DblQuoted)
	return ok && !q.Dollar && !slices.ContainsFunc(q.Parts, func(p syntax.WordPart) bool {
		e, ok := p.(*syntax.ParamExp)
		return ok && (e.Param == nil || e.Param.Value == "@")
	})
}

// readsProcess reports whether a word is <(…), which becomes the name of a file.
func readsProcess(arg *syntax.Word) bool {
	p, ok := arg.Parts[0].(*syntax.ProcSubst)
	return ok && len(arg.Parts) == 1 && p.Op == syntax.CmdIn
}

// lead returns the beginning of a word, "$" if that is an expansion.
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

// literal returns the text of a word; one with expansions has the text of its fixed parts.
func literal(word *syntax.Word) (text string, fixed bool) {
	var b strings.Builder
	fixed = true
	for _, p := range word.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			text, pattern := unescaped(p.Value)
			b.WriteString(text)
			fixed = fixed && !pattern && (len(word.Parts) == 1 || !strings.Contains(p.Value, "{"))
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

// braces is a text with {} that means itself. What is beside it in the word may not be text with commas or braces of its own.
var braces = lazy.Regexp(`^[\w./:@%+-]*\{\}[\w./:@%+-]*$`)

// unescaped returns an unquoted text without its backslashes, and whether it contains a pattern.
func unescaped(value string) (text string, pattern bool) {
	var b strings.Builder
	if value == "[" || value == "=" { // as a whole word, or beside quotes, they are themselves
		return value, false
	}
	if braces().MatchString(value) { // so is {}, if no other brace or comma is there
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
