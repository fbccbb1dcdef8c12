//go:build !lexers

package lexers

import (
	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// Get returns the lexer of a language, by one of its names, or of a file, by its name; nil if there is none. It may be called
// from any goroutine.
func Get(name string) chroma.Lexer { return lexers.Get(name) }
