package rules

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
	"github.com/nvim-acp/nvim-acp/internal/wordlist"
)

//go:embed variables.txt
var variableTable string

// variables returns the names of the table by the word above them.
var variables = sync.OnceValue(func() map[string][]string { return wordlist.Parse(variableTable) })

// small is a name of a variable that programs do not read.
var small = lazy.Regexp(`^[a-z]{1,12}$`)

// simpleValue is what a variable in the environment may be: make takes its variables from there, and expands them; numbers of shells
// are expressions.
var simpleValue = lazy.Regexp(`^[\w.,:/@*%+=-]*$`)

// harmlessEverywhere reports whether a variable may have its value also in the environment of programs.
func harmlessEverywhere(a *syntax.Assign) bool {
	value, fixed := "", true
	if a.Value != nil {
		value, fixed = assigned(a.Value)
	}
	return fixed && harmlessTo(a.Name.Value, value)
}

// harmlessTo reports whether a variable may have a value in the environment of programs.
func harmlessTo(name, value string) bool {
	switch {
	case slices.Contains(variables()["any"], name):
		return simpleValue().MatchString(value) && !strings.Contains(value, "/")
	case slices.Contains(variables()["area"], name):
		return simpleValue().MatchString(value) && !strings.HasPrefix(strings.TrimLeft(value, ":"), "/") && !strings.Contains(value, "..")
	case slices.Contains(variables()["number"], name):
		return number(value)
	}
	return slices.Contains(variables()["to"], name+"="+value)
}

// assigned returns the text of a value, in which shells expand no patterns.
func assigned(value *syntax.Word) (text string, fixed bool) {
	if lit := value.Lit(); lit != "" && simpleValue().MatchString(lit) {
		return lit, true
	}
	return literal(value)
}

// harmlessHere reports whether a variable may be set in the shell, to anything.
func harmlessHere(name string) bool {
	return small().MatchString(name) && !slices.Contains(variables()["not"], name)
}

// readsOnly reports whether the words after read are only -r and variables of the shell's own.
func readsOnly(args []word) bool {
	return len(args) > 0 && !slices.ContainsFunc(args, func(w word) bool {
		return !w.fixed || w.text != "-r" && !harmlessHere(w.text)
	})
}
