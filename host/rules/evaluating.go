package rules

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// Builtins of some shells evaluate words as arithmetic expressions, in which substitutions run: [ 'a[$(x)]' -eq 0 ]. A variable in one
// is replaced by its value, which is evaluated too: x='a[$(PWN)]'; exit x. So an operand that is evaluated must consist of digits, and an
// expansion is allowed only in others.

// evaluating lists those builtins.
var evaluating = strings.Fields(`[ test printf print echo exit return shift break continue kill wait times cd pushd popd dirs suspend
	logout bye sleep fg bg disown`)

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

	open := slices.ContainsFunc(args, func(w word) bool { return !w.fixed && !w.number })
	if slices.ContainsFunc(args, word.evaluates) {
		return true
	}
	switch name {
	case "[", "test":
		return open && !comparesTexts(args) || comparesOthers(args)
	case "printf":
		return open && (!args[0].fixed || !printed().MatchString(args[0].text)) || printsOthers(args)
	case "echo", "cd", "pushd":
		return false
	case "print", "times", "popd", "dirs", "suspend":
		return open
	}

	return slices.ContainsFunc(args, func(w word) bool { return !w.number && !ofProcesses().MatchString(w.text) })
}

var (
	// digits is a number, which no shell evaluates further.
	digits = lazy.Regexp(`^[-+]?[0-9]+(\.[0-9]+)?$`)
	// ofProcesses is a number, or a job by its number, or a time.
	ofProcesses = lazy.Regexp(`^[-+%]?[0-9]+(\.[0-9]+)?[smhd]?$`)
	// numbers are operators of test between numbers.
	numbers = strings.Fields("-eq -ne -lt -le -gt -ge")
	// others are further words of test that begin with "-", beside operators before or between texts.
	others = strings.Fields("- -a -o -t")
	// conversion is one in a format of printf, or %%.
	conversion = lazy.Regexp(`%[-+ #0]*[0-9]*(\.[0-9]+)?([a-zA-Z%])`)
	// signsOnly is a format whose escapes are characters in every shell, and no conversions.
	signsOnly = lazy.Regexp(`^([^\\]|\\[abfnrtv\\"'])*$`)
)

func isDigits(w word) bool { return w.number || w.fixed && digits().MatchString(w.text) }

// comparesOthers reports whether test evaluates an operand that is not digits, or has an operator that is not known.
func comparesOthers(args []word) bool {
	at := func(i int) bool { return i >= 0 && i < len(args) && isDigits(args[i]) }
	for i, w := range args {
		known := slices.Contains(unary, w.text) || slices.Contains(between, w.text) || slices.Contains(others, w.text)
		switch {
		case !w.fixed:
		case slices.Contains(numbers, w.text):
			if !at(i-1) || !at(i+1) {
				return true
			}
		case w.text == "-t" && !at(i+1), strings.HasPrefix(w.text, "-") && !known && !isDigits(w):
			return true
		}
	}

	return false
}

// printsOthers reports whether printf evaluates an argument that is not digits.
func printsOthers(args []word) bool {
	if len(args) < 2 {
		return false
	}
	if !args[0].fixed || !signsOnly().MatchString(args[0].text) {
		return slices.ContainsFunc(args[1:], func(w word) bool { return !isDigits(w) })
	}

	var texts []bool // whether each conversion takes a text
	for _, c := range conversion().FindAllStringSubmatch(args[0].text, -1) {
		if c[2] != "%" {
			texts = append(texts, strings.Contains("sbqc", c[2]))
		}
	}

	if slices.ContainsFunc(args[1:], func(w word) bool { return !w.one && !w.number }) {
		return slices.Contains(texts, false) // which argument is for which conversion is not known
	}
	for i, w := range args[1:] {
		if len(texts) > 0 && !texts[i%len(texts)] && !isDigits(w) {
			return true
		}
	}

	return false
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
