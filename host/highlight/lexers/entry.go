// Package lexers has the lexers of chroma, the library, without the library's own table of them: that one is filled at the start of
// each process, which takes longer than all else there. Here a lexer is made of its rules when it is first used.
//
// The rules are the library's, in its own serialisation: `go generate ./host/highlight/lexers` writes them into lexers.zip, which is
// built in with the tag "lexers", as make and releases do. Without the tag the table of the library is used after all, which
// is the same but for the time of a start, and for Raku: much of that lexer is not rules but code.
package lexers

import "github.com/alecthomas/chroma/v2"

//go:generate go run -trimpath -tags= ./make lexers.zip

// Index is the name of the file of the archive that has an Entry for each lexer, as JSON. The order is the library's: of two lexers
// for the same file the first is taken, unless they have priorities.
const Index = "index.json"

// Entry describes a lexer.
type Entry struct {
	Config *chroma.Config
	Rules  string                      // the file of the archive with its rules
	Within string                      // the lexer of what its rules leave over, such as HTML
	Types  map[string]chroma.TokenType // of words that its rules call variables
	Type   chroma.TokenType            // of what its rules leave over, if Within is empty
	Matter bool                        // the text may begin with front matter
}
