package input

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed members.txt
var table string

// members returns the names of a group of the table.
func members(group string) []string { return groups()[group] }

var groups = sync.OnceValue(func() map[string][]string {
	list, group := map[string][]string{}, ""
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case line[0] != ' ':
			group = words[0]
		default:
			list[group] = append(list[group], words...)
		}
	}
	return list
})

// HasPath reports whether a member names a file or a folder.
func HasPath(name string) bool { return in("file", name) || in("folder", name) }

func in(group, name string) bool { return slices.Contains(members(group), name) }
