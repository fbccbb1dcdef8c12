package rules

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed programs.txt
var table string

// programs returns, by name, the programs that run others or write files by their arguments.
var programs = sync.OnceValue(func() map[string]*program { return known(table) })

// traits are what a word of the table alone says.
type traits struct {
	plain   bool // anything
	within  bool // what its words lead to is run, or has configuration that is
	fetches bool // it gets what its words name from elsewhere
	every   bool // nothing
	wraps   bool // nothing: its last arguments are a command
	script  bool // what comes after its script, or after its code and all options
	deaf    bool // it reads no script from its input
	apart   bool // values of options of one letter are always the next word
	endless bool // "--" is not the end of options
	sets    bool // arguments with = set variables
	relays  bool // its arguments may be read by a shell
}

// program has what a program may be given without a rule that names it.
type program struct {
	traits

	input   int                 // its input says what it does, unless it has so many arguments first that are no options; 0: never
	letters string              // options of one letter, also where several stand together
	values  string              // the same, with a value
	long    map[string]bool     // options with two dashes; true if the next word may be their value
	either  map[string]bool     // options with one dash or two
	first   map[string]bool     // what the first arguments may be that are no options; empty: anything
	before  map[string]bool     // options before the first argument; one of one letter has one dash
	but     map[string][]string // letters that are not known after a first argument
	only    map[string]bool     // what all arguments may be that are no options; empty: anything

	codes    string          // options of one letter whose value is code, in place of a script
	attached string          // options of one letter of which the rest of the word is the value
	code     map[string]bool // options whose value is code
	last     map[string]bool // options whose value is the program, or its name: what follows are its arguments
	module   map[string]bool // options whose value is the name of a program of the table, or of another
	reads    map[string]bool // arguments by which it reads from its input what to do
	alone    map[string]bool // the same, as long as no argument follows that is no option
	unless   map[string]bool // arguments with which it reads nothing from there
	held     map[string]bool // first arguments of which -i is for a command in a container, which follows; empty: it has no -i
	files    map[string]bool // options whose value is a file that is read, if it begins with "@"
	own      map[string]bool // further first arguments that are the program's own; another one may be an alias. Empty: it has no aliases
	valued   map[string]bool // options before the first argument whose value is the next word
	after    map[string]bool // options that may follow "--", for another program; empty: there are none
}

// known reads the table; its head says what the words mean.
func known(table string) map[string]*program {
	list := map[string]*program{}
	var p *program // that the indented lines are about
	begun := true
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if strings.HasPrefix(line, " ") {
			begun = true
			p.add(words[0], words[1:])
			continue
		}
		if begun {
			p, begun = newProgram(), false
		}
		for _, name := range words {
			if list[name] != nil {
				panic("programs.txt: twice: " + name)
			}
			list[name] = p
		}
	}

	return list
}

func newProgram() *program {
	p := &program{but: map[string][]string{}}
	for _, set := range p.lists() {
		*set = map[string]bool{}
	}
	return p
}

// lists returns what has words of its own, by the names of the table.
func (p *program) lists() map[string]*map[string]bool {
	return map[string]*map[string]bool{
		"long": &p.long, "either": &p.either, "first": &p.first, "before": &p.before, "only": &p.only, "code": &p.code, "last": &p.last,
		"module": &p.module, "reads": &p.reads, "alone": &p.alone, "unless": &p.unless, "after": &p.after, "held": &p.held,
		"files": &p.files, "own": &p.own, "valued": &p.valued,
	}
}

// flags returns what a word alone says, by the names of the table.
func (p *program) flags() map[string]*bool {
	return map[string]*bool{
		"every": &p.every, "wraps": &p.wraps, "script": &p.script, "deaf": &p.deaf, "apart": &p.apart, "endless": &p.endless,
		"sets": &p.sets, "relays": &p.relays, "plain": &p.plain, "within": &p.within, "fetches": &p.fetches,
	}
}

func (p *program) add(what string, words []string) {
	set, flag := p.lists()[what], p.flags()[what]
	switch {
	case flag != nil && len(words) == 0:
		*flag = true
		p.every = p.every || p.wraps
	case set != nil:
		for _, word := range words {
			name, value := strings.CutSuffix(word, "=")
			(*set)[name] = value
		}
	case what == "but" && len(words) == 2:
		p.but[words[0]] = strings.Split(words[1], "")
	case what == "letters":
		p.letters += strings.Join(words, "")
	case what == "values":
		p.values += strings.Join(words, "")
	case what == "codes":
		p.codes += strings.Join(words, "")
	case what == "attached":
		p.attached += strings.Join(words, "")
	case what == "input" && len(words) == 1:
		p.input, _ = strconv.Atoi(words[0])
	default:
		panic(fmt.Sprintf("programs.txt: %s %v", what, words))
	}
}

// option reports whether an option is known, where the first argument that is no option is sub, "" before that; and whether its value
// is the next word.
func (p *program) option(text, sub string) (known, takes bool) {
	if len(p.first) > 0 && sub == "" {
		name, single := strings.CutPrefix(text, "--")
		if !single {
			name = strings.TrimPrefix(text, "-")
		}
		name, _, value := strings.Cut(name, "=")
		takes, known = p.before[name]
		return known && single == (len(name) > 1), takes && !value
	}
	if name, two := strings.CutPrefix(text, "--"); two {
		return lookup(name, p.long, p.either)
	}

	name := strings.TrimPrefix(text, "-")
	if known, takes = lookup(name, p.either); known {
		return known, takes
	}
	for i, c := range name {
		switch {
		case slices.Contains(p.but[sub], string(c)):
			return false, false
		case strings.ContainsRune(p.values, c):
			end := i+len(string(c)) == len(name)
			return end || !p.apart, end
		case !strings.ContainsRune(p.letters, c):
			return false, false
		}
	}

	return name != "", false
}

// lookup finds an option, without its dashes, in tables.
func lookup(option string, tables ...map[string]bool) (known, takes bool) {
	name, _, value := strings.Cut(option, "=")
	for _, table := range tables {
		if _, whole := table[option]; whole && value {
			return true, false
		}
		if takes, known = table[name]; known {
			return true, takes && !value
		}
	}
	return false, false
}

func hasName(set map[string]bool, name string) bool {
	_, ok := set[name]
	return ok
}

// changing lists commands that can change what others do, or that run their arguments.
var changing = strings.Fields(`alias unalias eval source . trap exec command builtin enable set shopt setopt unsetopt emulate hash
	export readonly typeset declare local integer float let read mapfile readarray unset getopts bind complete compgen fc jobs
	zmodload autoload functions sched zle zstyle noglob nocorrect coproc repeat foreach - vared bindkey ulimit umask
	r hist redirect login newgrp compound enum nameref global rename substring`)

// options are those of shells that set may name.
var options = []string{"errexit", "nounset", "xtrace", "pipefail"}
