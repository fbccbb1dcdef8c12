package rules

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/glob"
)

// A command may run another one by a word that is not judged as a command: an option's value, a script in a language of its own, what a
// program that is not known takes it for. Where a rule that denies or asks would be for what such a word says, no broad rule allows it.

// mentions reports whether what a rule is for may be run by an argument of a command.
func (p part) mentions(rule *Rule) bool {
	_, words := moving(fields(rule.Command))
	known := programOf(p.command[0].text)
	switch {
	case len(words) == 0, known != nil && (known.wraps || known.script && known.every), mayRun[baseName(p.command[0].text)] != nil:
		return false // what these run is judged, or known
	case known != nil || inTable(baseName(p.command[0].text)):
		sought := sought{program: words[0]}
		return slices.ContainsFunc(p.risks, func(i int) bool { return i < len(p.command) && sought.in(p.command[i].text) })
	}
	return slices.ContainsFunc(indices(p.command), func(i int) bool { return saysCommand(words, p.command[i:]) })
}

// quotes are signs that a shell leaves out of a word.
var quotes = strings.NewReplacer(`'`, "", `"`, "", `\`, "")

// mayHave reports whether a text may have the name of the program of a rule, without quotes.
func mayHave(program, text string) bool {
	name := strings.ToLower(filepath.Base(program))
	return strings.ContainsAny(name, `*?[{\`) || strings.Contains(strings.ToLower(text), name)
}

// maxPatterns is how many patterns of a command are matched, maxPattern how long each may be.
const (
	maxPatterns = 50
	maxPattern  = 200
)

// sought is the program of a rule that is looked for in texts.
type sought struct {
	program  string
	patterns int // so many have been matched
}

// in reports whether a text has a word that is the program, or a pattern from which a shell may make it.
func (s *sought) in(text string) bool {
	text = quotes.Replace(text)
	value := "" // of an option
	if len(text) > 2 && text[0] == '-' && text[1] != '-' {
		value = text[2:]
	}
	return s.namedIn(text) || s.namedIn(value) || s.matchedIn(text) || s.matchedIn(value)
}

func (s *sought) namedIn(text string) bool {
	return mayHave(s.program, text) && slices.ContainsFunc(split(text, inNames), func(w word) bool {
		matches, _ := spelled([]word{w}).has([]string{s.program})
		return matches
	})
}

// matchedIn leaves out patterns for any file.
func (s *sought) matchedIn(text string) bool {
	if !strings.ContainsAny(text, "*?[{") {
		return false
	}
	return slices.ContainsFunc(split(text, inNames+"*?[],!^"), func(w word) bool {
		pattern := filepath.Base(w.text)
		if !strings.ContainsAny(pattern, "*?[{") || strings.Trim(pattern, "*") == "" {
			return false
		}
		if s.patterns++; s.patterns > maxPatterns || len(pattern) > maxPattern {
			return true
		}
		e, err := regexp.Compile("(?i)^(?:" + glob.Expr(pattern, glob.Within) + ")$")
		return err != nil || e.MatchString(filepath.Base(s.program))
	})
}

// saysCommand reports whether words are a command that those of a rule are for, or whether the first is a text that has one.
func saysCommand(words []string, command []word) bool {
	plain := quotes.Replace(command[0].text)
	if plain == "" || !mayHave(words[0], plain) {
		return false
	}
	is := func(command []word) bool {
		matches, _ := spelled(command).has(words)
		return matches
	}
	if is(command) {
		return true
	}
	text := split(plain, inNames)
	return len(text) > 1 && slices.ContainsFunc(append(indices(text), 0), func(i int) bool { return is(text[i:]) })
}
