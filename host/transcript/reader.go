package transcript

import (
	"strings"

	"github.com/nvim-acp/nvim-acp/host/marks"
)

// reader is the state of a cheap line-by-line reader of Markdown, at the start of a line. It highlights growing text: fences,
// headings, quotes, lists and inline spans, each found within its line.
type reader struct {
	fence string // the run of backticks or tildes that opened a code block
}

// styler appends the marks of one line to a list; row is the line's place in its operation.
type styler func(state *reader, line string, row int, list marks.List) marks.List

// styleMarkdown highlights an agent's text.
func styleMarkdown(state *reader, line string, row int, list marks.List) marks.List {
	trimmed := strings.TrimLeft(line, " ")
	if fence := fenceOf(trimmed); fence != "" {
		switch {
		case state.fence == "":
			state.fence = fence
			return append(list, marks.New(row, 0, len(line), "AcpFence"))
		case fence[0] == state.fence[0] && len(fence) >= len(state.fence) && strings.Trim(trimmed, fence[:1]+" ") == "":
			state.fence = ""
			return append(list, marks.New(row, 0, len(line), "AcpFence"))
		}
	}
	if state.fence != "" {
		if line == "" {
			return list
		}
		return append(list, marks.New(row, 0, len(line), "AcpCodeBlock"))
	}

	indent := len(line) - len(trimmed)
	switch {
	case heading(trimmed):
		return append(list, marks.New(row, 0, len(line), "AcpHeading"))
	case strings.HasPrefix(trimmed, "> ") || trimmed == ">":
		return append(list, marks.New(row, 0, len(line), "AcpQuote"))
	}

	if n := listMark(trimmed); n > 0 {
		list = append(list, marks.New(row, indent, indent+n, "AcpList"))
	}

	return inline(line, row, list)
}

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

// styleMentions highlights the @mentions of a prompt.
func styleMentions(_ *reader, line string, row int, list marks.List) marks.List {
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

func heading(line string) bool {
	n := 0
	for n < len(line) && line[n] == '#' {
		n++
	}
	return n > 0 && n <= 6 && n < len(line) && line[n] == ' '
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

// inline marks code spans, bold, italic and links of one line. A span that does not end on its line is text.
func inline(line string, row int, list marks.List) marks.List {
	for i := 0; i < len(line); {
		n, group := span(line[i:], i > 0 && isWord(line[i-1]))
		if n == 0 {
			i++
			continue
		}
		list = append(list, marks.New(row, i, i+n, group))
		i += n
	}
	return list
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

// span returns the length and group of the inline span at the beginning of s, 0 if there is none.
func span(s string, inWord bool) (int, string) {
	switch s[0] {
	case '`':
		n := 1
		for n < len(s) && s[n] == '`' {
			n++
		}
		if end := strings.Index(s[n:], s[:n]); end > 0 {
			return n + end + n, "AcpCode"
		}
		return 0, ""
	case '*', '_':
		if inWord && s[0] == '_' {
			return 0, ""
		}
		if strings.HasPrefix(s, "**") || strings.HasPrefix(s, "__") {
			return delimited(s, s[:2], "AcpBold")
		}
		return delimited(s, s[:1], "AcpItalic")
	case '[':
		if mid := strings.Index(s, "]("); mid > 0 {
			if end := strings.IndexByte(s[mid:], ')'); end > 0 {
				return mid + end + 1, "AcpLink"
			}
		}
	}

	return 0, ""
}

func delimited(s, by, group string) (int, string) {
	rest := s[len(by):]
	if rest == "" || rest[0] == ' ' {
		return 0, ""
	}
	end := strings.Index(rest, by)
	if end <= 0 || rest[end-1] == ' ' {
		return 0, ""
	}
	return len(by) + end + len(by), group
}
