package rules

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// Some programs run what a word leads to: a file that is a test, the configuration beside it, a package of somebody's. In the session's
// folder that is what a rule for the program is for; a word that leads elsewhere must be named.

// strays reports whether a word that is no option leads to what a rule for the program is not for. sub is its first argument, "" before
// that.
func (p *program) strays(name, sub string, w word) bool {
	folder := name == "just" && sub == "" && strings.Contains(w.text, "/") // whose justfile it reads
	return folder || p.within && elsewhere(w) || p.fetches && fetched(name, sub, w)
}

// elsewhere reports whether a word leads out of the session's folder, or may.
func elsewhere(w word) bool {
	absolute := filepath.IsAbs(w.text) || strings.HasPrefix(w.text, "~") || outside().MatchString(w.text)
	return !w.fixed || absolute || slices.Contains(steps(w.text), "..")
}

// steps returns the names in a path, as any system divides it.
func steps(path string) []string {
	return strings.FieldsFunc(path, func(c rune) bool { return strings.ContainsRune(`/\:`, c) })
}

var (
	// outside is an address, or a path on another disk.
	outside = lazy.Regexp(`(?i)://|^file:|^[a-z]:[/\\]`)
	// url is what some programs fetch, and run.
	url = lazy.Regexp(`(?i)://|^(npm|jsr|node|data|blob|file|https?|ssh|git|git\+\w+|github|gitlab|bitbucket|gist):`)
	// packageName is a package of npm by its name and version, or a field of one: others are folders, addresses and repositories.
	packageName = lazy.Regexp(`^(@[\w.-]+/)?[\w.\[\]-]+(@[\w.^~<>=*+-]+)?$`)
)

// viewed are commands of npm that look packages up, and fetch and prepare what is a repository.
var viewed = strings.Fields("view info show")

// fetched reports whether a word names something that a program gets from elsewhere, or may, after its first argument.
func fetched(name, sub string, w word) bool {
	switch {
	case name == "go" && sub == "doc":
		return !w.fixed || strings.Contains(w.text, "@")
	case name == "go":
		element, _, more := strings.Cut(w.text, "/")
		local := element == "." || element == ".." || element == "" || !more && strings.HasSuffix(w.text, ".go")
		return !local && (!w.fixed || strings.ContainsAny(element, ".@")) || strings.ContainsAny(w.text, "@:")
	case name == "npm" || name == "cnpm":
		return slices.Contains(viewed, sub) && !(w.fixed && packageName().MatchString(w.text))
	}
	return url().MatchString(w.text)
}

// filed reports whether the value of an option is the name of a file that is read: @x, or name@x for one that takes names.
func (p *program) filed(option string, w word) bool {
	switch name, _, _ := strings.Cut(w.text, "="); {
	case !hasName(p.files, option):
		return false
	case option == "data-urlencode":
		return !w.fixed || strings.Contains(name, "@")
	}
	return strings.HasPrefix(w.text, "@")
}

// valueOf returns the option of a word that takes a value, and as much of that as is in the word.
func (p *program) valueOf(dashed string) (option, value string) {
	if name, two := strings.CutPrefix(dashed, "--"); two {
		option, value, _ = strings.Cut(name, "=")
		return option, value
	}
	for i, c := range dashed {
		if i > 0 && strings.ContainsRune(p.values, c) {
			return string(c), strings.TrimPrefix(dashed[i+1:], "=")
		}
	}
	return "", ""
}
