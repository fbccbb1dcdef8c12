package secrets

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/nvim-acp/nvim-acp/host/paths"
)

// Patterns are those of files that may hold secrets, for the folders of a session. The zero value has none.
//
// A pattern is anchored as one of Git's: with a slash that is not its last sign it is for a file below one of the folders, without one
// for a file in any folder. One that begins with a slash is also for a file of the whole system, and in a file that is in none
// of the folders it is looked for anywhere. The case of letters does not count: many file systems take either for the other. A
// pattern that cannot be read takes every file for a secret.
type Patterns struct {
	list  []pattern
	roots []string
}

type pattern struct {
	text    string   // as the user has written it
	globs   []string // absolute, small letters
	outside string   // the same, for files that are not below a root; "" for none
	all     bool
}

// Compile reads patterns. It follows links of the folders that they name.
func Compile(texts, roots []string) Patterns {
	p := Patterns{roots: roots}
	for _, text := range texts {
		p.list = append(p.list, compile(text, roots))
	}
	return p
}

func compile(text string, roots []string) pattern {
	p := pattern{text: text, all: !doublestar.ValidatePattern(text)}
	glob := paths.Expand(strings.TrimSuffix(text, "/"))
	absolute := strings.HasPrefix(glob, "/")
	segments, ok := clean(glob)
	if p.all || !ok || len(segments) == 0 {
		return p
	}
	if absolute {
		folder, rest := doublestar.SplitPattern("/" + strings.Join(segments, "/"))
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			folder = real
		}
		p.globs = append(p.globs, strings.TrimSuffix(folder, "/")+"/"+rest)
	}

	anchored := strings.Contains(strings.TrimPrefix(glob, "**/"), "/") && segments[0] != "**"
	if !anchored {
		p.globs = []string{"**/" + strings.Join(segments, "/")}
	} else {
		for _, root := range roots {
			rest := segments
			for len(rest) > 0 && rest[0] == ".." {
				root, rest = filepath.Dir(root), rest[1:]
			}
			p.globs = append(p.globs, strings.TrimSuffix(quote(root), "/")+"/"+strings.Join(rest, "/"))
		}
		if !absolute && segments[0] != ".." {
			p.outside = strings.ToLower("**/" + strings.Join(segments, "/"))
		}
	}
	for i := range p.globs {
		p.globs[i] = strings.ToLower(p.globs[i])
	}

	return p
}

// clean returns the segments of a pattern, those left out that name the same folder or the one above. It is not ok if that one
// cannot be known.
func clean(glob string) (segments []string, ok bool) {
	for _, segment := range strings.Split(glob, "/") {
		last := len(segments) - 1
		switch {
		case segment == "" || segment == ".":
		case segment != ".." || last < 0 || segments[last] == "..":
			segments = append(segments, segment)
		case strings.ContainsAny(segments[last], `*?[{\`):
			return nil, false
		default:
			segments = segments[:last]
		}
	}

	return segments, true
}

func quote(text string) string {
	var b strings.Builder
	for _, c := range text {
		if strings.ContainsRune(`*?[]{}\`, c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// Match returns the pattern that a real path matches, a folder above it, or a file of which it may be a copy; "" if none does.
func (p Patterns) Match(real string) string {
	for _, path := range append([]string{real}, originals(real)...) {
		if pattern := p.match(path); pattern != "" {
			return pattern
		}
	}
	return ""
}

func (p Patterns) match(real string) string {
	outside := !slices.ContainsFunc(p.roots, func(root string) bool { return paths.Below(real, root) })
	for _, one := range p.list {
		globs := one.globs
		if outside && one.outside != "" {
			globs = append(slices.Clone(globs), one.outside)
		}
		if one.all || slices.ContainsFunc(globs, func(glob string) bool { return matches(glob, strings.ToLower(real)) }) {
			return one.text
		}
	}
	return ""
}

func matches(glob, name string) bool {
	for ; ; name = path.Dir(name) {
		if ok, err := doublestar.Match(glob, name); ok || err != nil {
			return true
		}
		if name == "/" || name == "." {
			return false
		}
	}
}

// Problem says why a pattern matches no file, or every one; "" if it is as it should be.
func Problem(text string) string {
	segments, ok := clean(strings.TrimSuffix(text, "/"))
	switch {
	case !doublestar.ValidatePattern(text):
		return "it cannot be read, and takes every file for a secret"
	case !ok:
		return "no folder is above a pattern"
	case len(segments) == 0 || segments[len(segments)-1] == "..":
		return "it names no file"
	case strings.HasPrefix(text, "!"):
		return "there are no exceptions: it is for names that begin with !"
	case strings.TrimSpace(text) != text:
		return "it is for names that begin or end with a blank"
	case strings.HasPrefix(text, "~") && !strings.HasPrefix(text, "~/"):
		return "only ~/ stands for a home"
	case strings.HasPrefix(text, "$"):
		return "variables are not expanded"
	case strings.ContainsAny(text, "\x00\n"):
		return "no file has such a name"
	case strings.Contains(text, "://"):
		return "it is an address, not a path"
	}

	return ""
}
