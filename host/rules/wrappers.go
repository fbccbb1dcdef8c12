package rules

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// Wrappers run the command that their last arguments are; others run one of their input, by an option or an argument.

// maxNamed is how many arguments are looked at.
const maxNamed = 500

// readsCommands reports whether a command reads what to do from its input, which no rule can name: as a program, or as words for one.
// It may itself, or by a command in those of its arguments that a rule must name.
func (b *budget) readsCommands(command []word, list []int) bool {
	if len(list) > maxNamed || !b.spend(command) || b.readsItself(command, list) {
		return true
	}

	p := programOf(command[0].text)
	if len(list) == 0 || p != nil && p.script && !p.every {
		return p != nil && p.script && b.readsModule(command)
	}
	for _, i := range list {
		if i >= len(command) {
			break
		}
		if !b.spend(command[i:]) {
			return true
		}

		rest, option := command[i:], slices.Contains(commandOptions, command[i-1].text)
		switch {
		case b.mayRead(rest), b.mayRead(until(rest)), option && b.readsItself(rest[:1], nil): // until is for find -exec
			return true
		case (p != nil && p.wraps || option || strings.Contains(rest[0].text, "!")) && b.computes(rest[0]):
			return true
		}

		if texts := split(rest[0].text, inNames); len(texts) > 1 || len(texts) == 1 && texts[0].text != rest[0].text {
			for j := range texts {
				if b.mayRead(texts[j:]) {
					return true
				}
			}
		}
	}

	return false
}

// mayRead is readsItself of words that may be a command.
func (b *budget) mayRead(command []word) bool {
	switch {
	case len(command) == 0:
		return false
	case command[0].text == "" || !command[0].fixed:
		return b.readsItself(command, nil)
	}
	return b.readsItself(command, b.named(command))
}

// commandOptions are options of which the next word alone is a command.
var commandOptions = strings.Fields("-c -x -X -e -C -S --command --exec --cmd --shell --rsh --call")

// readsModule reports whether the script or module of an interpreter is a program that reads commands.
func (b *budget) readsModule(command []word) bool {
	p, args := programOf(command[0].text), command[1:]
	is := p.parse(args)
	if is.script >= len(args) {
		return false
	}

	inner := args[is.script:]
	switch {
	case programOf(inner[0].text) != nil:
		return b.readsCommands(inner, b.named(inner))
	case is.module:
		return slices.ContainsFunc(inner, func(w word) bool { return hasName(p.reads, w.text) }) || b.readsCommands(inner, indices(inner))
	}

	return false
}

// inNames are signs in the name of a program, or of what is replaced by one.
const inNames = "_./+-@{}%"

// split returns the words in an argument that may be a command: of a script, an option's value. They have letters, digits and some
// signs.
func split(text, signs string) (list []word) {
	texts := strings.FieldsFunc(text, func(c rune) bool {
		return !strings.ContainsRune(signs, c) && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c < 0x80
	})
	for _, text := range texts {
		list = append(list, word{text: text, fixed: true, one: true})
	}
	return list
}

// computes reports whether a text is a script that computes the name of a command, as $SHELL.
func (b *budget) computes(w word) bool {
	if !w.fixed || !strings.ContainsAny(w.text, "$`") {
		return false
	}
	if !b.take(perParse + perByte*len(w.text)) {
		return true
	}

	text := w.text[strings.IndexByte(w.text, '!')+1:]
	file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	if err != nil {
		return true
	}

	computed := false
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			name := newWord(call.Args[0])
			computed = computed || !name.fixed || slices.Contains(changing, name.text)
		}
		return true
	})
	return computed
}

// readsItself is readsCommands without the commands in its arguments.
func (b *budget) readsItself(command []word, named []int) bool {
	if !b.spend(command) {
		return true
	}

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
	case p.script && p.parse(args).input:
		return true
	case !p.script && p.input > p.leading(args) && !is(p.unless):
		return true
	case isTar(baseName(name)) && len(named) > 0 && !slices.ContainsFunc(args, namesFile):
		return true
	case !p.script && (is(p.reads) && !is(p.unless) || p.standsAlone(args) || inputAmong(command, named)):
		return true
	case p.attaches(args):
		return true
	}

	return b.fed(command)
}

// standsAlone reports whether one of the arguments that need others has none.
func (p *program) standsAlone(args []word) bool {
	i := slices.IndexFunc(args, func(w word) bool { return hasName(p.alone, w.text) })
	return i >= 0 && !slices.ContainsFunc(args[i+1:], func(w word) bool { return w.text != "" && w.text[0] != '-' })
}

// inputAmong reports whether one of the arguments that a rule must name is the input.
func inputAmong(command []word, named []int) bool {
	written := output()
	if isTar(baseName(command[0].text)) {
		written = archived()
	}
	return slices.ContainsFunc(named, func(i int) bool {
		return i < len(command) && isInput(command[i].text) && !written.MatchString(command[i-1].text)
	})
}

var (
	// output is an option whose value is a file that is written.
	output = lazy.Regexp(`^-\w*[oO]$|^--out`)
	// archived is the same for tar.
	archived = lazy.Regexp(`^-?[vzjJhp]*c[vzjJhp]*f$`)
)

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
		case strings.TrimSpace(w.text) != "" || !w.fixed:
			n++
		}
	}

	return n
}

// namesFile reports whether an argument of tar is, or has, the option for its archive.
func namesFile(w word) bool {
	return strings.HasPrefix(w.text, "--file") || !strings.HasPrefix(w.text, "--") && strings.Contains(w.text, "f")
}

// attaches reports whether the program itself gets the input by -i, and not a command in a container.
func (p *program) attaches(args []word) bool {
	if len(p.held) == 0 || !slices.ContainsFunc(args, interactive) {
		return false
	}
	return !slices.ContainsFunc(args[:min(2, len(args))], func(w word) bool { return hasName(p.held, w.text) })
}

// interactive reports whether an option connects a program in a container with the input.
func interactive(w word) bool {
	option, _, _ := strings.Cut(w.text, "=")
	letters := strings.HasPrefix(option, "-") && !strings.HasPrefix(option, "--")
	return option == "--interactive" || option == "--stdin" || letters && strings.Contains(option, "i")
}

// wrapped returns the commands that the arguments of another may be; whole is false if there are too many.
func wrapped(command []word) (list [][]word, whole bool) {
	p, args := programOf(command[0].text), command[1:]
	if p == nil {
		return nil, true
	}

	options := execs[baseName(command[0].text)].options
	if len(command) > maxNamed {
		return nil, !p.wraps && len(options) == 0
	}
	for i, w := range args {
		executes := i > 0 && slices.Contains(options, args[i-1].text)
		if w.fixed && !strings.HasPrefix(w.text, "-") && (p.wraps || executes) {
			list = append(list, args[i:])
		}
	}

	return list, true
}

// executor is a program that runs a command for each file that it finds.
type executor struct {
	options []string // before the command
	places  []string // what it replaces with the name of the file in the words of the command
	bare    bool     // names may begin with "-"; one is appended to a command that has no place for it
}

var (
	find = executor{options: strings.Fields("-exec -execdir -ok -okdir"), places: []string{"{}"}}
	fd   = executor{options: strings.Fields("-x -X --exec --exec-batch"), places: strings.Fields("{} {.} {/} {//} {/.}"), bare: true}

	execs = map[string]executor{"find": find, "fd": fd, "fdfind": fd}
)

// fed reports whether a program that gets words from elsewhere can become another by these: xargs, find -exec.
func (b *budget) fed(command []word) bool {
	name, args := baseName(command[0].text), command[1:]
	if name == "xargs" || name == "gxargs" {
		inner, known := appended(args)
		return !known || b.odd(inner)
	}
	e := execs[name]
	for i, w := range args {
		if slices.Contains(e.options, w.text) && (!b.spend(args[i:]) || !b.spend(until(args[i+1:])) || b.odd(e.filled(until(args[i+1:])))) {
			return true
		}
	}
	return false
}

// filled returns a command with the name of a file.
func (e executor) filled(command []word) []word {
	list := substituted(command, e.places, e.bare)
	if e.bare && !slices.ContainsFunc(list, func(w word) bool { return !w.fixed }) {
		list = append(list, word{open: true, one: true})
	}
	return list
}

// until returns the words of -exec, and of other commands before what follows them.
func until(args []word) []word {
	end := slices.IndexFunc(args, func(w word) bool { return w.text == ";" || w.text == "+" || strings.HasPrefix(w.text, ":::") })
	if end < 0 {
		end = len(args)
	}
	return args[:end]
}

// odd reports whether what is put into a command can make it another: its name, an option, the program of an interpreter.
func (b *budget) odd(command []word) bool {
	if len(command) == 0 {
		return false
	}
	if !command[0].fixed || !b.spend(command) {
		return true
	}

	p := programOf(command[0].text)
	harmless := check[baseName(command[0].text)]
	return slices.ContainsFunc(b.named(command), func(i int) bool {
		w := command[i]
		given := p != nil && (p.script || p.every || p.relays)
		if harmless != nil {
			given = !b.spend(command[:i]) || !harmless(command[1:], i-1)
		}
		return !w.fixed && (w.open || given)
	}) || p != nil && p.script && p.parse(command[1:]).input
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
		case valued && slices.Contains(
			[]string{"--max-args", "--max-procs", "--max-lines", "--max-chars", "--delimiter", "--arg-file"}, option):
		default:
			return nil, false
		}
	}

	return nil, true
}
