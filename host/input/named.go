package input

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// Named returns files that it names in other members than those for files, of a call that runs nothing: in patches, in patterns that
// lead elsewhere, in lists of names, in links that are none to a page. Some may be no files.
func (i Input) Named() []string {
	list := i.alsoNamed()
	return list[:min(len(list), maxPaths)]
}

// alsoNamed is Named with a file more than are looked at.
func (i Input) alsoNamed() []string {
	if i.Command() != "" {
		return nil
	}
	base := ""
	if list := i.Paths(); len(list) > 0 {
		base = list[0]
	}
	var list []string
	for _, m := range i.members {
		list = appendNamed(list, m, base, 0)
	}
	return list
}

func appendNamed(list []string, m Member, base string, depth int) []string {
	if len(list) > maxPaths || depth == maxDepth {
		return list
	}

	text := textOf(m.Value)
	switch {
	case text == "":
	case in("patch", m.Name), in("text", m.Name) && isPatch().MatchString(text):
		return append(list, patched(text)...)
	case in("link", m.Name):
		if !page().MatchString(text) {
			list = append(list, text)
		}
		return list
	case in("words", m.Name), in("except", m.Name), in("type", m.Name),
		in("expression", m.Name), in("pattern", m.Name), in("names", m.Name):
		for _, piece := range alternatives(text) {
			switch {
			case elsewhere(piece):
				list = append(list, piece)
			case in("names", m.Name):
				list = append(list, below(base, piece)...)
			}
		}
		return list
	}

	for _, e := range m.Parts() {
		list = appendNamed(list, e, base, depth+1)
	}

	return list
}

// below returns what a pattern for names that is looked for in a folder names without a wildcard: a path, a name that may be in any folder,
// or the folder in which the first wildcard is.
func below(base, pattern string) (list []string) {
	at := func(name string) string { return strings.TrimPrefix(base+"/"+name, "/") }
	parts := strings.Split(strings.TrimSpace(pattern), "/")
	wild := slices.IndexFunc(parts, func(part string) bool { return strings.ContainsAny(part, `*?[\`) })
	switch name := parts[len(parts)-1]; {
	case wild < 0:
		list = append(list, at(name))
		if len(parts) > 1 {
			list = append(list, at(strings.Join(parts, "/")))
		}
	case wild < len(parts)-1 && !strings.ContainsAny(name, `*?[\`):
		list = append(list, at(name))
	}
	if wild > 0 {
		list = append(list, at(strings.Join(parts[:wild], "/")))
	}
	return list
}

// Glob is a text by which a call that runs nothing looks for files, or in files.
type Glob struct {
	Text  string
	Names bool // it is for the names of files, and may be several with spaces between
}

// Globs returns those of it. One that names a file is among [Input.Paths] or [Input.Named] too.
func (i Input) Globs() (list []Glob) {
	if i.Command() != "" {
		return nil
	}
	for _, m := range i.members {
		list = appendGlobs(list, m, 0)
	}
	return list
}

func appendGlobs(list []Glob, m Member, depth int) []Glob {
	text := textOf(m.Value)
	switch {
	case depth == maxDepth:
		return list
	case text == "":
	case HasPath(m.Name) && strings.ContainsAny(text, `*?[{(\`), in("names", m.Name),
		in("except", m.Name) && strings.Contains(text, "!"), in("type", m.Name) && strings.ContainsAny(text, `*?[{(\`):
		return append(list, Glob{text, true})
	case in("pattern", m.Name), in("expression", m.Name):
		return append(list, Glob{text, false})
	default:
		return list
	}

	for _, e := range m.Parts() {
		list = appendGlobs(list, e, depth+1)
	}

	return list
}

// page is the address of a web page.
var page = lazy.Regexp(`^(?i)https?://[^/\\\s]`)

// alternatives returns the parts of a pattern of which each may be a path: {a,b}, a|b, a,b.
func alternatives(text string) []string {
	list := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune("{},|()!;\n", c) })
	for _, part := range strings.Split(text, "/") {
		if strings.Contains(part, ".") && strings.ContainsAny(part, "{(") && strings.Trim(part, ".{},|()@?+*!") == "" {
			list = append(list, "..") // it can become that
		}
	}
	return list
}

// elsewhere reports whether a text looks like a path that does not lie below the folder of its call.
func elsewhere(text string) bool {
	text = strings.TrimSpace(text)
	switch {
	case text == "" || strings.HasPrefix(text, "// ") || page().MatchString(text):
		return false
	case strings.ContainsRune(`/~\$%`, rune(text[0])) && strings.ContainsAny(text, `/\`),
		strings.Contains(text, "://"), strings.HasPrefix(text, "file:"):
		return true
	}
	return slices.Contains(strings.FieldsFunc(text, func(c rune) bool { return c == '/' || c == '\\' }), "..")
}

var (
	// isPatch is how a patch begins.
	isPatch = lazy.Regexp(`^\s*(\*\*\* Begin Patch|--- \S|diff |Index: )`)
	// header is a line of a patch that names a file.
	header = lazy.Regexp(`^\s*(?:\+\+\+|---|\*\*\* (?:Add|Update|Delete|Rename|Move)[ \w]*:|\*\*\*|Index:|` +
		`(?:rename|copy) (?:from|to))\s+(\S.*)$`)
	// compared is a line that names files as they were compared.
	compared = lazy.Regexp(`^\s*(?:diff|Only in|Binary files) (.*)$`)
	// nameless is what may follow the signs of a header and names no file: line numbers of a context diff, the frame of a patch.
	nameless = lazy.Regexp(`^(\d+(,\d+)? (\*{4}|-{4})|Begin Patch|End Patch|End of File)$`)
)

// patched returns the files that a patch names, with and without the folders that git puts before them.
func patched(text string) (list []string) {
	add := func(name string) {
		name = strings.TrimSpace(name)
		if name == "/dev/null" || nameless().MatchString(name) || name == "" {
			return
		}
		list = append(list, name)
		if first, rest, ok := strings.Cut(name, "/"); ok && slices.Contains([]string{"a", "b", "i", "w", "c", "o"}, first) {
			list = append(list, rest)
		}
	}
	for line := range strings.Lines(text) {
		if len(list) > maxPaths {
			break
		}
		line = strings.TrimRight(line, "\r\n")
		if m := header().FindStringSubmatch(line); m != nil {
			name, _, _ := strings.Cut(m[1], "\t")
			add(name)
		}
		if m := compared().FindStringSubmatch(line); m != nil {
			for _, name := range strings.Fields(m[1]) {
				if !strings.HasPrefix(name, "-") {
					add(name)
				}
			}
		}
	}

	return list
}
