package problems

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// Edit replaces the lines from Start to before End, from 0, of the text before.
type Edit struct {
	Start, End int
	Lines      []string
}

// owner says whose a line is.
type owner byte

const (
	before owner = iota // of the text before
	agents
	beside // of the text before; the agent has removed lines next to it
	others
)

// Changed follows how an agent, and others in between, change a text.
type Changed struct {
	lines  []owner // of the text as it is
	names  nameSet // that the agent has removed, or whose call or declaration it has changed
	shared bool    // others have changed the text
}

// NewChanged returns a text of so many lines that nobody has changed.
func NewChanged(lines int) *Changed {
	return &Changed{lines: make([]owner, lines), names: nameSet{}}
}

// Edit notes edits, in order, of a text, by the agent or by others.
func (c *Changed) Edit(was []string, edits []Edit, agent bool) {
	var lines []owner
	at := 0
	for _, e := range edits {
		lines = append(lines, c.lines[at:e.Start]...)
		at = e.End
		by := others
		if agent {
			by = agents
		}
		for range e.Lines {
			lines = append(lines, by)
		}

		if agent && len(e.Lines) == 0 {
			c.stand(lines, len(lines)-1)
			c.stand(c.lines, at)
		}
	}

	c.lines = append(lines, c.lines[at:]...)
	c.shared = c.shared || !agent && len(edits) > 0
	if agent {
		for name := range changedNames(was, edits) {
			c.names[name] = true
		}
	}
}

// stand notes that a line is beside some that are gone.
func (c *Changed) stand(lines []owner, i int) {
	if i >= 0 && i < len(lines) && lines[i] == before {
		lines[i] = beside
	}
}

// Brought returns those errors that the agent seems to have brought, where those before are not known: on its lines, beside lines that
// it has removed, and those that name something that it has removed, or whose call or declaration it has changed.
func (c *Changed) Brought(list []Item) []Item {
	return slices.DeleteFunc(slices.Clone(list), func(i Item) bool {
		by := c.owner(i.Line - 1)
		return by != agents && by != beside && !c.names.in(i.Message)
	})
}

// Own returns errors without those on lines of others, unless they name something that the agent has removed, or whose call or
// declaration it has changed.
func (c *Changed) Own(list []Item) []Item {
	return slices.DeleteFunc(slices.Clone(list), func(i Item) bool {
		return c.owner(i.Line-1) == others && !c.names.in(i.Message)
	})
}

// Names reports whether an error names something that the agent has removed, or whose call or declaration it has changed.
func (c *Changed) Names(i Item) bool { return c.names.in(i.Message) }

// Shared reports whether others than the agent have changed the text.
func (c *Changed) Shared() bool { return c.shared }

// owner returns whose a line is, from 0.
func (c *Changed) owner(line int) owner {
	if line < 0 || line >= len(c.lines) {
		return before
	}
	return c.lines[line]
}

var (
	word   = lazy.Regexp(`[\pL_][\pL\pN_]+`)
	called = lazy.Regexp(`([\pL_][\pL\pN_]+)\(`)
)

// keywords come before a parenthesis in many languages, and are names in none.
var keywords = []string{
	"if", "for", "func", "fn", "function", "while", "switch", "return", "catch", "def", "elif", "match", "and", "or", "not", "in",
}

// nameSet is a set of names.
type nameSet map[string]bool

// changedNames returns the names that edits have removed, and those that are called or declared in lines that they have changed.
func changedNames(was []string, edits []Edit) nameSet {
	var gone, made []string
	for _, e := range edits {
		gone, made = append(gone, was[e.Start:e.End]...), append(made, e.Lines...)
	}

	removed, added := strings.Join(gone, "\n"), strings.Join(made, "\n")
	names := nameSet{}
	for _, name := range word().FindAllString(removed, -1) {
		names[name] = true
	}

	for _, name := range word().FindAllString(added, -1) {
		delete(names, name)
	}

	for _, m := range called().FindAllStringSubmatch(removed+"\n"+added, -1) {
		if !slices.Contains(keywords, m[1]) {
			names[m[1]] = true
		}
	}

	return names
}

// in reports whether a message has one of the names.
func (n nameSet) in(message string) bool {
	return slices.ContainsFunc(word().FindAllString(message, -1), func(name string) bool { return n[name] })
}
