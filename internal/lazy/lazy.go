// Package lazy has regular expressions that are compiled when they are first used. The program is started several times for a
// chat, as host, guard and agent, and most of them are of use to one of these only.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that returns the expression. It panics at its first call if the text cannot be parsed.
func Regexp(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
