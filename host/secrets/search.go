package secrets

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/internal/glob"
	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// A Search is what a tool is given to look for files with. Nobody knows how it reads that: as a glob, as a list of them, as a regular
// expression; for the path of a file, for its end, for a folder with all that is in it. It finds what any of them finds.
type Search struct {
	all   bool // it may be for any file
	wild  bool // it has patterns
	names bool // it is for names of files

	within   *regexp.Regexp // of a path below a folder, from the beginning of any name in it; nil for none
	dotted   *regexp.Regexp // the same, of a whole path that begins with ./
	whole    *regexp.Regexp // of a whole path
	anywhere *regexp.Regexp // of a path whatever the folder is
	far      *regexp.Regexp // the same, if it leads to folders that are not below that
	begins   []string       // where those begin

	exprs  exprs
	rooted bool // the expressions may be for a whole path
}

const (
	maxSearch = 2 << 10 // bytes of a text; a longer one may be for any file
	maxParts  = 200     // texts in it; one with more may be for any file
	wildcards = `*?[{(+\^$|.`
	patterns  = `*?[{(`
)

var (
	// choice is what stands for one of several texts in a way that not every program knows: (a|b), {a..z}.
	choice  = lazy.Regexp(`[@?*+!]?\([^()]*\)|\{[-\w]+\.\.[-\w.]+\}`)
	term    = lazy.Regexp(`(?i)(?:^|\s)-?-?(?:path|file|filename|name|glob|include|in|dir|folder|g|f)s?[:=]\s*(\S+)`)
	between = lazy.Regexp(`[\n,;|{}()]+`)
	words   = lazy.Regexp(`[\s:="'` + "`" + `]+`)
	// filled is a text that is not only brackets and the like.
	filled = lazy.Regexp(`[\pL\pN_.*?]|[^\x00-\x7f]|\[.*\]`)
	// magic is how a pathspec of Git begins that is not for the folder that it is used in.
	magic = lazy.Regexp(`^:(?:\([^()]*\)|[/!^]+:?)`)
	// single is one sign in a form that is longer.
	single = lazy.Regexp(`\\([^\w])|\[([^]^!])\]`)
	// above is what a group may be that leads to the folder above.
	above = lazy.Regexp(`[{,(|]\.{1,2}[/]?[},|)]`)
)

// NewSearch reads a text; names says that it is for the names of files, and may be several with spaces between.
func NewSearch(text string, names bool) Search {
	text = strings.TrimSpace(text)
	s := Search{all: len(text) > maxSearch || names && unclear(text), wild: strings.ContainsAny(text, patterns), names: names}
	if s.all || text == "" {
		return s
	}

	parts := partsOf(text, names)
	for _, inner := range listed(text) {
		s.wild = s.wild || strings.ContainsAny(inner, patterns)
		parts = append(parts, partsOf(inner, true)...)
	}
	if s.all = len(parts) > maxParts; s.all {
		return s
	}

	s.rooted = strings.HasPrefix(strings.TrimLeft(text, "\"'`^({!"), "/")
	var within, whole, anywhere, far []string
	for _, part := range parts {
		if tail, ok := behind(part); ok {
			anywhere = append(anywhere, expr(tail))
			continue
		}
		if strings.Contains(part, "/") && above().MatchString(part) {
			s.all = true
			return s
		}
		if strings.HasPrefix(strings.TrimLeft(part, "({"), "/") {
			whole = append(whole, rooted(part)...)
			if list := linked(part); len(list) > 0 {
				far, s.begins = append(far, list...), append(s.begins, fixed(part))
			}
		}
		if part = clear(part); part != "" {
			within = append(within, expr(part))
		}
	}

	end := "$"
	if s.wild {
		end = "(?:/|$)" // a folder that it is in
	}
	var ok [5]bool
	s.within, ok[0] = union("(?:^|/)", within, end)
	s.whole, ok[1] = union("^", whole, end)
	s.anywhere, ok[2] = union("(?:^|/)", anywhere, end)
	s.far, ok[3] = union("(?:^|/)", far, end)
	s.dotted, ok[4] = union("^", within, "$")
	read := true
	if strings.ContainsAny(text, wildcards) {
		s.exprs, read = readExprs(text, names)
	}
	s.all = !read || slices.Contains(ok[:], false)

	return s
}

// unclear reports whether a text for names has a bracket that is not closed, or that closes none, or a negation where only some programs
// see one: of these some find any file.
func unclear(text string) bool {
	plain := escapedSign.Replace(text)
	return strings.Count(plain, "(") != strings.Count(plain, ")") || strings.HasPrefix(text, "./!")
}

var escapedSign = strings.NewReplacer(`\\`, "", `\(`, "", `\)`, "")

// unquoted leaves out signs that a shell, and some programs, leave out within a word.
var unquoted = strings.NewReplacer(`"`, "", "'", "")

// partsOf returns what of a text may be a pattern by itself.
func partsOf(text string, names bool) (list []string) {
	parts := append(between().Split(text, -1), text)
	for _, m := range term().FindAllStringSubmatch(text, -1) {
		parts = append(parts, m[1])
	}
	if names {
		parts = append(append(parts, strings.Fields(text)...), words().Split(text, -1)...)
		parts = append(parts, strings.ReplaceAll(text, `\`, "/")) // where that is between folders
		parts = append(parts, unquoted.Replace(text))
	}

	for _, part := range parts {
		part = strings.Trim(part, "!\"'` ")
		if filled().MatchString(part) && !slices.Contains(list, part) {
			list = append(list, part)
		}
	}

	return list
}

// listed returns the texts of a list in JSON that is given as one text.
func listed(text string) (list []string) {
	var value any
	if text == "" || !strings.ContainsAny(text[:1], `["{`) || json.Unmarshal([]byte(text), &value) != nil {
		return nil
	}

	var visit func(value any)
	visit = func(value any) {
		switch value := value.(type) {
		case string:
			list = append(list, value)
			if value != "" && len(value) < len(text) {
				list = append(list, listed(value)...)
			}
		case []any:
			for _, v := range value {
				visit(v)
			}
		case map[string]any:
			for _, v := range value {
				visit(v)
			}
		}
	}
	visit(value)

	return list
}

// behind returns the end of a pattern that leads out of the folder of its call: what follows the last "..", or the magic of a pathspec.
func behind(part string) (tail string, ok bool) {
	if m := magic().FindString(part); m != "" {
		return clear(part[len(m):]), true
	}

	segments := strings.Split(single().ReplaceAllString(part, "$1$2"), "/")
	for i := len(segments) - 2; i >= 0; i-- {
		if segments[i] == ".." || segments[i] == ".*" || segments[i] == ".?" { // some shells have .. among these
			return clear(strings.Join(segments[i+1:], "/")), true
		}
	}

	return "", false
}

// clear returns a pattern without what names no folder.
func clear(part string) string {
	segments := slices.DeleteFunc(strings.Split(part, "/"), func(s string) bool { return s == "" || s == "." })
	return strings.Join(segments, "/")
}

// fixed returns the folder that a pattern for whole paths names.
func fixed(part string) string {
	if i := strings.IndexAny(part, patterns+`\`); i >= 0 {
		part = part[:i]
	}
	return part[:strings.LastIndex(part, "/")+1]
}

// rooted returns the expressions of a pattern for whole paths: as it is, and with its folder as that is without links.
func rooted(part string) []string {
	list := []string{expr(part)}
	folder := fixed(part)
	if real, err := filepath.EvalSymlinks(folder); err == nil && folder != "" && real != filepath.Clean(folder) {
		list = append(list, expr(strings.TrimSuffix(real, "/")+"/"+part[len(folder):]))
	}
	return list
}

// linked returns the expressions of what a pattern for whole paths may find behind links that are not known: in what follows a folder that
// it does not name whole, or one of those that the system makes for each process.
func linked(part string) (list []string) {
	segments := strings.Split(clear(part), "/")
	unknown := segments[0] == "proc" || segments[0] == "dev"
	for i, segment := range segments[:len(segments)-1] {
		unknown = unknown || segment != "**" && strings.ContainsAny(segment, patterns)
		if rest := strings.Join(segments[i+1:], "/"); unknown && rest != "**" {
			list = append(list, expr(rest))
		}
	}
	return list
}

// expr returns a glob as a regular expression. What is in brackets in a way that not every program takes may be anything.
func expr(text string) string {
	for choice().MatchString(text) {
		text = choice().ReplaceAllString(text, "*")
	}
	return "(?:" + glob.Expr(text, glob.Through) + ")"
}

// union returns an expression for any of some; nil for none. It is not ok if they cannot be one.
func union(begin string, list []string, end string) (e *regexp.Regexp, ok bool) {
	if len(list) == 0 {
		return nil, true
	}
	e, err := regexp.Compile("(?is)" + begin + "(?:" + strings.Join(list, "|") + ")" + end)
	return e, err == nil
}

// Wild reports whether it may find what has another name.
func (s Search) Wild() bool { return s.all || s.wild || s.exprs.any() }

// Finds reports whether it may find a file in a folder. It may be for the path from there, or from others: some programs that are given a
// folder take patterns from the one that they run in. All are real paths.
func (s Search) Finds(folder, path string, from ...string) bool {
	if s.all || s.anywhere != nil && s.anywhere.MatchString(path) || s.isFar(folder) && s.far.MatchString(path) || s.isWhole(path) {
		return true
	}

	rest, ok := below(path, folder)
	switch {
	case ok:
	case strings.EqualFold(path, folder):
		rest = filepath.Base(path)
	default:
		return false
	}

	if s.matches(rest) {
		return true
	}
	return slices.ContainsFunc(from, func(dir string) bool {
		rest, ok := below(path, dir)
		return ok && s.matches(rest)
	})
}

// below returns the path below a folder, whose name may have letters of the other case: their length is another for some.
func below(path, folder string) (rest string, ok bool) {
	folder = strings.TrimSuffix(folder, "/")
	depth := strings.Count(folder, "/") + 1
	names := strings.SplitN(path, "/", depth+1)
	if len(names) <= depth || !strings.EqualFold(strings.Join(names[:depth], "/"), folder) {
		return "", false
	}
	return names[depth], true
}

// matches reports whether it is for a path below a folder, also as some programs write it.
func (s Search) matches(rest string) bool {
	dotted := "./" + rest
	return s.within != nil && (s.within.MatchString(rest) || s.dotted.MatchString(dotted)) ||
		s.exprs.find(rest) || s.names && s.exprs.find(dotted)
}

// isFar reports whether it leads to folders that are not below one.
func (s Search) isFar(folder string) bool {
	return slices.ContainsFunc(s.begins, func(begin string) bool { return !paths.Below(filepath.Clean(begin), folder) })
}

// isWhole reports whether it may be for a file by its whole path.
func (s Search) isWhole(path string) bool {
	return s.whole != nil && s.whole.MatchString(path) || s.rooted && s.exprs.is(path)
}
