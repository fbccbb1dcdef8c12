package buffers

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Intact returns an agent's text with those lines as they are in the version that it has seen which it gives back as it has read them: what
// is no UTF-8 it has read as U+FFFD.
func Intact(seen, text string) string {
	if utf8.ValidString(seen) || !strings.ContainsRune(text, utf8.RuneError) {
		return text
	}

	return strings.Join(IntactLines(strings.Split(seen, "\n"), strings.Split(text, "\n")), "\n")
}

// IntactLines is [Intact] of lines.
func IntactLines(seen, lines []string) []string {
	if !slices.ContainsFunc(seen, func(line string) bool { return !utf8.ValidString(line) }) {
		return lines
	}

	edits := Edits(asRead(seen), asRead(lines))
	shift := 0 // lines is ahead of seen by this
	for i, e := range edits {
		from := e.Start + shift
		edits[i].Lines = lines[from : from+len(e.Lines)]
		shift += len(e.Lines) - (e.End - e.Start)
	}
	return Apply(seen, edits)
}

// asRead returns lines with one U+FFFD for each run of what is no UTF-8: programs differ in how many they put there.
func asRead(lines []string) []string {
	out := slices.Clone(lines)
	for i, line := range out {
		line = strings.ToValidUTF8(line, "\uFFFD")
		for strings.Contains(line, "\uFFFD\uFFFD") {
			line = strings.ReplaceAll(line, "\uFFFD\uFFFD", "\uFFFD")
		}
		out[i] = line
	}
	return out
}
