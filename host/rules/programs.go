package rules

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// Some programs run others, or write files, by their arguments: git diff --output=x, find -exec, tar --checkpoint-action. What is known
// to do neither is in programs.txt. A rule that allows such a command must name each word from the first on that is not known; a rule for
// its first words does not match.

// target is what the name of a compiler for other machines begins with.
var target = lazy.Regexp(`^[\w.]+-([\w.]+-)?(linux|none|apple|w64|unknown|pc|elf|eabi|gnu|musl|mingw32)[\w.]*-([\w.]+-)?`)

// programOf returns the program that the table has under a name, nil if it has none. Some disks do not tell capitals from small letters.
func programOf(name string) *program {
	name = filepath.Base(name)
	lower := baseName(name)
	return cmp.Or(programs()[name], programs()[lower], programs()[strings.TrimRight(lower, "0123456789.-")]) // python3.12
}

// baseName is the name of a program without its folder, and as others of its kind are called.
func baseName(name string) string {
	name = strings.TrimSuffix(strings.ToLower(filepath.Base(name)), ".exe")
	if strings.Contains(name, "-") {
		name = target().ReplaceAllString(name, "")
	}
	if gnu, ok := strings.CutPrefix(name, "g"); ok && !inTable(name) && inTable(gnu) {
		return gnu // gfind, as some systems call it
	}
	return name
}

// inTable reports whether it is known what a program of a name may be given.
func inTable(name string) bool { return programs()[name] != nil || check[name] != nil }

// risks returns the indices of the arguments that could make a program run or write something. len(command) means its input.
func (b *budget) risks(command []word) []int {
	list := b.named(command)
	if p := programOf(command[0].text); (p != nil || list != nil) && b.readsCommands(command, list) {
		list = append(list, len(command))
	}
	return list
}

// named returns the indices of the arguments that a rule must name.
func (b *budget) named(command []word) (list []int) {
	if !b.spend(command) {
		return indices(command)
	}

	name, args := baseName(command[0].text), command[1:]
	p, harmless := programOf(command[0].text), check[name]
	switch {
	case p != nil && (p.plain || harmlessAlone(name, command, p)):
		return nil
	case p != nil && p.script && !p.every:
		return b.interpreted(p, args)
	}

	from := len(args)
	if p != nil {
		from = b.unknown(p, name, args)
	}
	for i := range args[:from] {
		if harmless != nil && (!b.spend(args[:i]) || !harmless(args, i)) {
			from = i
			break
		}
	}

	for i := from; i < len(args); i++ {
		list = append(list, i+1)
	}

	return list
}

// interpreted returns the indices of the arguments of an interpreter that a rule must name: those up to its script, and those of a
// script or a module that is a program of the table.
func (b *budget) interpreted(p *program, args []word) (list []int) {
	is := p.parse(args)
	for i := range is.named {
		list = append(list, i+1)
	}

	if inner := args[is.script:]; len(inner) > 0 && inner[0].fixed && (programOf(inner[0].text) != nil || is.module) {
		more := b.named(inner)
		if programOf(inner[0].text) == nil { // what a module takes is not known
			more = indices(inner)
		}
		for _, i := range more {
			list = append(list, is.script+i+1)
		}
	}

	return list
}

// indices returns those of the arguments of a command.
func indices(command []word) (list []int) {
	for i := range command[1:] {
		list = append(list, i+1)
	}
	return list
}

// unknown returns the index of the first argument that the table does not have, len(args) if it has all.
func (b *budget) unknown(p *program, name string, args []word) int {
	if p.every {
		return 0
	}

	sub, nested, option, next, ended := "", "", "", false, false // option is one whose value may be a file
	plain := 0                                                   // arguments that are no options
	last := len(args) - 1
	for last >= 0 && strings.HasPrefix(args[last].text, "-") {
		last--
	}

	for i, w := range args {
		dashed := w.fixed && len(w.text) > 1 && w.text[0] == '-' && !ended
		switch {
		case p.relays && (!w.fixed || signs().MatchString(w.text)):
			return i
		case !dashed && !next && p.strays(name, sub, w), next && (p.within && elsewhere(w) || p.filed(option, w)):
			return i
		case ended && len(p.after) > 0 && strings.HasPrefix(w.text, "-") && !p.follows(w), ended && len(p.after) > 0 && w.open:
			return i
		case !w.fixed &&
			(w.open && !ended && !b.isMessage(name, args, i) || sub == "" && (len(p.first) > 0 || isTar(name)) || len(p.only) > 0):
			return i
		case p.sets && (!w.fixed || strings.Contains(w.text, "=")),
			!ended && strings.HasPrefix(w.text, "@") && !slices.Contains(plainAt, name),
			name == "git" && strings.Contains(w.text, "::"), isTar(name) && (!w.fixed || strings.Contains(w.text, ":")):
			return i // a variable, a file of options, a program for a remote
		case w.fixed && w.text == "--" && name != "find" && !ended:
			if p.endless {
				return i
			}
			ended, next = true, false
			continue
		case dashed && nested != "" && last > i:
			return i // whether it takes the next word is not known
		case dashed:
			known, takes := p.option(w.text, sub)
			if !known {
				return i
			}
			var value string
			option, value = p.valueOf(w.text)
			if next = takes; !next && p.filed(option, word{text: value, fixed: true}) {
				return i
			}
			continue
		case next: // the value of an option
			next = false
			continue
		case w.fixed && !ended && strings.HasPrefix(w.text, "+") && name != "date", name == "dotnet" && strings.HasPrefix(w.text, "/"):
			return i // a toolchain, an option
		case len(p.only) > 0 && !hasName(p.only, w.text):
			return i
		case sub == "" && isTar(name):
			if i == 0 && strings.Trim(w.text, p.letters+p.values) != "" {
				return i
			}
		case sub == "" && len(p.first) > 0:
			if nested = w.text + "/"; hasName(p.first, w.text) {
				nested = ""
			} else if !p.nests(nested) || i == len(args)-1 {
				return i
			}
		case nested != "":
			if !hasName(p.first, nested+w.text) {
				return i
			}
			nested = ""
		case name == "git" && plain == 1 && slices.Contains(transfers, sub) && !(w.fixed && slices.Contains(remotes, w.text)):
			return i // maybe a folder, in which hooks run
		}

		plain++
		sub = cmp.Or(sub, w.text, " ")
	}

	return len(args)
}

// signs are those by which a shell does something else with a word than take it, or makes several of it.
var signs = lazy.Regexp("[^\\w,.:/@%+=^!\\]-]")

// follows reports whether an option may follow "--", where others are another program's.
func (p *program) follows(w word) bool {
	name, _, valued := strings.Cut(w.text, "=")
	_, whole := p.after[w.text]
	return w.fixed && (whole && !p.after[w.text] || valued && p.after[name])
}

var (
	// transfers are commands of git whose first argument is a remote, or a folder.
	transfers = strings.Fields("push fetch pull ls-remote")
	// remotes are usual names of remotes.
	remotes = strings.Fields("origin upstream")
	// plainAt are programs for which a word with @ is no file of options.
	plainAt = strings.Fields("git gh glab curl npm pnpm yarn rg")
)

// nests reports whether a first argument may have a second.
func (p *program) nests(prefix string) bool {
	for name := range p.first {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// isTar reports whether the first argument of a program may have the letters of options without a dash.
func isTar(name string) bool { return slices.Contains([]string{"tar", "gtar", "bsdtar", "star"}, name) }

// isMessage reports whether the word at i is the message of a commit, whatever it begins with.
func (b *budget) isMessage(name string, args []word, i int) bool {
	return name == "git" && i > 1 && b.spend(args[:i]) && args[0].fixed && args[0].text == "commit" && args[i].one &&
		args[i-1].fixed && slices.Contains([]string{"-m", "-am", "--message"}, args[i-1].text) &&
		!slices.ContainsFunc(args[1:i-1], takesNext)
}

// takesNext reports whether a word before a message may be an option that takes the next word, or the end of options.
func takesNext(w word) bool {
	return !w.fixed ||
		!slices.Contains([]string{"-m", "-a", "-am", "-q", "-s", "-v", "--message", "--all", "--amend", "--no-verify"}, w.text)
}

// harmlessAlone reports whether a program with these arguments only says something of itself, or of its environment.
func harmlessAlone(name string, command []word, p *program) bool {
	if len(command) == 1 {
		return name == "env" || !p.every && !p.script && p.input == 0
	}
	word := command[1].text
	asks := word == "--version" || word == "--help" || slices.Contains(versions[word], name)
	return !p.every && len(command) == 2 && command[1].fixed && asks
}

// versions are by a short option the programs that only print their version, given nothing else.
var versions = map[string][]string{
	"-v": strings.Fields("node nodejs npm pnpm yarn bun ruby perl php tsc docker"),
	"-V": strings.Fields("python python3 pip pip3 cargo rustc deno uv curl ssh"),
}

var (
	// lists are programs whose arguments are things to do, in any order.
	lists = strings.Fields("make gmake bmake just rake gradle gradlew mvn mvnw ninja task mage tox nox ant doit invoke")
	// shortens are programs that know their subcommands by how these begin.
	shortens = strings.Fields("npm cnpm hg ip")
	// gnus are programs that some systems have with a g before the name.
	gnus = strings.Fields("rm mv cp ln dd chmod chown chgrp kill shred truncate unlink rmdir mkdir touch link mknod mkfifo")
)

// spelled returns a command as rules that deny or ask read it.
func spelled(command []word) spelling {
	name := baseName(command[0].text)
	s := spelling{
		names: []string{filepath.Base(command[0].text), name}, args: command[1:],
		flag: func(string) bool { return false }, listed: slices.Contains(lists, name), short: slices.Contains(shortens, name),
	}
	if gnu, ok := strings.CutPrefix(name, "g"); ok && slices.Contains(gnus, gnu) {
		s.names = append(s.names, gnu)
	}
	p := programOf(name)
	if p != nil {
		if bare := strings.TrimRight(name, "0123456789.-"); programs()[bare] == p { // python3.12
			s.names = append(s.names, bare)
		}
		s.flag = func(option string) bool {
			known, takes := p.option(option, "")
			return known && !takes
		}
	}
	return s
}
