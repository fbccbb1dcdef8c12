package rules

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// Builtins of some shells take words for numbers and evaluate them as expressions, in which substitutions run:
// [ 'a[$(x)]' -eq 0 ]. What a variable has is not known, so it may be only where no number is.

// evaluating lists those builtins.
var evaluating = strings.Fields(`[ test printf print echo exit return shift break continue kill wait times cd pushd popd dirs suspend
	logout`)

var (
	// unary are operators of test before a text or a file.
	unary = strings.Fields("-b -c -d -e -f -g -h -k -n -p -r -s -u -w -x -z -L -O -G -S")
	// between are operators of test between texts or files.
	between = strings.Fields("= != -nt -ot -ef")
	// printed is a format of printf that takes no number.
	printed = lazy.Regexp(`^([^%]|%%|%-?[0-9]*[sb])*$`)
	// formats are those that write into no variable.
	formats = lazy.Regexp(`^([^%]|%%|%[-+ #0]*[0-9]*(\.[0-9]+)?[sbcqdiouxXeEfFgG])*$`)
)

// evaluates reports whether a builtin can evaluate one of its words.
func evaluates(words []word) bool {
	name, args := words[0].text, words[1:]
	if !slices.Contains(evaluating, name) {
		return false
	}
	open := func(w word) bool { return !w.fixed && !w.number }
	switch {
	case slices.ContainsFunc(args, word.evaluates):
		return true
	case !slices.ContainsFunc(args, open):
		return false
	}
	switch name {
	case "[", "test":
		return !comparesTexts(args)
	case "printf":
		return !args[0].fixed || !printed().MatchString(args[0].text)
	case "echo", "cd", "pushd":
		return false
	}
	return true
}

// setsVariable reports whether a builtin can set a variable by its options, or by what it is to print.
func setsVariable(words []word) bool {
	switch args := words[1:]; words[0].text {
	case "printf":
		return len(args) > 0 && (!args[0].fixed || strings.HasPrefix(args[0].text, "-") || !formats().MatchString(args[0].text))
	case "wait", "print", "jobs", "kill":
		return slices.ContainsFunc(args, func(w word) bool {
			return !w.fixed && !w.number || strings.HasPrefix(w.text, "-") && !number(w.text[1:])
		})
	}
	return false
}

// comparesTexts reports whether the words of test are one expression with texts or files, each one word.
func comparesTexts(args []word) bool {
	if last := args[len(args)-1]; last.fixed && last.text == "]" {
		args = args[:len(args)-1]
	}
	if len(args) > 2 && args[0].fixed && args[0].text == "!" {
		args = args[1:]
	}
	switch {
	case slices.ContainsFunc(args, func(w word) bool { return !w.one }):
		return false
	case len(args) == 2:
		return args[0].fixed && slices.Contains(unary, args[0].text)
	case len(args) == 3:
		return args[1].fixed && slices.Contains(between, args[1].text)
	}
	return false
}

// isNumber reports whether a word is a variable that is always a number.
func isNumber(arg *syntax.Word) bool {
	parts := arg.Parts
	if len(parts) == 1 {
		if q, ok := parts[0].(*syntax.DblQuoted); ok && !q.Dollar {
			parts = q.Parts
		}
	}
	if len(parts) != 1 {
		return false
	}
	e, ok := parts[0].(*syntax.ParamExp)
	return ok && plain(e) && slices.Contains([]string{"?", "#", "$", "!"}, e.Param.Value)
}
