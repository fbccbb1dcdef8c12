package rules

import (
	"path/filepath"
	"slices"
	"strings"
)

// A rule that denies or asks is for a command however it is spelled: by the path of its program, with options before or between the words
// of the rule, with its own options in another order. A rule that allows is for the words that it has.

// spelling is a command as such a rule reads it.
type spelling struct {
	names  []string // of its program
	args   []word
	flag   func(option string) bool // whether an option is known to take no value
	listed bool                     // its arguments are things to do, in any order
	short  bool                     // it knows its subcommands by their beginnings
}

// has reports whether the command is one that the words of a rule are for, and whether that is certain.
func (s spelling) has(fields []string) (matches, sure bool) {
	base := filepath.Base(fields[0])
	if !slices.ContainsFunc(s.names, func(name string) bool {
		return matchField(fields[0], name) || !strings.ContainsAny(base, `*?[{\`) && base == name
	}) {
		return false, true
	}

	var plain []string
	sure = true
	for _, field := range fields[1:] {
		if len(field) < 2 || field[0] != '-' {
			plain = append(plain, field)
			continue
		}
		switch {
		case s.hasOption(field):
		case slices.ContainsFunc(s.args, func(w word) bool { return !w.fixed && w.open }):
			sure = false
		default:
			return false, true
		}
	}

	matches, certain := s.hasPlain(plain)
	return matches && sure, certain && (sure || !matches)
}

// hasOption reports whether an option of a rule is somewhere among the arguments: alone, with a value, cut short, among other letters.
func (s spelling) hasOption(field string) bool {
	letters := ""
	for _, w := range s.args {
		name, _, _ := strings.Cut(w.text, "=")
		switch {
		case !w.fixed || !strings.HasPrefix(w.text, "-"):
		case matchField(field, w.text), matchField(field, name), len(name) > 3 && name[1] == '-' && strings.HasPrefix(field, name):
			return true
		case !strings.HasPrefix(name, "--"):
			letters += name[1:]
		}
	}
	return !strings.HasPrefix(field, "--") && strings.Trim(field[1:], letters) == ""
}

// hasPlain reports whether the arguments begin with some words, beside options and what may be values of those.
func (s spelling) hasPlain(plain []string) (matches, sure bool) {
	counts := []int{0} // so many of the words have been found, by one reading or another
	value := false
	for _, w := range s.args {
		switch {
		case slices.Contains(counts, len(plain)):
			return true, true
		case len(counts) == 0:
			return false, true
		case !w.fixed:
			return false, false
		case strings.HasPrefix(w.text, "-") || strings.HasPrefix(w.text, "+"):
			value = w.text[0] == '-' && w.text != "--" && !strings.Contains(w.text, "=") && !s.flag(w.text)
			continue
		}

		var next []int
		for _, n := range counts {
			if matchField(plain[n], w.text) || s.short && w.text != "" && strings.HasPrefix(plain[n], w.text) {
				next = append(next, n+1)
			}
			if (value || s.listed) && !slices.Contains(next, n) {
				next = append(next, n)
			}
		}
		counts, value = next, false
	}

	return slices.Contains(counts, len(plain)), true
}
