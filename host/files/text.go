package files

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// lines returns the lines of the buffer, which must not be changed.
func (b Snapshot) lines() []string {
	if b.split != nil {
		return b.split
	}
	return strings.Split(b.Text, "\n")
}

// content returns the text that lines of the buffer make in its file, in UTF-8.
func (b Snapshot) content(lines []string) string {
	if len(lines) == 1 && lines[0] == "" && b.Empty {
		return ""
	}
	return buffers.Text{Lines: lines, EOL: b.EOL, CRLF: b.CRLF}.String()
}

// whole returns the text that the buffer makes in its file, in UTF-8.
func (b Snapshot) whole() string {
	switch {
	case b.CRLF:
		return b.content(b.lines())
	case b.Text == "" && b.Empty:
		return ""
	case b.EOL:
		return b.ended
	}
	return b.Text
}

// parse splits the text of a file into lines as the buffer would have them: at least one. The result says which line ends the
// text has.
func (b Snapshot) parse(text string) buffers.Text {
	if b.isMac(text) {
		text = strings.ReplaceAll(text, "\r", "\n")
	}

	t := buffers.Parse(text)
	switch {
	case len(t.Lines) == 0:
		t.Lines, t.EOL = []string{""}, true
	case t.CRLF && !b.CRLF && strings.Contains(b.Text+"\n", "\r\n"): // the buffer has carriage returns as text
		t.CRLF = false
		t.Lines = strings.Split(strings.Join(t.Lines, "\r\n"), "\n")
		if t.EOL {
			t.Lines[len(t.Lines)-1] += "\r"
		}
	case !t.CRLF && b.CRLF:
		for i, l := range t.Lines {
			t.Lines[i] = strings.TrimSuffix(l, "\r")
		}
	}

	return t
}

// isMac reports whether a text of the file has the line ends of 'fileformat' "mac", as the buffer has.
func (b Snapshot) isMac(text string) bool { return b.Mac && !strings.Contains(text, "\n") }

// isUTF8 reports whether the file is stored in UTF-8.
func (b Snapshot) isUTF8() bool { return b.Encoding == "" || b.Encoding == "utf-8" }

// isInvalid reports whether the file is stored in UTF-8 and the buffer has bytes that are none, as after `++bad=keep`.
func (b Snapshot) isInvalid() bool { return b.isUTF8() && !utf8.ValidString(b.Text) }

// held returns a text as the buffer has it. Of a file with bytes that are no UTF-8 others know the text in Latin-1.
func (b Snapshot) held(t Text) Text {
	if !b.isInvalid() {
		return t
	}
	held := map[string]string{}
	for _, line := range b.lines() {
		held[buffers.FromLatin1(line)] = line
	}
	t.Lines = slices.Clone(t.Lines)
	for i, line := range t.Lines {
		if raw, ok := held[line]; ok {
			t.Lines[i] = raw
		}
	}
	return t
}

// hasLegacyEncoding reports whether the file is stored in an encoding other than those of Unicode.
func (b Snapshot) hasLegacyEncoding() bool {
	return b.Encoding != "" && !strings.HasPrefix(b.Encoding, "utf") && !strings.HasPrefix(b.Encoding, "ucs")
}

// Text is a file as lines.
type Text struct {
	Lines   []string // without line ends
	EOL     bool     // the last line ends with a line end
	Missing bool     // there is no file
}

// textOf returns a text in UTF-8 as lines.
func textOf(text string) Text {
	t := buffers.Parse(text)
	return Text{Lines: t.Lines, EOL: t.EOL}
}

// string returns the text of a file in UTF-8, with the line ends that the file has: those are kept when it is written.
func (t Text) string() string { return buffers.Text{Lines: t.Lines, EOL: t.EOL}.String() }

// shown returns the text of the buffer.
func (b Snapshot) shown() Text { return b.shownAs(b.lines(), b.EOL) }

// shownAs returns lines of the buffer as a text: a buffer has one line even where its file has none.
func (b Snapshot) shownAs(lines []string, eol bool) Text {
	if len(lines) == 1 && lines[0] == "" && (b.Empty || !eol) {
		return Text{}
	}
	return Text{Lines: lines, EOL: eol}
}
