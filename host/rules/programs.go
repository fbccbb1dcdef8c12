package rules

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// Some programs run others, or write files, by their arguments: git diff --output=x, find -exec, tar --checkpoint-action. A
// rule that allows such a command must name each of these words; a rule for its first words does not match.

// program has the risky arguments of a program.
type program struct {
	wraps   bool     // its arguments are a command, or a program of its own language: a rule names all of them
	script  bool     // as wraps, up to the first argument that is no option
	letters string   // options of one letter, also within others; "*" is every option
	words   []string // other options, in full; those behind -- also where they are cut short
	subs    []string // first words that do so
}

// risks returns the indices of the arguments that make a program run or write something. len(command) means its input.
func risks(command []word) []int {
	name := filepath.Base(command[0].text)
	p, known := programs()[name]
	if !known {
		p, known = programs()[strings.TrimRight(name, "0123456789.-")] // python3.12
	}
	if !known && check[name] == nil {
		return nil
	}
	if harmlessAlone(name, command, p) {
		return nil
	}
	var list []int
	sub, ended := false, false // after the first argument that is no option; after --
	for i, w := range command[1:] {
		option := w.fixed && len(w.text) > 1 && (w.text[0] == '-' || w.text[0] == '+' && p.letters == "*") && !ended
		ended = ended || w.fixed && w.text == "--" && name != "find"
		first := !option && !sub && (!w.fixed || w.text != "--")
		switch {
		case p.wraps, p.script && !sub, w.open && !ended && !isMessage(command, i+1), option && p.risky(w.text), first && slices.Contains(p.subs, w.text),
			first && name == "tar" && w.fixed && strings.ContainsAny(w.text, p.letters),
			assigns(name, w.text), name == "git" && !sub && option, check[name] != nil && !check[name](command[1:], i):
			list = append(list, i+1)
		}
		sub = sub || first
	}
	if (p.wraps || p.script) && (!sub || readsInput(name, command[1:])) {
		list = append(list, len(command)) // it reads what to run
	}
	return list
}

// isMessage reports whether the word at i is the message of a commit, whatever it begins with.
func isMessage(command []word, i int) bool {
	before := command[i-1]
	return i > 2 && filepath.Base(command[0].text) == "git" && command[1].fixed && command[1].text == "commit" && command[i].one &&
		before.fixed && (before.text == "-m" || before.text == "-am" || before.text == "--message") && !slices.ContainsFunc(command[2:i], takesNext)
}

// takesNext reports whether a word before a message may be an option that takes the next word, or the end of options.
func takesNext(w word) bool {
	return !w.fixed || !slices.Contains([]string{"-m", "-a", "-am", "-q", "-s", "-v", "--message", "--all", "--amend", "--no-verify"}, w.text)
}

// harmlessAlone reports whether a program with these arguments only says something of itself, or of its environment.
func harmlessAlone(name string, command []word, p program) bool {
	if len(command) == 1 {
		return name == "env"
	}
	asks := command[1].fixed && (command[1].text == "--version" || command[1].text == "--help")
	return p.script && len(command) == 2 && asks
}

// readsInput reports whether a program that runs others, or programs in a language, reads them from its input. No rule can name
// what that is.
func readsInput(name string, args []word) bool {
	return slices.ContainsFunc(args, func(w word) bool {
		shell := slices.Contains(shellNames, name) && strings.HasPrefix(w.text, "-") && strings.Contains(w.text, "s")
		return w.fixed && (w.text == "-" || shell || strings.HasPrefix(w.text, "/dev/") || strings.HasPrefix(w.text, "/proc/"))
	})
}

// risky reports whether an option is a known risk. Long ones may be abbreviated and have a value.
func (p program) risky(option string) bool {
	if p.letters == "*" {
		return true
	}
	name, _, _ := strings.Cut(option, "=")
	for _, word := range p.words {
		if name == word || strings.HasPrefix(word, "--") && len(name) > 3 && strings.HasPrefix(word, name) {
			return true
		}
		if !strings.HasPrefix(word, "--") && strings.HasPrefix(name, word) {
			return true // find -fprint0, or the value of a letter: -Ovi
		}
	}
	return !strings.HasPrefix(option, "--") && strings.ContainsAny(option, p.letters)
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
	if w.fixed && sedFlags().MatchString(w.text) || !w.fixed && !w.open {
		return true
	}
	if w.text == "" || strings.HasPrefix(w.text, "-") && w.text != "--" && w.text != "-" {
		return false
	}
	first := slices.IndexFunc(args, func(w word) bool { // some take a word without text for the value of -i
		return !w.fixed || w.text != "" && !strings.HasPrefix(w.text, "-")
	})
	return i != first && w.fixed || w.fixed && sedScript().MatchString(w.text)
}

// awkReads accepts only an awk program that only prints.
func awkReads(args []word, i int) bool {
	w := args[i]
	if strings.HasPrefix(w.text, "-") {
		return w.fixed && (strings.HasPrefix(w.text, "-F") && !strings.HasPrefix(w.text, "-Fi")) || w.text == "--"
	}
	return w.fixed && !awkRuns().MatchString(w.text) || !w.fixed && !w.open && !awkRuns().MatchString(w.text) && i > 0
}

// onlyOne is for programs whose second file is written.
func onlyOne(args []word, i int) bool {
	files := 0
	for _, w := range args[:i+1] {
		if !w.fixed || !strings.HasPrefix(w.text, "-") {
			files++
		}
	}
	return files < 2
}
