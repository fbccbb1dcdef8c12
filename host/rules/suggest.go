package rules

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Offer is a set of rules to choose together.
type Offer []Rule

// String returns the rules as the user would write them.
func (o Offer) String() string {
	texts := make([]string, len(o))
	for i, rule := range o {
		texts[i] = rule.String()
		if i > 0 {
			texts[i] = strings.TrimPrefix(texts[i], "allow: ")
		}
	}
	return strings.Join(texts, "; ")
}

// maxOffered is how many rules are offered together: nobody reads more.
const maxOffered = 50

// Suggest returns rules that would allow a call and others like it. The first offer is enough for the call; others are broader, or a
// part of it. There are none where rules cannot be enough.
func Suggest(r Request) []Offer {
	switch {
	case r.Command != "":
		return suggestCommands(r)
	case r.Odd != "" || len(r.Unknown) > 0 && r.Tool == "":
		return nil
	case len(r.Unknown) > 0:
		return Offer{{Kind: r.Kind, Tool: r.Tool, Action: "allow"}}.each(r)
	}

	var exact Offer
	own := resolve(r.Cwd, ".")
	add := func(kind string, paths []string) {
		for _, path := range paths {
			if len(exact) > maxOffered {
				return
			}
			if rel, err := filepath.Rel(own, r.resolve(path)); err == nil && !strings.HasPrefix(rel, "..") {
				exact = exact.with(Rule{Kind: kind, Path: quoteGlob(rel), Action: "allow"})
			}
		}
	}

	add(r.Kind, r.Paths)
	add("edit", r.Edits)
	switch {
	case len(exact) > maxOffered:
		return nil
	case len(exact) > 0:
		return append(exact.each(r), Offer{{Kind: r.Kind, Path: "**", Action: "allow"}}.each(r)...)
	case r.Kind != "" && r.Kind != "other" && len(r.Paths) == 0:
		return Offer{{Kind: r.Kind, Action: "allow"}}.each(r)
	}

	return nil
}

// with adds a rule, if it is not there.
func (o Offer) with(rule Rule) Offer {
	if slices.Contains(o, rule) {
		return o
	}
	return append(o, rule)
}

// each returns all rules together, if they are several, and each alone; none if they are not enough for a request.
func (o Offer) each(r Request) []Offer {
	if Judge(o, r).Action != "allow" {
		return nil
	}
	var list []Offer
	if len(o) > 1 {
		list = append(list, o)
	}
	for i := range o {
		list = append(list, o[i:i+1])
	}
	return list
}

// suggestCommands suggests a rule for each command of the text that no rule could misread, and each file that it redirects to.
func suggestCommands(r Request) []Offer {
	parts, problem := r.parts()
	if problem != "" {
		return nil
	}

	var all Offer
	session := newFolder(r.Cwd)
	for _, p := range parts {
		switch {
		case len(all) > maxOffered:
			return nil
		case p.free:
		case p.to != "" && slices.ContainsFunc(parts, func(other part) bool { return other.folder == p.to }): // the other's rule names it
		case p.command == nil && p.path == "":
		case p.command == nil:
			path := p.path
			if rel := session.within(path); !filepath.IsAbs(rel) {
				path = rel
			}
			all = all.with(Rule{Kind: p.kind, Path: quoteGlob(path), Action: "allow"})
		default:
			words := firstWords(p)
			if words != nil && p.folder != "" {
				words = append([]string{"cd", p.folder, "&&"}, words...)
			}
			if words != nil {
				all = all.with(Rule{Command: quoteFields(words), Action: "allow"})
			}
		}
	}

	if len(all) > maxOffered {
		return nil
	}

	return all.each(r)
}

// firstWords returns the words of a command that a rule for it names, nil if none can be.
func firstWords(p part) []string {
	if n := len(p.risks); n > 0 {
		return fixedWords(p.command, p.risks[n-1]+1)
	}

	words := []string{p.command[0].text}
	if len(p.command) > 1 && !knownWell(words[0]) {
		n := 1
		for n < len(p.command) && p.command[n].fixed {
			n++
		}
		if n == 1 {
			return nil // a rule for the program alone would allow whatever it can do
		}
		return fixedWords(p.command, n)
	}
	if len(p.command) > 1 && p.command[1].fixed && subcommand(p.command[1].text) {
		words = append(words, p.command[1].text)
	}

	return words
}

// knownWell reports whether it is known what a program of a name may be given.
func knownWell(name string) bool {
	p := programOf(name)
	return p == nil && check[baseName(name)] != nil || p != nil && !(p.plain && strings.Contains(name, "/"))
}

// fixedWords returns the first n words of a command, if a rule can name them one by one, else nil.
func fixedWords(command []word, n int) []string {
	if n > len(command) {
		return nil
	}
	texts := make([]string, n)
	for i, w := range command[:n] {
		if !w.fixed {
			return nil
		}
		texts[i] = w.text
	}
	return texts
}

// subcommand reports whether a word looks like the diff of `git diff`.
func subcommand(word string) bool {
	for _, c := range word {
		if !(c >= 'a' && c <= 'z' || c == '-' || c == ':') {
			return false
		}
	}
	return word != "" && word[0] != '-' && syntax.ValidName(strings.NewReplacer("-", "", ":", "").Replace(word))
}
