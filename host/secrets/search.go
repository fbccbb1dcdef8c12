package secrets

import (
	"path/filepath"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// A Search is what a tool is given to look for files with. Nobody knows how it reads that: as a glob, as a list of them, as a regular
// expression; for the path of a file, for its end, for a folder with all that is in it. It finds what any of them finds.
type Search struct {
	all   bool     // it may be for any file
	globs []string // small letters
	wild  bool     // they are patterns
	exprs []*regexp.Regexp

	rooted bool // it may be for a whole path
}

const (
	maxSearch = 2 << 10 // bytes of a text; a longer one may be for any file
	wildcards = `*?[{(+\^$|.`
)

var (
	// choice is what stands for one of several texts in a way that not every program knows: (a|b), {a..z}.
	choice  = lazy.Regexp(`[@?*+!]?\([^()]*\)|\{[^{}]*\.\.[^{}]*\}`)
	class   = lazy.Regexp(`\[[!^]?[^]]*\[:\w*:\][^]]*\]`)
	term    = lazy.Regexp(`(?:^|\s)-?-?(?:path|file|filename|name|glob|include|in|dir|folder|g|f)s?[:=]\s*(\S+)`)
	odd     = lazy.Regexp(`[][{}()\\]+`)
	between = lazy.Regexp(`[\n,;|{}()]+`)
)

// NewSearch reads a text; several says that it may be several with spaces between.
func NewSearch(text string, several bool) Search {
	text = strings.ToLower(strings.TrimSpace(text))
	s := Search{all: len(text) > maxSearch, wild: strings.ContainsAny(text, `*?[{(`)}
	if s.all || text == "" {
		return s
	}

	s.rooted = strings.HasPrefix(strings.TrimLeft(text, "\"'`^({!"), "/")
	parts := append(between().Split(text, -1), text)
	for _, m := range term().FindAllStringSubmatch(text, -1) {
		parts = append(parts, m[1])
	}

	if several {
		parts = append(parts, strings.Fields(text)...)
	}
	for _, part := range parts {
		part = strings.Trim(part, "!\"'` ")
		if part = strings.TrimSuffix(strings.TrimPrefix(part, "./"), "/"); part != "" {
			s.globs = append(s.globs, glob(part))
		}
	}

	if strings.ContainsAny(text, wildcards) {
		if expr, err := regexp.Compile("(?is)^(?:" + text + ")$"); err == nil {
			s.exprs = append(s.exprs, expr)
		}
	}

	return s
}

// Wild reports whether it may find what has another name.
func (s Search) Wild() bool { return s.all || s.wild || len(s.exprs) > 0 }

// glob returns a text as one that can be matched. What is in brackets in a way that not every program takes may be anything.
func glob(text string) string {
	text = class().ReplaceAllString(text, "?")
	for choice().MatchString(text) {
		text = choice().ReplaceAllString(text, "*")
	}
	if !doublestar.ValidatePattern(text) {
		text = odd().ReplaceAllString(text, "*")
	}
	return text
}

// Finds reports whether it may find a file in a folder. Both are real paths.
func (s Search) Finds(folder, path string) bool {
	if s.all {
		return true
	}

	path, folder = strings.ToLower(path), strings.ToLower(folder)
	whole := path
	if rest, ok := paths.Within(path, folder); ok {
		path = rest
	} else if path == folder {
		path = filepath.Base(path)
	} else {
		return s.rooted && s.is(whole)
	}
	if s.is(whole) {
		return true
	}

	segments := strings.Split(path, "/")
	for from := range segments {
		if s.is(strings.Join(segments[from:], "/")) {
			return true
		}
		for to := from + 1; s.wild && to < len(segments); to++ {
			if s.matches(strings.Join(segments[from:to], "/")) {
				return true // a folder that it is in
			}
		}
	}

	return false
}

func (s Search) is(name string) bool {
	for _, expr := range s.exprs {
		if expr.MatchString(name) {
			return true
		}
	}
	return s.matches(name)
}

func (s Search) matches(name string) bool {
	for _, glob := range s.globs {
		if ok, err := doublestar.Match(glob, name); ok || err != nil {
			return true
		}
		if ok, _ := doublestar.Match(strings.TrimPrefix(glob, "/"), name); ok {
			return true // some begin at their folder
		}
	}
	return false
}
