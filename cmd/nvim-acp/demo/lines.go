package demo

import (
	"fmt"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// lines are some lines of a buffer that a prompt is about, with how it is to be answered.
type lines struct {
	kind  string // of the file, as an extension
	first int    // their number, from 1; 0 if that is not said
	text  string
	fence string // what the new lines are to be written between; "" if nothing is to be changed
}

var (
	linesAsked = lazy.Regexp(`^(?:Change|A question about) lines? (\d+)`)
	linesGiven = lazy.Regexp("(?s)The lines, as they are in the editor now:\n\n(```+)(\\w*)\n(.*?)\n(```+)(?:\n|$)")
	linesForm  = lazy.Regexp("Answer with one block of code, between lines of (```+)")
)

// extensions are those of the languages that the agent knows, as editors name them.
var extensions = map[string]string{
	"go": ".go", "c": ".c", "javascript": ".js", "typescript": ".ts", "lua": ".lua", "python": ".py", "sh": ".sh",
	"markdown": ".md", "text": ".txt", "": ".txt",
}

// linesOf returns the lines that a prompt is about, nil if it is not about lines.
func linesOf(prompt string) *lines {
	given := linesGiven().FindStringSubmatch(prompt)
	if given == nil || given[1] != given[4] {
		return nil
	}
	l := &lines{kind: extensions[given[2]], text: given[3] + "\n"}
	if asked := linesAsked().FindStringSubmatch(prompt); asked != nil {
		_, _ = fmt.Sscan(asked[1], &l.first)
	}
	if form := linesForm().FindStringSubmatch(prompt); form != nil {
		l.fence = form[1]
	}
	return l
}

// answerLines says what is wrong with some lines, or writes them anew.
func (t *turn) answerLines(l *lines) error {
	flaws := findFlaws("lines"+l.kind, l.text)
	switch {
	case !sourceFile("lines" + l.kind):
		return t.say("I know no flaws of this kind of file.")
	case len(flaws) == 0:
		return t.say("These lines have none of the flaws that I know.")
	}

	var b strings.Builder
	for _, f := range flaws {
		fmt.Fprintf(&b, "- **line %d**: %s.\n", max(l.first, 1)+f.line-1, f.title)
	}

	if l.fence != "" {
		fmt.Fprintf(&b, "\n%s\n%s%s\n", l.fence, correct(l.text, flaws), l.fence)
	}

	return t.say("%s", b.String())
}
