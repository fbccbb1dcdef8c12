package rules

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// Words of shells that change nothing for the commands beside them: a rule for these commands is enough.

var (
	// setFlags are what set may be given: it stops at errors, or prints what it does.
	setFlags = lazy.Regexp(`^[-+][eux]+$`)
	// withOption are the same before the name of an option.
	withOption = lazy.Regexp(`^[-+][eux]*o$`)
)

// free reports whether a command does nothing that a rule must allow where it is beside others.
func free(words []word) bool {
	name, args := words[0].text, words[1:]
	switch name {
	case "set":
		return onlyFlags(args)
	case "command":
		return len(args) > 1 && args[0].fixed && (args[0].text == "-v" || args[0].text == "-V") && harmlessNames(args[1:])
	case "read":
		return readsOnly(args)
	}
	return false
}

// sourced reports whether a command reads a script into the shell, of a file that has its place in its name. A rule that names
// the file allows all that it does, also to the commands after it.
func sourced(words []word) bool {
	name := words[0].text
	return (name == "source" || name == ".") && len(words) == 2 && words[1].fixed && strings.Contains(words[1].text, "/") &&
		!strings.HasPrefix(words[1].text, "-") && !strings.HasPrefix(words[1].text, "/dev/") && !strings.HasPrefix(words[1].text, "/proc/")
}

// onlyFlags reports whether there are options for set, and nothing else.
func onlyFlags(args []word) bool {
	for i := 0; i < len(args); i++ {
		switch {
		case !args[i].fixed:
			return false
		case withOption().MatchString(args[i].text):
			if i++; i == len(args) || !args[i].fixed || !slices.Contains(options, args[i].text) {
				return false
			}
		case !setFlags().MatchString(args[i].text):
			return false
		}
	}

	return len(args) > 0
}

// harmlessNames reports whether words are names that a shell only looks up.
func harmlessNames(list []word) bool {
	return !slices.ContainsFunc(list, func(w word) bool { return !w.fixed || strings.HasPrefix(w.text, "-") || w.evaluates() })
}

// shellNames are the shells that run a script which they are given as an argument.
var shellNames = []string{"sh", "bash", "dash", "ash", "zsh", "ksh", "ksh93", "mksh"}

// scriptFlags are options of a shell that say no more than that a script is the next argument; flagsBefore may come before them.
var (
	scriptFlags = lazy.Regexp(`^-[leux]*c$`)
	flagsBefore = lazy.Regexp(`^(-[leux]+|--login)$`)
)

// script returns what a shell runs that is called with a script only: bash -lc '…'.
func script(words []word) (text string, ok bool) {
	name := words[0].text
	for _, folder := range []string{"/bin/", "/usr/bin/", "/usr/local/bin/"} {
		name = strings.TrimPrefix(name, folder)
	}

	if !slices.Contains(shellNames, name) || slices.ContainsFunc(words, func(w word) bool { return !w.fixed }) {
		return "", false
	}
	for i := 1; i < len(words); i++ {
		arg := words[i].text
		switch {
		case scriptFlags().MatchString(arg):
			if i != len(words)-2 {
				return "", false // further words are its arguments
			}
			text = words[i+1].text
			return text, strings.TrimSpace(text) != "" && !strings.ContainsAny(text[:1], "-+")
		case withOption().MatchString(arg) && i+1 < len(words) && slices.Contains(options, words[i+1].text):
			i++
		case !flagsBefore().MatchString(arg):
			return "", false
		}
	}

	return "", false
}

// nested handles what a shell runs that a command calls, in one of some folders.
func (w *walker) nested(text string, places []string) {
	if !w.budget.take(perParse + perByte*len(text)) {
		w.unclear(tooLong)
		return
	}

	file, problem := read(text)
	if problem != "" {
		w.unclear("%s", problem)
	}
	if file == nil {
		return
	}

	inner, outside := w.inner, w.places
	w.inner, w.places = true, foldersOf(w.ways, file, places) // its bytes are not those of the whole command
	syntax.Walk(file, w.visit)
	w.inner, w.places = inner, outside
}
