package edit

import "strings"

// fit returns lines with the indentation of the base, where an answer has another one throughout: less of it, or spaces for
// tabs. Of the ways to read the answer the one counts with which most of its lines are lines of the base; if there is no such line, it
// is read with the base's kind of indentation.
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
	best := natural(base, lines)
	most := common(best)
	for _, tabbed := range append([][]string{best}, readings(base, lines)...) { // of two that are as good, the natural one
		shifted := shift(tabbed, indentOf(tabbed), want)
		for _, way := range [][]string{tabbed, shifted} {
			if n := common(way); n > most {
				best, most = way, n
			}
		}
	}
	if most == 0 && want != "" && outermost(best) { // nothing of the base is left to tell
		return shift(best, "", want)
	}
	return best
}

// outermost reports whether a line has no indent.
func outermost(lines []string) bool {
	for _, line := range lines {
		if strings.TrimSpace(line) != "" && strings.TrimLeft(line, " \t") == line {
			return true
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

// natural returns lines with the base's kind of indentation, where all of the one are indented with tabs and all of the other with
// spaces.
func natural(base, lines []string) []string {
	from, to := indentsWith(lines), indentsWith(base)
	if from == to || from == "" || to == "" || !all(lines, from) || !all(base, to) {
		return lines
	}
	if to == "\t" {
		width := step(lines)
		if n := len(indentOf(base)); n > 0 && len(indentOf(lines))%n == 0 && indentOf(lines) != "" {
			width = len(indentOf(lines)) / n // it has the base's own indent
		}
		return each(lines, func(indent string) string { return tabs(indent, width) })
	}
	unit := strings.Repeat(" ", step(base))
	return each(lines, func(indent string) string { return strings.ReplaceAll(indent, "\t", unit) })
}

// all reports whether the indents of lines consist of one character.
func all(lines []string, char string) bool {
	for _, line := range lines {
		if text := strings.TrimLeft(line, " \t"); text != "" && strings.Trim(line[:len(line)-len(text)], char) != "" {
			return false
		}
	}
	return true
}

// step returns how many spaces lines are indented by for a level: 4 or 2, whichever most of their indents are multiples of.
func step(lines []string) int {
	fours, twos := 0, 0
	for _, line := range lines {
		text := strings.TrimLeft(line, " ")
		switch n := len(line) - len(text); {
		case text == "" || n == 0:
		case n%4 == 0:
			fours++
		case n%2 == 0:
			twos++
		}
	}
	if twos >= fours && twos > 0 {
		return 2
	}
	return 4
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
