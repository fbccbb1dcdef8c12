package edit

import "strings"

// Block is a fenced block of an answer.
type Block struct {
	Lines  []string
	Closed bool
}

// answer is the text of an answer as it comes. The zero value is an empty one.
type answer struct {
	words  strings.Builder // what is outside of blocks
	blocks []Block
	open   bool   // the last block is not closed
	fence  string // … and this closes it
	indent int    // of its opening fence
	inner  int    // blocks that began within it, with a language, and are not closed: models use the same fence for them
	rest   string // the last line, without its end
}

// write adds a piece of the answer.
func (a *answer) write(text string) {
	text = a.rest + text
	for {
		line, after, ended := strings.Cut(text, "\n")
		if !ended {
			a.rest = text
			return
		}
		a.line(strings.TrimSuffix(line, "\r"))
		text = after
	}
}

// end takes the last line, which has no end.
func (a *answer) end() {
	if a.rest != "" {
		a.line(strings.TrimSuffix(a.rest, "\r"))
		a.rest = ""
	}
}

func (a *answer) line(line string) {
	if a.open {
		last := &a.blocks[len(a.blocks)-1]
		switch closed := closes(line, a.fence); {
		case closed && a.inner == 0:
			last.Closed, a.open = true, false
			return
		case closed:
			a.inner--
		case a.begins(line):
			a.inner++
		}
		last.Lines = append(last.Lines, outdent(line, a.indent))
		return
	}

	fence, indent := opens(line)
	if fence == "" {
		a.words.WriteString(line + "\n")
		return
	}

	a.open, a.fence, a.indent = true, fence, indent
	a.blocks = append(a.blocks, Block{})
}

// opens returns the fence that a line begins a block with and its indent, or "".
func opens(line string) (fence string, indent int) {
	text := strings.TrimLeft(line, " ")
	indent = len(line) - len(text)
	if text == "" || indent > 3 {
		return "", 0
	}
	info := strings.TrimLeft(text, text[:1])
	n := len(text) - len(info)
	if (text[0] != '`' && text[0] != '~') || n < 3 || text[0] == '`' && strings.Contains(info, "`") {
		return "", 0
	}
	return text[:n], indent
}

// begins reports whether a line within a block begins one that the block's own fence could end.
func (a *answer) begins(line string) bool {
	fence, _ := opens(outdent(line, a.indent))
	return fence != "" && fence[0] == a.fence[0] && len(fence) >= len(a.fence) && strings.TrimSpace(line) != fence
}

// closes reports whether a line ends a block that began with a fence.
func closes(line, fence string) bool {
	text := strings.TrimSpace(line)
	return len(text) >= len(fence) && strings.Trim(text, fence[:1]) == "" && len(line)-len(strings.TrimLeft(line, " ")) <= 3
}

// outdent takes away as many spaces as the fence has before it.
func outdent(line string, most int) string {
	for most > 0 && strings.HasPrefix(line, " ") {
		line, most = line[1:], most-1
	}
	return line
}
