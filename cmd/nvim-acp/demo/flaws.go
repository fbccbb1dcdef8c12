package demo

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// A flaw is something in a text that the agent knows how to put right.
type flaw struct {
	line  int    // counting from 1
	title string // what is wrong, as a clause
	why   string // why that matters, as a sentence
	fixed string // the whole line, put right
	eof   bool   // the flaw is that the last line has no end; fixed is the line as it is
}

// loops are the heads of loops that run to one before the last element, by kind of file: the text up to the excess, the
// excess, the rest; the name of the counter is the first group.
var loops = map[string]func() *regexp.Regexp{
	".go":  cLoop,
	".c":   cLoop,
	".js":  cLoop,
	".ts":  cLoop,
	".lua": lazy.Regexp(`^(?P<head>\s*for (?P<counter>\w+) = 1, #[\w.]+)(?P<excess> *- *1)(?P<rest>\s+do\b.*)$`),
	".py":  lazy.Regexp(`^(?P<head>\s*for (?P<counter>\w+) in range\(len\([\w.]+\))(?P<excess> *- *1)(?P<rest>\):.*)$`),
}

// cLoop is a head of a loop in the languages that have it from C.
var cLoop = lazy.Regexp(`^(?P<head>\s*for \(?(?:\w+ )?(?P<counter>\w+) :?= 0; \w+ < (?:len\([\w.]+\)|[\w.]+\.length))` +
	`(?P<excess> *- *1)(?P<rest>;.*)$`)

// typos are words that are never right.
var typos = map[string]string{
	"recieve": "receive", "recieved": "received", "recieves": "receives", "occured": "occurred", "seperate": "separate",
	"seperator": "separator", "lenght": "length", "definately": "definitely", "teh": "the", "adress": "address",
	"wich": "which", "untill": "until", "succesful": "successful", "neccessary": "necessary",
}

var word = lazy.Regexp(`[A-Za-z]+`)

// comments are what a comment to the end of the line begins with, by kind of file; prose is nothing but comment.
var comments = map[string]string{
	".go": "//", ".c": "//", ".js": "//", ".ts": "//", ".lua": "--", ".py": "#", ".sh": "#", ".md": "", ".txt": "",
}

// sourceFile reports whether the agent knows flaws of this kind of file.
func sourceFile(path string) bool {
	_, ok := comments[filepath.Ext(path)]
	return ok
}

// findFlaws returns the flaws of a text in the order of its lines, at most one for each line.
func findFlaws(path, text string) []flaw {
	if text == "" || !sourceFile(path) {
		return nil
	}

	kind := filepath.Ext(path)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var flaws []flaw
	for i, line := range lines {
		f, ok := shortLoop(kind, lines, i)
		if !ok {
			f, ok = misspelt(kind, line)
		}
		if !ok {
			continue
		}
		f.line = i + 1
		flaws = append(flaws, f)
	}

	if !strings.HasSuffix(text, "\n") {
		flaws = append(flaws, flaw{
			line: len(lines), title: "no newline at end of file", eof: true,
			why: "Tools that go by lines can lose it, and every diff will show it.",
		})
	}

	return flaws
}

// shortLoop finds a loop that leaves out the last element. One whose body looks at the next element is right.
func shortLoop(kind string, lines []string, i int) (flaw, bool) {
	pattern, ok := loops[kind]
	if !ok {
		return flaw{}, false
	}

	parts := pattern().FindStringSubmatch(lines[i])
	if parts == nil {
		return flaw{}, false
	}

	group := func(name string) string { return parts[pattern().SubexpIndex(name)] }
	next := regexp.MustCompile(`\b` + group("counter") + `\s*\+\s*1\b`)
	for _, line := range body(lines, i) {
		if next.MatchString(line) {
			return flaw{}, false
		}
	}

	return flaw{
		title: "the loop leaves out the last element",
		why:   fmt.Sprintf("`%s` stops one early, and nothing in the body looks at the element after it.", group("counter")),
		fixed: group("head") + group("rest"),
	}, true
}

// body returns the lines below a head that are indented further.
func body(lines []string, head int) []string {
	depth := indent(lines[head])
	end := head + 1
	for end < len(lines) && (strings.TrimSpace(lines[end]) == "" || indent(lines[end]) > depth) {
		end++
	}
	return lines[head+1 : end]
}

// indent is how far a line is indented.
func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// misspelt finds words that are never right, in comments and prose only: a name in code may be used elsewhere.
func misspelt(kind, line string) (flaw, bool) {
	start := 0
	if mark := comments[kind]; mark != "" {
		if start = commentStart(line, mark); start < 0 {
			return flaw{}, false
		}
	}

	var found []string
	fixed := line[:start] + word().ReplaceAllStringFunc(line[start:], func(w string) string {
		right, ok := typos[strings.ToLower(w)]
		if !ok {
			return w
		}
		found = append(found, w)
		if w[0] < 'a' {
			return strings.ToUpper(right[:1]) + right[1:]
		}
		return right
	})
	if found == nil {
		return flaw{}, false
	}

	return flaw{
		title: "misspelt: " + strings.Join(found, ", "),
		why:   "Whoever searches for the right word will not find this line.",
		fixed: fixed,
	}, true
}

// commentStart is where a comment begins, or -1. A line with a quotation mark before it is left alone.
func commentStart(line, mark string) int {
	start := strings.Index(line, mark)
	if start >= 0 && strings.ContainsAny(line[:start], "\"'`") {
		return -1
	}
	return start
}

// faulty returns how many lines have flaws: the last one may have two.
func faulty(flaws []flaw) int {
	lines := 0
	for i, f := range flaws {
		if i == 0 || f.line != flaws[i-1].line {
			lines++
		}
	}
	return lines
}

// correct puts the flaws right.
func correct(text string, flaws []flaw) string {
	lines := strings.SplitAfter(text, "\n")
	for _, f := range flaws {
		line := lines[f.line-1]
		switch {
		case f.eof:
			lines[f.line-1] = line + "\n"
		default:
			lines[f.line-1] = f.fixed + line[len(strings.TrimRight(line, "\n")):]
		}
	}
	return strings.Join(lines, "")
}
