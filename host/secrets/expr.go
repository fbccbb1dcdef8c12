package secrets

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// exprs are what a text is if it is a regular expression, in each of the dialects in which it is one.
type exprs struct {
	below []*regexp.Regexp // of a path below a folder, or of its end from the beginning of a name
	whole []*regexp.Regexp // of a whole path
}

// maxWeight bounds how many steps of an expression are tried at each sign of a path.
const maxWeight = 4000

var (
	// unknown are escapes that Go does not have.
	unknown = lazy.Regexp(`\\(?:[uU](?:\{[^}]*\}|[0-9A-Fa-f]{4})|[xoNpP]\{[^}]*\}|` +
		`[gk](?:\{[^}]*\}|<[^>]*>|'[^']*'|\w)|c.|[1-9]|[^\w\s]|[A-Za-z])`)
	// ahead is the beginning of a group that takes no sign.
	ahead = lazy.Regexp(`\(\?<?[=!]`)
	// collating is a class that Go reads as two.
	collating = lazy.Regexp(`\[[!^]?[^]]*\[[=.][^]]*[=.]\][^]]*\]`)
	// escaped is a class that has an escape, which is one only in some dialects, and leaves out what is in it.
	escaped = lazy.Regexp(`\[\^(?:[^]\\]|\\.)*\\(?:[^]\\]|\\.)*\]`)
	// edge is the beginning or the end of a word or of the text, in dialects in which it is no sign.
	edge = lazy.Regexp("\\\\[<>'`]")
	// basic is a sign that has its meaning behind a backslash in others.
	basic = lazy.Regexp(`\\([(){}|+?])`)
	// slashed is an expression with its flags.
	slashed = lazy.Regexp(`^/(.+)/[a-z]*$`)
)

// readExprs reads a text as an expression. It is not ok if it is one that Go cannot run, or takes long to.
func readExprs(text string, names bool) (e exprs, ok bool) {
	text = collating().ReplaceAllString(text, ".")
	dialects := []string{
		text, escaped().ReplaceAllString(text, "."), edge().ReplaceAllString(text, ""), basic().ReplaceAllString(text, "$1"),
	}
	if m := slashed().FindStringSubmatch(text); m != nil {
		dialects = append(dialects, m[1])
	}

	ok = true
	seen := map[string]bool{}
	for i, one := range dialects {
		if !seen[one] {
			seen[one] = true
			read := e.add(one, names)
			ok = ok && (read || i == 3) // what is no basic one is one in another dialect
		}
	}

	return e, ok
}

// add adds what may be an expression. It is not ok if it is one that is not known to be any text.
func (e *exprs) add(text string, names bool) (ok bool) {
	groups := strings.Contains(text, "(?")
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		text = ahead().ReplaceAllString(unknown().ReplaceAllStringFunc(text, anything), "(?:|")
		tree, err = syntax.Parse(text, syntax.Perl)
	}
	if err != nil {
		return !tooLarge(err) && !groups && !odd().MatchString(text) // then it is a glob, or no pattern
	}
	if weight(tree) > maxWeight {
		return false
	}

	for _, flags := range []string{"(?is)", "(?s)"} { // a class that leaves out a letter is another one if the case does not count
		tree, err := syntax.Parse(flags+text, syntax.Perl)
		if err != nil {
			return false // it sets other flags
		}
		all := tree.String() // not the text: a part that is not closed, as behind \Q, would take in what is put behind it
		whole, below := "^(?:"+all+")$", "(?:^|/)(?:"+all+")$"
		if names || anchored(tree) {
			fromName(tree)
			whole, below = all, tree.String()
		}
		if !appendExpr(&e.whole, whole) || !appendExpr(&e.below, below) {
			return false
		}
	}

	return true
}

// appendExpr adds an expression to some. It is not ok if Go does not take it.
func appendExpr(list *[]*regexp.Regexp, text string) (ok bool) {
	e, err := regexp.Compile(text)
	if err == nil {
		*list = append(*list, e)
	}
	return err == nil
}

// fromName has an expression begin wherever a name in a path does.
func fromName(e *syntax.Regexp) {
	if e.Op == syntax.OpBeginText || e.Op == syntax.OpBeginLine {
		begin, _ := syntax.Parse("(?:^|/)", syntax.Perl) // it is right
		*e = *begin
		return
	}
	for _, sub := range e.Sub {
		fromName(sub)
	}
}

// tooLarge reports whether an expression is one, but larger than Go takes.
func tooLarge(err error) bool {
	var e *syntax.Error
	limits := []syntax.ErrorCode{syntax.ErrLarge, syntax.ErrNestingDepth, syntax.ErrInvalidRepeatSize}
	return errors.As(err, &e) && slices.Contains(limits, e.Code)
}

// odd is an escape of a letter or a digit.
var odd = lazy.Regexp(`\\\w`)

// anything returns an escape as one that takes any text, if Go does not know it.
func anything(escape string) string {
	if _, err := syntax.Parse(escape, syntax.Perl); err == nil && !strings.ContainsAny(escape, `<>`) {
		return escape
	}
	return "(?:.*)"
}

// weight returns how many steps an expression has.
func weight(e *syntax.Regexp) int {
	n := 1
	if e.Op == syntax.OpLiteral {
		n = len(e.Rune)
	}
	for _, sub := range e.Sub {
		n += weight(sub)
	}
	if e.Op == syntax.OpRepeat {
		n *= max(e.Min, e.Max, 1)
	}
	return min(n, maxWeight+1)
}

// anchored reports whether an expression has a beginning or an end, so that what is between may be only a part of a name.
func anchored(e *syntax.Regexp) bool {
	switch e.Op {
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText:
		return true
	}
	return slices.ContainsFunc(e.Sub, anchored)
}

func (e exprs) any() bool { return len(e.below) > 0 }

// is reports whether one is for a whole path.
func (e exprs) is(path string) bool { return matchAny(e.whole, path) }

// find reports whether one is for a path below a folder, or for its end from the beginning of a name.
func (e exprs) find(path string) bool { return matchAny(e.below, path) || matchAny(e.below, "/"+path) }

func matchAny(list []*regexp.Regexp, path string) bool {
	return slices.ContainsFunc(list, func(one *regexp.Regexp) bool { return one.MatchString(path) })
}
