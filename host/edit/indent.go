package edit

import (
	"slices"
	"strings"
)

// fit returns lines with the indentation of the base, where an answer has another one throughout: less of it, or spaces for
// tabs. Of the ways to read the answer the one counts with which most of its lines are lines of the base, and of two that are as good the
// first.
func fit(base, lines []string) []string {
	known := make(map[string]bool, len(base))
	for _, line := range base {
		if strings.TrimSpace(line) != "" {
			known[line] = true
		}
	}

	common := func(lines []string) int {
		n := 0
		for _, line := range lines {
			if known[line] {
				n++
			}
		}
		return n
	}

	want := indentOf(base)
	best := tabbed(base, lines)
	most := common(best)
	for _, reading := range append([][]string{best}, readings(base, lines)...) {
		shifted := shift(reading, indentOf(reading), want)
		for _, way := range [][]string{reading, shifted} {
			if n := common(way); n > most {
				best, most = way, n
			}
		}
	}

	if most == 0 && want != "" && !indented(best) { // nothing of the base is left to tell
		return shift(best, "", want)
	}

	return best
}

// indented reports whether the first line with text has an indent.
func indented(lines []string) bool {
	for _, line := range lines {
		if text := strings.TrimLeft(line, " \t"); text != "" {
			return text != line
		}
	}
	return false
}

// readings returns lines as they are, and with the base's kind of indentation.
func readings(base, lines []string) [][]string {
	all := [][]string{lines}
	switch kind := indentsWith(base); {
	case kind == "\t" && indentsWith(lines) == " ":
		for _, width := range []int{4, 2, 8} {
			all = append(all, each(lines, func(indent string) string { return tabs(indent, width) }))
		}
	case kind == " " && indentsWith(lines) == "\t":
		for _, width := range []int{4, 2, 8} {
			all = append(all, each(lines, func(indent string) string {
				return strings.ReplaceAll(indent, "\t", strings.Repeat(" ", width))
			}))
		}
	}

	return all
}

// verbatim are marks of text of several lines, whose indents are its own.
var verbatim = []string{"`", `"""`, "'''", "<<"}

// tabbed returns lines that are indented with spaces as lines indented with tabs, if all of the base are, and if the spaces are levels of
// code: each the same number of them, and none deeper than one more than the line before. Else the lines are returned as they are.
func tabbed(base, lines []string) []string {
	outer, unit := indentOf(lines), 0
	for _, line := range lines {
		text := strings.TrimLeft(line, " ")
		if strings.HasPrefix(text, "\t") || slices.ContainsFunc(verbatim, func(mark string) bool { return strings.Contains(line, mark) }) {
			return lines
		}
		if n := len(line) - len(text) - len(outer); text != "" && n > 0 && (unit == 0 || n < unit) {
			unit = n
		}
	}

	if unit != 2 && unit != 4 && unit != 8 || !onlyTabs(base) {
		return lines
	}

	indent := indentOf(base)
	if outer == "" || indent == "" {
		indent = strings.Repeat("\t", len(outer)/unit)
	}

	out, last := make([]string, len(lines)), 0
	for i, line := range lines {
		text := strings.TrimLeft(line, " ")
		if text == "" {
			continue
		}
		n := len(line) - len(text) - len(outer)
		if n%unit != 0 || n/unit > last+1 {
			return lines
		}
		last = n / unit
		out[i] = indent + strings.Repeat("\t", last) + text
	}

	return out
}

// onlyTabs reports whether lines are indented with tabs alone, and some are.
func onlyTabs(lines []string) bool {
	for _, line := range lines {
		if text := strings.TrimLeft(line, "\t"); strings.HasPrefix(text, " ") && strings.TrimSpace(text) != "" {
			return false
		}
	}
	return indentsWith(lines) == "\t"
}

// tabs returns an indent of spaces as one of tabs.
func tabs(indent string, width int) string {
	n := strings.Count(indent, " ")
	if n != len(indent) {
		return indent
	}
	return strings.Repeat("\t", n/width) + strings.Repeat(" ", n%width)
}

// each returns lines with their indents changed.
func each(lines []string, change func(indent string) string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		text := strings.TrimLeft(line, " \t")
		out[i] = change(line[:len(line)-len(text)]) + text
	}
	return out
}

// indentsWith returns the first character of the first indented line, or "".
func indentsWith(lines []string) string {
	for _, line := range lines {
		if strings.TrimSpace(line) != "" && (line[0] == '\t' || line[0] == ' ') {
			return line[:1]
		}
	}
	return ""
}

// indentOf returns the indent that all lines with text have.
func indentOf(lines []string) string {
	indent, found := "", false
	for _, line := range lines {
		text := strings.TrimLeft(line, " \t")
		if text == "" {
			continue
		}
		own := line[:len(line)-len(text)]
		if !found {
			indent, found = own, true
		}
		for !strings.HasPrefix(own, indent) {
			indent = indent[:len(indent)-1]
		}
	}

	return indent
}

// shift replaces the indent that all lines have.
func shift(lines []string, from, to string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = line
		if rest, ok := strings.CutPrefix(line, from); ok && strings.TrimSpace(line) != "" {
			out[i] = to + rest
		}
	}
	return out
}
