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

// risks returns the indices of the arguments that could make a program run or write something. len(command) means its input.
func risks(command []word) []int {
	name := filepath.Base(command[0].text)
	p := programs()[name]
	if p == nil {
		p = programs()[strings.TrimRight(name, "0123456789.-")] // python3.12
	}
	if p == nil && check[name] == nil || p != nil && harmlessAlone(name, command, p) {
		return nil
	}
	args := command[1:]
	from := len(args)
	for i := range args {
		if check[name] != nil && !check[name](args, i) {
			from = min(from, i)
		}
	}
	to := len(args)
	if p != nil {
		var until int
		from, until = min(from, p.unknown(name, args)), len(args)
		if p.script {
			from, until = 0, min(positional(args)+1, len(args))
		}
		to = until
	}
	var list []int
	for i := from; i < to; i++ {
		list = append(list, i+1)
	}
	if p != nil && (p.input > leading(args) || (p.wraps || p.script) && (positional(args) == len(args) || readsInput(name, args))) {
		list = append(list, len(command)) // it reads what to run
	}
	return list
}

// unknown returns the index of the first argument that the table does not have, len(args) if it has all.
func (p *program) unknown(name string, args []word) int {
	if p.wraps {
		return 0
	}
	sub, nested, next, ended := "", "", false, false
	for i, w := range args {
		option := w.fixed && len(w.text) > 1 && w.text[0] == '-' && !ended
		switch {
		case !w.fixed && (w.open && !ended && !isMessage(name, args, i) || sub == "" && len(p.first) > 0 || len(p.only) > 0):
			return i
		case w.fixed && w.text == "--" && name != "find":
			ended, next = true, false
			continue
		case option:
			known, takes := p.option(w.text, sub)
			if !known {
				return i
			}
			next = takes
			continue
		case next: // the value of an option
			next = false
			continue
		case w.fixed && !ended && strings.HasPrefix(w.text, "@"), w.fixed && !ended && strings.HasPrefix(w.text, "+") && name != "date",
			assigns(name, w.text), name == "git" && strings.Contains(w.text, "::"), name == "dotnet" && strings.HasPrefix(w.text, "/"):
			return i // a file of options, a toolchain, a variable, a program for a remote
		case len(p.only) > 0 && !hasName(p.only, w.text):
			return i
		case sub == "" && isTar(name):
			if known, _ := p.option("-"+strings.TrimPrefix(w.text, "-"), ""); !known && i == 0 {
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
		}
		sub = cmp.Or(sub, w.text, " ")
	}
	return len(args)
}

// nests reports whether a first argument may have a second.
func (p *program) nests(prefix string) bool {
	for name := range p.first {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func hasName(set map[string]bool, name string) bool {
	_, ok := set[name]
	return ok
}

// isTar reports whether the first argument of a program may have the letters of options without a dash.
func isTar(name string) bool { return slices.Contains([]string{"tar", "gtar", "bsdtar", "star"}, name) }

// positional returns the index of the first argument that is no option, len(args) if there is none.
func positional(args []word) int {
	ended := false
	for i, w := range args {
		switch {
		case !w.fixed || ended:
			return i
		case w.text == "--":
			ended = true
		case len(w.text) < 2 || w.text[0] != '-':
			return i
		}
	}
	return len(args)
}

// leading counts the arguments before the first option.
func leading(args []word) int {
	n := slices.IndexFunc(args, func(w word) bool { return !w.one || strings.HasPrefix(w.text, "-") })
	if n < 0 {
		return len(args)
	}
	return n
}

// isMessage reports whether the word at i is the message of a commit, whatever it begins with.
func isMessage(name string, args []word, i int) bool {
	return name == "git" && i > 1 && args[0].fixed && args[0].text == "commit" && args[i].one &&
		args[i-1].fixed && slices.Contains([]string{"-m", "-am", "--message"}, args[i-1].text) && !slices.ContainsFunc(args[1:i-1], takesNext)
}

// takesNext reports whether a word before a message may be an option that takes the next word, or the end of options.
func takesNext(w word) bool {
	return !w.fixed || !slices.Contains([]string{"-m", "-a", "-am", "-q", "-s", "-v", "--message", "--all", "--amend", "--no-verify"}, w.text)
}

// harmlessAlone reports whether a program with these arguments only says something of itself, or of its environment.
func harmlessAlone(name string, command []word, p *program) bool {
	if len(command) == 1 {
		return name == "env" || !p.wraps && !p.script
	}
	asks := command[1].fixed && (command[1].text == "--version" || command[1].text == "--help")
	return !p.wraps && len(command) == 2 && asks
}

// readsInput reports whether a program that runs others, or programs in a language, reads them from its input. No rule can name
// what that is.
func readsInput(name string, args []word) bool {
	return slices.ContainsFunc(args, func(w word) bool {
		shell := slices.Contains(shellNames, name) && strings.HasPrefix(w.text, "-") && strings.Contains(w.text, "s")
		return w.fixed && (w.text == "-" || shell || strings.HasPrefix(w.text, "/dev/") || strings.HasPrefix(w.text, "/proc/"))
	})
}

// assigns reports whether a word sets a make variable, which can name a program.
func assigns(name, text string) bool {
	return slices.Contains([]string{"make", "gmake", "bmake"}, name) && strings.Contains(text, "=")
}

// check has programs whose arguments are checked one by one: it reports whether the one at i is harmless.
var check = map[string]func(args []word, i int) bool{
	"sed": sedReads, "gsed": sedReads,
	"awk": awkReads, "gawk": awkReads, "mawk": awkReads, "nawk": awkReads,
	"uniq": onlyOne, "xxd": onlyOne,
}

const (
	sedAddress = `([0-9]+|\$|/[^/\\]*/)`
	sedText    = `([^/\\\n]|\\[^\n])*`
)

var (
	// sedScript only prints, deletes and replaces.
	sedScript = lazy.Regexp(`^(` + sedAddress + `(,` + sedAddress + `)?!?)?([pdq=]|s/` + sedText + `/` + sedText + `/[gpIi0-9]*)$`)
	sedFlags  = lazy.Regexp(`^-[nErsuz]+$|^--(quiet|silent|regexp-extended|posix|debug|null-data)$`)
	// awkRuns is what an awk program runs, reads or writes something with.
	awkRuns = lazy.Regexp(`system|getline|close|[|>@\\]|printf?\s*\(?.*>`)
)

// sedReads accepts only one sed script that only prints. With an option that names the script, files and scripts look alike.
func sedReads(args []word, i int) bool {
	w := args[i]
	if w.fixed && sedFlags().MatchString(w.text) {
		return true
	}
	if w.text == "" && w.fixed || strings.HasPrefix(w.text, "-") && w.text != "--" && w.text != "-" {
		return false
	}
	first := slices.IndexFunc(args, func(w word) bool { // some take a word without text for the value of -i
		return !w.fixed || w.text != "" && !strings.HasPrefix(w.text, "-")
	})
	if i == first {
		return w.fixed && sedScript().MatchString(w.text)
	}
	return w.fixed || !w.open && i > first
}

// awkReads accepts only an awk program that only prints.
func awkReads(args []word, i int) bool {
	w, first := args[i], 0
	for first < len(args) && args[first].fixed && strings.HasPrefix(args[first].text, "-F") {
		if args[first].text == "-F" {
			first++ // its value is the next word
		}
		first++
	}
	switch {
	case i == first:
		return w.fixed && !strings.HasPrefix(w.text, "-") && !awkRuns().MatchString(w.text)
	case i > first:
		return w.fixed && !strings.HasPrefix(w.text, "-") || !w.fixed && !w.open
	}
	return w.fixed && !strings.HasPrefix(w.text, "-Fi")
}

// onlyOne is for programs whose second file is written.
func onlyOne(args []word, i int) bool {
	files, ended := 0, false
	for _, w := range args[:i+1] {
		switch {
		case w.fixed && w.text == "--" && !ended:
			ended = true
		case !w.one:
			files += 2
		case !w.fixed || ended || w.text == "-" || !strings.HasPrefix(w.text, "-"):
			files++
		}
	}
	return files < 2
}
