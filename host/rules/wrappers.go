package rules

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// Wrappers run the command that their last arguments are; others run one of their input, by an option or an argument.

// maxNamed is how many arguments are looked at.
const maxNamed = 500

// readsCommands reports whether a command reads what to do from its input, which no rule can name: as a program, or as words for one.
// It may itself, or by a command in those of its arguments that a rule must name.
func readsCommands(command []word, named []int) bool {
	if readsItself(command, named) {
		return true
	}
	p := programOf(command[0].text)
	if len(named) > maxNamed {
		return true
	}
	if len(named) == 0 || p != nil && p.script && !p.wraps {
		return p != nil && p.script && readsModule(command)
	}
	for _, i := range named {
		if i >= len(command) {
			break
		}
		rest := command[i:]
		if readsItself(rest, indicesIfKnown(rest)) || slices.Contains(commandOptions, command[i-1].text) && readsItself(rest[:1], nil) {
			return true
		}
		if texts := split(rest[0]); len(texts) > 1 || len(texts) == 1 && texts[0].text != rest[0].text {
			for j := range texts {
				if readsItself(texts[j:], indicesIfKnown(texts[j:])) {
					return true
				}
			}
		}
	}
	return false
}

// commandOptions are options of which the next word alone is a command.
var commandOptions = strings.Fields("-c -x -X -e -C -S --command --exec --cmd --shell --rsh --call")

// readsModule reports whether the script or module of an interpreter is a program that reads commands.
func readsModule(command []word) bool {
	p, args := programOf(command[0].text), command[1:]
	f := p.find(args)
	if f.program >= len(args) {
		return false
	}
	inner := args[f.program:]
	switch {
	case programOf(inner[0].text) != nil:
		return readsCommands(inner, named(inner))
	case f.module:
		return slices.ContainsFunc(inner, func(w word) bool { return hasName(p.reads, w.text) }) || readsCommands(inner, indices(inner))
	}
	return false
}

// indicesIfKnown returns what a rule must name of a command, nil if it is no program of the table.
func indicesIfKnown(command []word) []int {
	if command[0].text == "" || !command[0].fixed {
		return nil
	}
	return named(command)
}

// split returns the words in an argument that may be a command: of a script, an option's value.
func split(w word) (list []word) {
	texts := strings.FieldsFunc(w.text, func(c rune) bool {
		return !strings.ContainsRune("_./+-@{}%", c) && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c < 0x80
	})
	for _, text := range texts {
		list = append(list, word{text: text, fixed: true, one: true})
	}
	return list
}

// readsItself is readsCommands without the commands in its arguments.
func readsItself(command []word, named []int) bool {
	name, args := command[0].text, command[1:]
	p := programOf(name)
	if p == nil {
		return len(named) > 0 && inputAmong(command, named)
	}
	is := func(set map[string]bool) bool {
		return slices.ContainsFunc(args, func(w word) bool { return hasName(set, w.text) })
	}
	switch {
	case harmlessAlone(name, command, p):
		return false
	case p.script && p.find(args).input:
		return true
	case !p.script && p.input > p.leading(args) && !is(p.unless):
		return true
	case !p.script && (is(p.reads) || inputAmong(command, named)):
		return true
	case len(p.held) > 0 && slices.ContainsFunc(args, interactive) && !slices.ContainsFunc(args[:min(2, len(args))], func(w word) bool { return hasName(p.held, w.text) }):
		return true
	}
	return fed(command)
}

// inputAmong reports whether one of the arguments that a rule must name is the input.
func inputAmong(command []word, named []int) bool {
	return slices.ContainsFunc(named, func(i int) bool {
		return i < len(command) && isInput(command[i].text) && !output().MatchString(command[i-1].text)
	})
}

// output is an option whose value is a file that is written.
var output = lazy.Regexp(`^-\w*[oO]$|^--out`)

// leading counts the arguments that are no options, up to an option that is not known.
func (p *program) leading(args []word) (n int) {
	next := false
	for _, w := range args {
		switch {
		case !w.one:
			return n
		case next:
			next = false
		case strings.HasPrefix(w.text, "-"):
			var known bool
			if known, next = p.option(w.text, ""); !known || !w.fixed {
				return n
			}
		default:
			n++
		}
	}
	return n
}

// interactive reports whether an option connects a program in a container with the input.
func interactive(w word) bool {
	letters, one := strings.CutPrefix(w.text, "-")
	return w.text == "--interactive" || w.text == "--stdin" || strings.HasPrefix(w.text, "--interactive=") || strings.HasPrefix(w.text, "--stdin=") ||
		one && strings.Trim(letters, "itd") == "" && strings.Contains(letters, "i")
}

// wrapped returns the commands that the arguments of another may be.
func wrapped(command []word) (list [][]word) {
	p, args := programOf(command[0].text), command[1:]
	if p == nil || len(command) > maxNamed {
		return nil
	}
	for i, w := range args {
		executes := i > 0 && slices.Contains(execs[programName(command[0])], args[i-1].text)
		if w.fixed && !strings.HasPrefix(w.text, "-") && (p.runs || executes) {
			list = append(list, args[i:])
		}
	}
	return list
}

// execs are options before a command that is run for each file.
var execs = map[string][]string{
	"find": findExecs, "gfind": findExecs, "fd": fdExecs, "fdfind": fdExecs,
}

var (
	findExecs = strings.Fields("-exec -execdir -ok -okdir")
	fdExecs   = strings.Fields("-x -X --exec --exec-batch")
)

// fed reports whether a program that gets words from elsewhere can become another by these: xargs, find -exec.
func fed(command []word) bool {
	var inner []word
	open := true // they may be options
	args := command[1:]
	switch programName(command[0]) {
	case "xargs", "gxargs":
		var known bool
		if inner, known = appended(args); !known {
			return true
		}
	case "find", "gfind":
		open = false // they begin with the name of a folder
		for i, w := range args {
			if slices.Contains(findExecs, w.text) && odd(substituted(until(args[i+1:]), []string{"{}"}, open)) {
				return true
			}
		}
	case "fd", "fdfind":
		for i, w := range args {
			if slices.Contains(fdExecs, w.text) {
				texts := substituted(until(args[i+1:]), []string{"{}", "{.}", "{/}", "{//}", "{/.}"}, open)
				if !slices.ContainsFunc(texts, func(w word) bool { return !w.fixed }) {
					texts = append(texts, word{open: true, one: true})
				}
				if odd(texts) {
					return true
				}
			}
		}
	}
	return odd(inner)
}

func programName(w word) string { return w.text[strings.LastIndexByte(w.text, '/')+1:] }

// until returns the words of -exec.
func until(args []word) []word {
	end := slices.IndexFunc(args, func(w word) bool { return w.text == ";" || w.text == "+" })
	if end < 0 {
		end = len(args)
	}
	return args[:end]
}

// odd reports whether what is put into a command can make it another: its name, an option, the program of an interpreter.
func odd(command []word) bool {
	if len(command) == 0 {
		return false
	}
	if !command[0].fixed {
		return true
	}
	p := programOf(command[0].text)
	check := check[programName(command[0])]
	list := named(command)
	return slices.ContainsFunc(list, func(i int) bool {
		w := command[i]
		given := p != nil && (p.script || p.wraps)
		if check != nil {
			given = !check(command[1:], i-1)
		}
		return !w.fixed && (w.open || given)
	}) || p != nil && p.script && p.find(command[1:]).input
}

// substituted returns words in which others are put in place of some.
func substituted(words []word, places []string, open bool) []word {
	list := slices.Clone(words)
	for i, w := range list {
		for _, place := range places {
			if w.fixed && strings.Contains(w.text, place) {
				list[i].fixed, list[i].open = false, open && strings.HasPrefix(w.text, place)
				list[i].text = strings.ReplaceAll(w.text, place, "")
			}
		}
	}
	return list
}

// appended returns the command of xargs, with its input as words that are not fixed. None if the arguments are not known.
func appended(args []word) (command []word, known bool) {
	place := ""
	for i := 0; i < len(args); i++ {
		w := args[i]
		text := w.text
		option, value, valued := strings.Cut(text, "=")
		switch {
		case !w.fixed:
			return nil, false
		case text == "--" || !strings.HasPrefix(text, "-"):
			if text == "--" {
				i++
			}
			if place != "" {
				return substituted(args[i:], []string{place}, true), true
			}
			return append(slices.Clone(args[min(i, len(args)):]), word{open: true}), true
		case slices.Contains([]string{"-0", "-r", "-t", "-x", "--null", "--no-run-if-empty", "--verbose", "--exit", "-0r", "-r0"}, text):
		case option == "--replace" && (!valued || value != ""), text == "-i":
			if place = "{}"; valued {
				place = value
			}
		case strings.HasPrefix(text, "-i"), strings.HasPrefix(text, "-I") && len(text) > 2:
			place = text[2:]
		case slices.Contains([]string{"-I", "-J", "-n", "-L", "-P", "-s", "-d", "-a", "-E"}, text) && i+1 < len(args) && args[i+1].fixed:
			if i++; text == "-I" || text == "-J" {
				place = args[i].text
			}
		case len(text) > 2 && strings.ContainsRune("nLPsdaE", rune(text[1])) && text[1] != '-':
		case valued && slices.Contains([]string{"--max-args", "--max-procs", "--max-lines", "--max-chars", "--delimiter", "--arg-file"}, option):
		default:
			return nil, false
		}
	}
	return nil, true
}
