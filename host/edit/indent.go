package edit

import "strings"

// fit returns lines with the indentation of the base, where an answer has another one throughout: less of it, or spaces for
// tabs. Of the ways to read the answer the one counts with which most of its lines are lines of the base.
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
	best, most := lines, common(lines)
	for _, tabbed := range readings(base, lines) {
		shifted := shift(tabbed, indentOf(tabbed), want)
		for _, way := range [][]string{tabbed, shifted} {
			if n := common(way); n > most {
				best, most = way, n
			}
		}
	}
	if most == 0 && want != "" && indentOf(lines) == "" { // nothing of the base is left to tell
		return shift(lines, "", want)
	}
	return best
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
