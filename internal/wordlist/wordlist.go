// Package wordlist reads tables of words in groups, which packages embed.
package wordlist

import "strings"

// Parse returns the words of a table by their group: a line that begins with a word names a group, indented lines have its words.
// Lines that begin with # are comments.
func Parse(table string) map[string][]string {
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
}
