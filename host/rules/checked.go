package rules

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// check has programs whose arguments are checked one by one: it reports whether the one at i is harmless.
var check = map[string]func(args []word, i int) bool{
	"sed": sedReads,
	"awk": awkReads, "gawk": awkReads, "mawk": awkReads, "nawk": awkReads,
	"uniq": onlyOne, "xxd": onlyOne, "split": onlyPieces,
}

// A sed looks for the end of a text by its brackets and backslashes, each in its own way. What is here ends at the same slash in all: it
// has no bytes that may be half of a letter, sets of letters without slashes and brackets, and no escapes that make other signs.
const (
	sedSet     = `\[\^?[\w -][\w ,.-]*\]`
	sedText    = `([ -.0-Z^-~]|` + sedSet + `|\\[ -bf-np-wyz{|}~])*` // without c, d, e, o, x
	sedAddress = `([0-9]+|\$|/` + sedText + `/)`
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

// mayRun has programs with a language of their own: it reports whether their arguments may run something by what is not read, a file or
// a command of that language.
var mayRun = map[string]func(args []word) bool{
	"sed": sedRuns, "awk": awkRunsOther, "gawk": awkRunsOther, "mawk": awkRunsOther, "nawk": awkRunsOther,
}

// sedCommand is one that runs nothing. A text that it has may end at another sign than a slash.
func sedCommand() string {
	replaces := `s/` + sedText + `/` + sedText + `/[gpIi0-9]*`
	for _, end := range []string{`\|`, "#", "@", ",", ":", "%", "!"} {
		text := `([^\x00-\x1f\x7f-\x{10ffff}\[\]\\` + end + `]|\[\^?[\w .-]+\]|\\[ -bf-np-wyz{|}~])*`
		replaces += `|s` + end + text + end + text + end + `[gpIi0-9]*`
	}
	return `(` + sedAddress + `(,` + sedAddress + `)?)? ?!? ?([pdqDgGhHnNPx=}{]|` + replaces + `)`
}

var (
	// sedHarmless are commands one after the other, or none.
	sedHarmless = lazy.Regexp(`^[ ;\n]*(` + sedCommand() + `[ ;\n]*)*$`)
	// sedNext is an option whose value is the next word.
	sedNext = lazy.Regexp(`^-[nErsuz]*[el]$|^--(expression|line-length)$`)
	// sedAlone is an option that runs nothing, with its value.
	sedAlone = lazy.Regexp(`^(-[nErsuz]*(i[^/]*|l[0-9]+)?|` +
		`--(quiet|silent|regexp-extended|posix|debug|null-data|separate|unbuffered|in-place(=[^/]*)?))$`)
)

// sedRuns reports whether a sed script may run a command, or is in a file.
func sedRuns(args []word) bool {
	scripts := 0
	for i := 0; i < len(args); i++ {
		w, script := args[i], ""
		switch {
		case !w.fixed:
			return scripts == 0 || w.open
		case sedNext().MatchString(w.text) && i+1 < len(args):
			if i++; strings.HasSuffix(w.text, "l") || strings.HasSuffix(w.text, "length") {
				continue
			}
			script = args[i].text
		case strings.HasPrefix(w.text, "--expression="):
			_, script, _ = strings.Cut(w.text, "=")
		case w.text == "" || w.text == "--" || sedAlone().MatchString(w.text):
			continue
		case strings.HasPrefix(w.text, "-"):
			return true
		case scripts > 0:
			continue // a file
		default:
			script = w.text
		}
		if scripts++; !args[i].fixed || !sedHarmless().MatchString(script) {
			return true
		}
	}
	return false
}

// awkOther is what an awk program runs something else with, or loads it; awkFile an option whose value is a program, or what one loads.
var (
	awkOther = lazy.Regexp(`system|getline|\||@(include|load|namespace)|@\w+\s*[(\[]`)
	awkFile  = lazy.Regexp(`^-[fEil]|^--(f|exe|i|l)`)
)

// awkRunsOther reports whether an awk program may run a command, or is in a file.
func awkRunsOther(args []word) bool {
	return slices.ContainsFunc(args, func(w word) bool { return awkOther().MatchString(w.text) || awkFile().MatchString(w.text) })
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

// onlyPieces is for split, whose second file is the name of those that it writes, and anywhere.
func onlyPieces(args []word, i int) bool {
	var rest []word
	for j := 0; j <= i; j++ {
		if slices.Contains([]string{"-l", "-b", "-n", "-a", "--lines", "--bytes", "--suffix-length"}, args[j].text) && j+1 < len(args) &&
			args[j+1].one {
			j++ // its value
			continue
		}
		rest = append(rest, args[j])
	}
	return len(rest) == 0 || onlyOne(rest, len(rest)-1)
}
