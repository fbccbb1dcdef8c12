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

// Since returns those errors of a file that a change of its text seems to have brought, where the errors before it are not known: those
// on lines that have changed, or beside some that are gone, and those that name something that the change has removed, or whose call or
// declaration it has changed. Was are the lines before, and edits, in order, those that have changed them.
func Since(list []Item, was []string, edits []Edit) []Item {
	names := changedNames(was, edits)
	return slices.DeleteFunc(slices.Clone(list), func(i Item) bool {
		return !touches(edits, i.Line-1) && !names.in(i.Message)
	})
}

// touches reports whether a line of the new text, from 0, is one that edits have made, or beside lines that they have removed with
// nothing in their place.
func touches(edits []Edit, line int) bool {
	shift := 0
	for _, e := range edits {
		first := e.Start + shift
		last := first + len(e.Lines) - 1
		if len(e.Lines) == 0 {
			first, last = first-1, first
		}
		if line >= first && line <= last {
			return true
		}
		shift += len(e.Lines) - (e.End - e.Start)
	}
	return false
}

var (
	word   = lazy.Regexp(`[\pL_][\pL\pN_]+`)
	called = lazy.Regexp(`([\pL_][\pL\pN_]+)\(`)
)

// keywords come before a parenthesis in many languages, and are names in none.
var keywords = []string{"if", "for", "func", "fn", "function", "while", "switch", "return", "catch", "def", "elif", "match", "and", "or", "not", "in"}

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
