package transcript

import (
	"strings"

	"github.com/nvim-acp/nvim-acp/host/markdown"
	"github.com/nvim-acp/nvim-acp/host/marks"
)

// reader is the state of a cheap line-by-line reader of Markdown, at the start of a line. It highlights growing text: fences,
// headings, quotes, lists and inline spans, each found within its line.
type reader struct {
	fence string // the run of backticks or tildes that opened a code block
	grows bool   // the line is the last one, and may go on
}

// styler appends the marks of one line to a list; row is the line's place in its operation.
type styler func(state *reader, line string, row int, list marks.List) marks.List

// styleMarkdown highlights an agent's text.
func styleMarkdown(state *reader, line string, row int, list marks.List) marks.List {
	trimmed := strings.TrimLeft(line, " ")
	if state.fences(trimmed) > 0 {
		return append(list, marks.New(row, 0, len(line), "AcpFence"))
	}
	if state.fence != "" {
		return styleCode(state, line, row, list)
	}

	indent := len(line) - len(trimmed)
	switch {
	case headingLevel(trimmed) > 0:
		level := headingLevel(trimmed)
		words := indent + level + 1
		list = append(list, marks.New(row, indent, words, hidden))
		list = append(list, marks.New(row, words, len(line), markdown.Heading(level)))
		return inline(line, row, words, state.grows, list)
	case strings.HasPrefix(trimmed, "> ") || trimmed == ">":
		return append(list, marks.New(row, 0, len(line), "AcpQuote"))
	}

	if n := listMark(trimmed); n > 0 {
		list = append(list, marks.New(row, indent, indent+n, "AcpList"))
	}

	return inline(line, row, 0, state.grows, list)
}

// fences returns how long the fence is that a line, without its indentation, begins or ends a block of code with; 0 for any other line.
func (r *reader) fences(line string) int {
	fence := fenceOf(line)
	switch {
	case fence == "":
		return 0
	case r.fence == "":
		r.fence = fence
		return len(fence)
	case fence[0] == r.fence[0] && len(fence) >= len(r.fence) && strings.Trim(line, fence[:1]+" ") == "":
		r.fence = ""
		return len(fence)
	}
	return 0
}

// styleCode is the style of code.
var styleCode = styleDim("AcpCodeBlock")

// stylePlain highlights nothing.
func stylePlain(_ *reader, _ string, _ int, list marks.List) marks.List { return list }

// styleDim returns a styler that gives every line one group.
func styleDim(group string) styler {
	return func(_ *reader, line string, row int, list marks.List) marks.List {
		if line == "" {
			return list
		}
		return append(list, marks.New(row, 0, len(line), group))
	}
}

// thought is the group of an agent's thoughts.
const thought = "AcpThought"

// styleThought dims a thought, and notes where its blocks of code are.
func styleThought(state *reader, line string, row int, list marks.List) marks.List {
	styleMarkdown(state, line, row, nil)
	return styleDim(thought)(state, line, row, list)
}

// stylePrompt highlights the @mentions of a prompt and its blocks of code, whose fences are hidden.
func stylePrompt(state *reader, line string, row int, list marks.List) marks.List {
	trimmed := strings.TrimLeft(line, " ")
	indent := len(line) - len(trimmed)
	if n := state.fences(trimmed); n > 0 {
		list = append(list, marks.New(row, indent, indent+n, hidden))
		if indent+n < len(line) {
			list = append(list, marks.New(row, indent+n, len(line), "AcpFence"))
		}
		return list
	}
	if state.fence != "" {
		return styleCode(state, line, row, list)
	}

	for i := 0; i < len(line); i++ {
		if line[i] != '@' || (i > 0 && line[i-1] != ' ') {
			continue
		}
		end := strings.IndexByte(line[i:], ' ')
		if end < 0 {
			end = len(line) - i
		}
		if end > 1 {
			list = append(list, marks.New(row, i, i+end, "AcpMention"))
		}
		i += end
	}

	return list
}

func fenceOf(line string) string {
	for _, c := range []byte{'`', '~'} {
		n := 0
		for n < len(line) && line[n] == c {
			n++
		}
		if n >= 3 && !(c == '`' && strings.IndexByte(line[n:], '`') >= 0) {
			return line[:n]
		}
	}
	return ""
}

// headingLevel returns the level of a heading, 0 for anything else.
func headingLevel(line string) int {
	n := 0
	for n < len(line) && line[n] == '#' {
		n++
	}
	if n > 6 || n == len(line) || line[n] != ' ' {
		return 0
	}
	return n
}

// listMark returns the length of a list item's mark, 0 for anything else.
func listMark(line string) int {
	if len(line) >= 2 && strings.IndexByte("-*+", line[0]) >= 0 && line[1] == ' ' {
		return 1
	}
	n := 0
	for n < len(line) && line[n] >= '0' && line[n] <= '9' {
		n++
	}
	if n > 0 && n < 10 && n+1 < len(line) && (line[n] == '.' || line[n] == ')') && line[n+1] == ' ' {
		return n + 1
	}
	return 0
}

// inline marks code spans, bold, italic and links of one line, from a byte on, and hides what marks them up. A span that does not end on
// its line is text, unless the line still grows.
func inline(line string, row, from int, grows bool, list marks.List) marks.List {
	for i := from; i < len(line); {
		s := spanAt(line[i:], i > 0 && isWord(line[i-1]), grows)
		if s.length == 0 {
			i++
			continue
		}

		end := i + s.length
		list = append(list, marks.New(row, i, i+s.open, hidden))
		if i+s.open < end-s.end {
			list = append(list, marks.New(row, i+s.open, end-s.end, s.group))
		}
		if s.end > 0 {
			list = append(list, marks.New(row, end-s.end, end, hidden))
		}
		i = end
	}

	return list
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

// hidden is the group of markup that is not shown.
const hidden = "AcpHidden"

// span is inline markup: its length and that of the marks at both ends, in bytes, and the group of what is between.
type span struct {
	length, open, end int
	group             string
}

// spanAt returns the span at the beginning of s; its length is 0 if there is none.
func spanAt(s string, inWord, grows bool) span {
	switch s[0] {
	case '`':
		n := 1
		for n < len(s) && s[n] == '`' {
			n++
		}
		return delimited(s, s[:n], "AcpCode", grows)
	case '*', '_':
		if inWord && s[0] == '_' {
			return span{}
		}
		if strings.HasPrefix(s, "**") || strings.HasPrefix(s, "__") {
			return emphasis(s, s[:2], "AcpBold", grows)
		}
		return emphasis(s, s[:1], "AcpItalic", grows)
	case '[':
		mid := strings.Index(s, "](")
		if mid <= 1 {
			return span{}
		}
		if end := strings.IndexByte(s[mid:], ')'); end > 0 {
			return span{mid + end + 1, 1, end + 1, "AcpLink"}
		}
		if grows && !strings.Contains(s[mid:], " ") {
			return span{len(s), 1, len(s) - mid, "AcpLink"}
		}
	}

	return span{}
}

// delimited returns the span between two delimiters; that of a line which grows may not have ended.
func delimited(s, by, group string, grows bool) span {
	rest := s[len(by):]
	if end := strings.Index(rest, by); end > 0 {
		return span{end + 2*len(by), len(by), len(by), group}
	}
	if grows && !strings.Contains(rest, by) {
		return span{len(s), len(by), 0, group}
	}
	return span{}
}

// emphasis is delimited by what may also be text: it touches its words.
func emphasis(s, by, group string, grows bool) span {
	rest := s[len(by):]
	if rest == "" || rest[0] == ' ' || !isWord(rest[0]) && grows && !strings.Contains(rest, by) {
		return span{}
	}

	found := delimited(s, by, group, grows)
	if found.end > 0 && s[found.length-found.end-1] == ' ' {
		return span{}
	}
	return found
}
