package tests

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
)

// style is how a cell looks; name is the highlight group that it comes from, the uppermost where there are several.
type style struct {
	fg, bg int // -1: the default
	attrs  string
	name   string
}

// newStyle reads a style from the redraw stream (ext_hlstate).
func newStyle(attrs map[string]any, info []any) style {
	s := style{fg: -1, bg: -1}
	var set []string
	for name, v := range attrs {
		switch {
		case name == "foreground":
			s.fg = number(v)
		case name == "background":
			s.bg = number(v)
		case v == true:
			set = append(set, name)
		}
	}
	slices.Sort(set)
	s.attrs = strings.Join(set, " ")
	if len(info) > 0 {
		last, _ := info[len(info)-1].(map[string]any)
		s.name, _ = last["hi_name"].(string)
		if s.name == "" {
			s.name, _ = last["ui_name"].(string)
		}
	}
	return s
}

// look is what one sees of a style, "" for that of plain text.
func (s style) look(plain style) string {
	var parts []string
	if s.fg >= 0 && s.fg != plain.fg {
		parts = append(parts, fmt.Sprintf("#%06x", s.fg))
	}
	if s.bg >= 0 && s.bg != plain.bg {
		parts = append(parts, fmt.Sprintf("on #%06x", s.bg))
	}
	if s.attrs != "" {
		parts = append(parts, s.attrs)
	}
	return strings.Join(parts, " ")
}

// background is the colour of the screen's background.
func (g *grid) background() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.colors.bg
}

// shows reports whether something on the screen has a highlight group.
func (g *grid) shows(group string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.ContainsFunc(g.frozen, func(row []cell) bool {
		return slices.ContainsFunc(row, func(c cell) bool { return g.styles[c.style].name == group })
	})
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// paint is how the screen is coloured at its last flush: a letter for each cell that does not look like plain text, and what
// the letters mean, with the groups that look so. A letter comes from the look, not from the place, so that a diff shows little
// but what has changed.
func (g *grid) paint() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	names := map[string]map[string]bool{} // by look
	for _, row := range g.frozen {
		for _, c := range row {
			s := g.styles[c.style]
			look := s.look(g.colors)
			if look == "" {
				continue
			}
			if names[look] == nil {
				names[look] = map[string]bool{}
			}
			names[look][s.name] = true
		}
	}
	letter := lettersOf(slices.Sorted(maps.Keys(names)))
	var b strings.Builder
	for _, row := range g.frozen {
		line := make([]byte, len(row))
		for i, c := range row {
			line[i] = ' '
			if look := g.styles[c.style].look(g.colors); look != "" {
				line[i] = letter[look]
			}
		}
		b.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
	fmt.Fprintf(&b, "\n  #%06x on #%06x\n", g.colors.fg, g.colors.bg)
	looks := slices.SortedFunc(maps.Keys(names), func(x, y string) int { return int(letter[x]) - int(letter[y]) })
	for _, look := range looks {
		fmt.Fprintf(&b, "%c %s: %s\n", letter[look], look, strings.Join(slices.Sorted(maps.Keys(names[look])), " "))
	}
	return b.String()
}

// lettersOf gives each look a letter of its own.
func lettersOf(looks []string) map[string]byte {
	given, taken := map[string]byte{}, map[byte]bool{}
	for _, look := range looks {
		hash := fnv.New32()
		hash.Write([]byte(look))
		i := int(hash.Sum32() % uint32(len(letters)))
		for taken[letters[i]] {
			i = (i + 1) % len(letters)
		}
		given[look], taken[letters[i]] = letters[i], true
	}
	return given
}
