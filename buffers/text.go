package buffers

import (
	"math"
	"strings"
)

const bom = "\ufeff"

// Text is a text in the form of an editor: lines, and properties of the whole.
type Text struct {
	Lines []string
	EOL   bool // the last line ends with a line end
	CRLF  bool // lines end with "\r\n"; only if all do
	BOM   bool // the text begins with a byte order mark
}

// Parse splits content into lines. Parse and [Text.String] are inverse. Empty content has no line.
func Parse(content string) Text {
	var t Text
	content, t.BOM = strings.CutPrefix(content, bom)
	if content == "" {
		return t
	}

	n := strings.Count(content, "\n")
	t.CRLF = n > 0 && strings.Count(content, "\r\n") == n
	end := "\n"
	if t.CRLF {
		end = "\r\n"
	}

	content, t.EOL = strings.CutSuffix(content, end)
	t.Lines = strings.Split(content, end)
	return t
}

// String returns the text of a file, in UTF-8.
func (t Text) String() string {
	end := "\n"
	if t.CRLF {
		end = "\r\n"
	}
	s := strings.Join(t.Lines, end)
	if t.EOL && len(t.Lines) > 0 {
		s += end
	}
	if t.BOM {
		s = bom + s
	}
	return s
}

// Slice returns limit lines of content from line on, line ends included, as fs/read_text_file asks for them. Lines count
// from 1, and 0 means 1; nil is the first line and all that follow. The line after the last one is "", one beyond it a
// [RangeError] (behaviours 25, 26, 209).
func Slice(content string, line, limit *uint32) (string, error) {
	first, count := span(line, limit)
	if first == 1 && limit == nil {
		return content, nil
	}

	rest := content
	for at := int64(1); at < first; at++ {
		if rest == "" {
			return "", outOfRange(first, at-1)
		}
		rest = rest[lineLen(rest):]
	}

	n := 0
	for ; count > 0 && n < len(rest); count-- {
		n += lineLen(rest[n:])
	}

	return rest[:n], nil
}

// lineLen is the length of the first line of s with its line end.
func lineLen(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i + 1
	}
	return len(s)
}

// span turns the parameters of a read into the first line, 1-based, and how many.
func span(line, limit *uint32) (first, count int64) {
	first, count = 1, math.MaxInt64
	if line != nil && *line > 0 {
		first = int64(*line)
	}
	if limit != nil {
		count = int64(*limit)
	}
	return first, count
}

// outOfRange is the error for a text that has fewer than first-1 lines.
func outOfRange(first, last int64) error {
	return &RangeError{Line: uint32(first), Last: int(last)}
}
