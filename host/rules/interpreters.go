package rules

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// invocation is what an interpreter runs.
type invocation struct {
	named  int  // so many arguments say what that is
	script int  // the index of its script or module; the number of arguments if it has none
	module bool // it is a module
	input  bool // it reads, or may read, the program from its input
}

// parse reads the arguments of an interpreter as it does: options and their values, then a script, or code in place of it. What comes
// after an option that is not known is not known either.
func (p *program) parse(args []word) invocation {
	all := invocation{named: len(args), script: len(args)}
	unclear := all
	unclear.input = !p.deaf
	code, unless := false, false // there is code; or an argument without which it reads its input
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case !w.fixed:
			return all // no rule can name it
		case w.text == "--":
			i++
			if i < len(args) && !code {
				return p.scriptAt(args, i)
			}
			all.input = !code && !p.deaf
			return all
		case len(w.text) < 2 || w.text[0] != '-':
			if code {
				return all
			}
			return p.scriptAt(args, i)
		}

		if hasName(p.unless, w.text) {
			unless = true
		}

		is, next := p.takes(w.text)
		if next {
			i++
		}
		switch {
		case is == isUnknown || i > len(args)-1, next && is == isFlag && p.every && !slices.Contains(options, args[i].text):
			return unclear // of a shell, it may be an option with another name
		case is == isLast, is == isModule:
			f := invocation{named: i + 1, script: len(args)}
			if is == isModule && next {
				f.script, f.module = i, true
			}
			if value := args[i].text; !args[i].fixed || next && strings.HasPrefix(value, "-") || hasName(p.reads, value) {
				return unclear
			}
			return f
		case is == isCode:
			code = true
		}
	}

	all.input = !code && !unless && !p.deaf
	return all
}

// scriptAt is a script at an index. It may be the name of what reads the program from the input.
func (p *program) scriptAt(args []word, i int) invocation {
	text := args[i].text
	if !args[i].fixed || isInput(text) || hasName(p.reads, text) || strings.HasPrefix(text, "@") || strings.HasPrefix(text, "+") {
		return invocation{named: len(args), script: len(args), input: !p.deaf || isInput(text)}
	}
	return invocation{named: i + 1, script: i}
}

type optionKind int

const (
	isUnknown optionKind = iota
	isFlag               // with its value, if it takes one
	isCode
	isLast
	isModule
)

// takes returns what an option of an interpreter is, and whether the next word belongs to it.
func (p *program) takes(text string) (is optionKind, next bool) {
	name, two := strings.CutPrefix(text, "--")
	if !two {
		name = strings.TrimPrefix(text, "-")
	}

	key, _, value := strings.Cut(name, "=")
	if two || hasName(p.either, key) || len(name) > 1 && hasName(p.last, key) {
		for _, set := range []struct {
			of map[string]bool
			is optionKind
		}{{p.code, isCode}, {p.last, isLast}, {p.module, isModule}} {
			if hasName(set.of, key) {
				return set.is, !value
			}
		}

		known, takes := lookup(name, p.long, p.either)
		if known || two && value {
			return isFlag, takes
		}
		if two {
			return isUnknown, false
		}
	}
	for i, c := range name {
		end := i+len(string(c)) == len(name)
		switch {
		case strings.ContainsRune(p.codes, c):
			return isCode, end
		case hasName(p.last, string(c)):
			return isLast, end
		case hasName(p.module, string(c)):
			return isModule, end
		case strings.ContainsRune(p.values, c):
			return isFlag, end
		case strings.ContainsRune(p.attached, c):
			return isFlag, false
		case !strings.ContainsRune(p.letters, c):
			return isUnknown, false
		}
	}

	return isFlag, false
}

// fromInput is a word, or the end of one, that names the input as a file.
var fromInput = lazy.Regexp(`^-$|/dev/|/proc/|^-\w*[^oO\W]-$`)

// noInput are files in /dev that are not the input.
var noInput = lazy.Regexp(`/dev/(null|zero|urandom|stdout|stderr)$`)

// isInput reports whether a word names the input as a file, or may.
func isInput(text string) bool {
	if !strings.HasSuffix(text, "-") && !strings.Contains(text, "/dev/") && !strings.Contains(text, "/proc/") {
		return false
	}
	if fromInput().MatchString(noInput().ReplaceAllString(text, "")) {
		return true
	}
	option, value, _ := strings.Cut(text, "=")
	return value == "-" && !strings.Contains(option, "out")
}
