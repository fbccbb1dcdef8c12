package rules

import (
	"path/filepath"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// Suggest returns rules that would allow a call and others like it, the narrowest first.
func Suggest(r Request) []Rule {
	var list []Rule
	if r.Command != "" {
		return suggestCommands(r)
	}
	for _, path := range r.Paths {
		if rel, err := filepath.Rel(resolve(r.Cwd, "."), resolve(r.Cwd, path)); err == nil && !strings.HasPrefix(rel, "..") {
			list = append(list, Rule{Kind: r.Kind, Path: quoteGlob([]string{rel}), Action: "allow"})
		}
	}
	if len(list) > 0 {
		list = append(list, Rule{Kind: r.Kind, Path: "**", Action: "allow"})
	} else if r.Kind != "" && r.Kind != "other" && len(r.Paths) == 0 {
		list = append(list, Rule{Kind: r.Kind, Action: "allow"})
	}
	return list
}

// suggestCommands suggests a rule for each command of the text that no rule could misread.
func suggestCommands(r Request) []Rule {
	parts, problem := r.parts()
	if problem != "" {
		return nil
	}
	var list []Rule
	seen := map[string]bool{}
	for _, p := range parts {
		if p.command == nil {
			continue
		}
		words := []string{p.command[0].text}
		if len(p.command) > 1 && p.command[1].fixed && subcommand(p.command[1].text) {
			words = append(words, p.command[1].text)
		}
		if n := len(p.risks); n > 0 {
			if words = fixedWords(p.command, p.risks[n-1]+1); words == nil {
				continue
			}
		}
		text := quoteGlob(words)
		if !seen[text] {
			seen[text] = true
			list = append(list, Rule{Command: text, Action: "allow"})
		}
	}
	return list
}

// fixedWords returns the first n words of a command, if a rule can name them one by one, else nil.
func fixedWords(command []word, n int) []string {
	if n > len(command) {
		return nil
	}
	texts := make([]string, n)
	for i, w := range command[:n] {
		if !w.fixed || w.text == "" || strings.ContainsFunc(w.text, unicode.IsSpace) {
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

func quoteGlob(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		for _, c := range w {
			if strings.ContainsRune(`*?[]{}\`, c) {
				out[i] += `\`
			}
			out[i] += string(c)
		}
	}
	return strings.Join(out, " ")
}
