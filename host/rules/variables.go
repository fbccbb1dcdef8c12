package rules

import (
	_ "embed"
	"slices"
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

// harmlessEverywhere reports whether a variable may also be in the environment of programs.
func harmlessEverywhere(name string) bool { return slices.Contains(variables()["any"], name) }

// harmlessValue reports whether a variable may be set to a value.
func harmlessValue(a *syntax.Assign) bool {
	return a.Value != nil && slices.Contains(variables()["to"], a.Name.Value+"="+a.Value.Lit())
}

// harmlessHere reports whether a variable may be set in the shell.
func harmlessHere(name string) bool {
	return harmlessEverywhere(name) || small().MatchString(name) && !slices.Contains(variables()["not"], name)
}

// assigns handles the variables that a command sets, for itself if it has words.
func (w *walker) assigns(c *syntax.CallExpr) {
	for _, a := range c.Assigns {
		known := harmlessHere
		if len(c.Args) > 0 {
			known = harmlessEverywhere
		}
		separates := a.Name != nil && a.Name.Value == "IFS" && len(c.Args) > 0 && c.Args[0].Lit() == "read"
		if a.Name == nil || a.Append || a.Naked || a.Index != nil || a.Array != nil || !known(a.Name.Value) && !separates && !harmlessValue(a) {
			name := ""
			if a.Name != nil {
				name = a.Name.Value
			}
			w.unclear("it sets the variable %s", name)
			return
		}
	}
}

// readsOnly reports whether the words after read are only -r and variables of the shell's own.
func readsOnly(args []word) bool {
	return len(args) > 0 && !slices.ContainsFunc(args, func(w word) bool {
		return !w.fixed || w.text != "-r" && !harmlessHere(w.text)
	})
}
