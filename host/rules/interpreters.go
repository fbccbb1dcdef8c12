package rules

import (
	"cmp"
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

var (
	// codeFlag is an option of a shell with -c among its letters.
	codeFlag = lazy.Regexp(`^[-+][A-Za-z]*c[A-Za-z]*$|^--command`)
	// takesName is one that ends with a letter whose value is the name of an option.
	takesName = lazy.Regexp(`^[-+][A-Za-z]*[oO]$`)
	// carrying are words after which the command of another program begins, or a text for a shell.
	carrying = strings.Fields("exec run x dlx foreach ssh -c -x -e --command --exec --run --call --")
	// textual are wrappers that hand their arguments to a shell.
	textual = strings.Fields(`ssh sshpass su sg runuser script watch parallel env_parallel rush sem hyperfine watchexec entr
		cross-env-shell flock lxc machinectl zrun`)
	// typing are programs that type into others, or keep what is to run later.
	typing = strings.Fields("tmux screen byobu expect at batch crontab ansible zellij")
	// splitting is the option of env whose value is a command.
	splitting = lazy.Regexp(`^-[A-Za-z0]*S|^--split-string=?|^--s[a-z-]*=?`)
)

// carried returns what a command may run by its arguments: commands, and texts for a shell. opaque reports whether it may run what is in
// neither.
func (b *budget) carried(command []word) (commands [][]word, list []string, opaque bool) {
	p, name, args := programOf(command[0].text), baseName(command[0].text), command[1:]
	switch {
	case !b.spend(command), slices.Contains(typing, name):
		return nil, nil, true
	case p == nil:
		runs := mayRun[name]
		return nil, nil, runs != nil && runs(args)
	case p.script:
		return p.carried(name, args)
	case name == "env":
		for i, w := range args {
			option := splitting().FindString(w.text)
			switch value := w.text[len(option):]; {
			case option == "":
			case value == "" && i+1 < len(args) && args[i+1].fixed:
				list = append(list, args[i+1].text)
			case value == "" || !w.fixed:
				opaque = true
			default:
				list = append(list, value)
			}
		}
		return nil, list, opaque || !namesProgram(args)
	case slices.Contains(textual, name):
		for _, w := range args {
			opaque = opaque || !w.fixed
			if text := strings.TrimLeft(w.text, "-"); text == w.text && strings.ContainsAny(text, " \t\n;|&") {
				list = append(list, text)
			} else if _, value, ok := strings.Cut(w.text, "="); ok && text != w.text || strings.HasPrefix(w.text, "-c") {
				list = append(list, cmp.Or(value, strings.TrimPrefix(w.text, "-c"), ":"))
			}
		}
		return nil, list, opaque
	case p.wraps:
		for i, w := range args[:max(0, len(args)-1)] {
			if strings.HasSuffix(name, "x") && (w.text == "-c" || w.text == "--call") { // of npx
				list = append(list, cmp.Or(args[i+1].text, ":"))
			}
		}
		return nil, list, !namesProgram(args)
	}

	opaque = p.aliased(args)
	spells := p.every || p.relays || name == "git" // a name may be in an argument, in pieces
	for _, i := range b.named(command) {
		w := command[i]
		opaque = opaque || spells && strings.ContainsAny(w.text, "\"'\\$`") || unread(name, w.text)
		builds := name == "go" || name == "cargo" || w.text == "x" && !slices.Contains(shortens, name) // and runs what it has built
		if len(commands) > 0 || builds || !slices.Contains(carrying, w.text) {
			continue
		}
		if i+1 < len(command) {
			list = append(list, firstPlain(command[i+1:])...)
			opaque = opaque || !command[i+1].fixed
		}
		for j := i + 1; j < min(len(command), i+maxNamed); j++ {
			if command[j].fixed && !strings.HasPrefix(command[j].text, "-") {
				commands = append(commands, command[j:])
			}
		}
	}
	return commands, list, opaque
}

// aliased reports whether the first of the arguments that is no option may be an alias that somebody has configured.
func (p *program) aliased(args []word) bool {
	for i := 0; i < len(args) && len(p.own) > 0; i++ {
		switch w := args[i]; {
		case hasName(p.valued, w.text):
			i++
		case !strings.HasPrefix(w.text, "-"):
			return !hasName(p.own, w.text) && !hasName(p.first, w.text) && !p.nests(w.text+"/")
		}
	}
	return false
}

// unread reports whether an argument has code, or gives a command another name.
func unread(name, text string) bool {
	switch name {
	case "git":
		text = strings.ToLower(text)
		return strings.Contains(text, "=!") || strings.Contains(text, "alias.") || strings.HasPrefix(text, "include") ||
			strings.Contains(text, "::") || strings.HasPrefix(text, "--exec-path")
	case "deno", "bun":
		return slices.Contains(strings.Fields("eval -e -p --eval --print"), text)
	}
	return false
}

// firstPlain returns the first of some words that is no option, if it is more than one word to a shell.
func firstPlain(words []word) []string {
	i := slices.IndexFunc(words, func(w word) bool { return !strings.HasPrefix(w.text, "-") })
	if i < 0 || !strings.ContainsAny(words[i].text, " \t\n;|&") {
		return nil
	}
	return []string{words[i].text}
}

// namesProgram reports whether what a wrapper runs is among its words before one that is not fixed, if there is such a word, and no
// variable is set before it by which that may run something else.
func namesProgram(args []word) bool {
	for _, w := range args {
		name, value, sets := strings.Cut(w.text, "=")
		switch {
		case !w.fixed, sets && !strings.HasPrefix(name, "-") && !harmlessTo(name, value):
			return false
		case w.text != "" && !strings.ContainsAny(w.text, "=") && !strings.ContainsAny(w.text[:1], "-0123456789"):
			return true
		}
	}
	return true
}

// carried is that of an interpreter: the text of a shell, or a script that may be a program of its own.
func (p *program) carried(name string, args []word) (commands [][]word, list []string, opaque bool) {
	code := slices.IndexFunc(args, func(w word) bool { return codeFlag().MatchString(w.text) })
	if shell := p.every && name != "osascript"; shell && code >= 0 {
		for i := code + 1; i < len(args); i++ {
			switch {
			case !args[i].fixed:
				return nil, nil, true
			case takesName().MatchString(args[i].text):
				i++
			case args[i].text == "" || !strings.ContainsAny(args[i].text[:1], "-+"):
				return nil, []string{args[i].text}, false
			}
		}
		if attached := strings.SplitN(args[code].text, "=", 2); len(attached) == 2 {
			return nil, attached[1:], false
		}
		return nil, nil, true
	}

	is := p.parse(args)
	for _, w := range args[:is.named] {
		kind, _ := p.takes(w.text)
		cluster := strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--")
		opaque = opaque || !w.fixed || len(w.text) > 1 && w.text[0] == '-' && (kind == isCode || kind == isLast) && !p.deaf ||
			cluster && kind == isUnknown && strings.ContainsAny(w.text, cmp.Or(p.codes, "ce"))
	}
	if is.script < len(args) && args[is.script].fixed {
		commands = append(commands, args[is.script:])
	}
	return commands, nil, opaque
}
