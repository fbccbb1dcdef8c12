// Package highlight finds highlights in lines of text: code in its language, Markdown, and the differences between two versions
// of a line.
//
// It knows nothing of where the lines are shown. Its functions may take tens of milliseconds and may be called from any
// goroutine; no lock is held while they work.
package highlight

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/chroma/v2"

	"github.com/nvim-acp/nvim-acp/host/highlight/lexers"
)

// Span is a part of a line, in bytes, and its highlight group.
type Span struct {
	From, To int
	Group    string
}

const (
	maxCode = 64 << 10        // bytes of code that are highlighted: they take 130 ms
	maxTime = 2 * time.Second // for a language whose lexer is slow; the machine may be busy
)

// Code returns the spans of each line of code in a language, a name such as "go" or a path such as "a/b.go". They are nil
// if the language is unknown, and missing from the end of code that is too long.
func Code(language string, lines []string) [][]Span {
	lexer := lexerOf(language)
	text := strings.Join(lines[:Within(lines)], "\n") + "\n"
	if lexer == nil || !utf8.ValidString(text) {
		return nil
	}

	tokens, err := lexer.Tokenise(nil, text)
	if err != nil {
		return nil
	}

	w := writer{spans: make([][]Span, len(lines))}
	for end, token := time.Now().Add(maxTime), tokens(); token != chroma.EOF; token = tokens() {
		if !strings.HasPrefix(text, token.Value) || time.Now().After(end) {
			break // the lexer has changed the text: later spans would be in the wrong places
		}
		text = text[len(token.Value):]
		w.write(token.Value, groupOf(token.Type))
	}

	return w.spans
}

// Within returns how many of the first lines of code [Code] looks at.
func Within(lines []string) int {
	size := 0
	for i, l := range lines {
		if size += len(l) + 1; size > maxCode {
			return i
		}
	}
	return len(lines)
}

// Lines before new ones that are looked at again: the lexer finds its way in the first of them.
const (
	again = 40
	sure  = 20 // of these at least the last, which are to be as they were
)

// More returns the spans of code that has grown: those of its first lines are known. Only what is new is looked at, and some lines
// before it, so it may be wrong about what began further up. It reports false where it finds for those lines what is not known of
// them, or for too few. The caller sees to it that all is [Within] what is looked at.
func More(language string, known [][]Span, lines []string) ([][]Span, bool) {
	from := len(known) - again
	if from < 0 {
		return nil, false
	}
	found := Code(language, lines[from:])
	if len(found) < again || !slices.EqualFunc(found[again-sure:again], known[len(known)-sure:], slices.Equal[[]Span]) {
		return nil, false
	}
	return slices.Concat(known, found[again:]), true
}

// known caches the lexers by language and file name: finding one takes milliseconds.
var known = struct {
	sync.Mutex
	lexers map[string]chroma.Lexer
}{lexers: map[string]chroma.Lexer{}}

const maxKnown = 500

// lexerOf returns the lexer of a language or of a file, nil if there is none.
func lexerOf(language string) chroma.Lexer {
	name := filepath.Base(language)
	if ext := filepath.Ext(name); ext != "" && ext != name {
		name = "x" + ext
	}
	if language == "" || len(name) > 40 {
		return nil
	}

	known.Lock()
	lexer, found := known.lexers[name]
	known.Unlock()

	if found {
		return lexer
	}

	lexer = lexers.Get(name)
	if lexer != nil {
		lexer = chroma.Coalesce(lexer)
	}

	known.Lock()
	defer known.Unlock()

	if len(known.lexers) < maxKnown {
		known.lexers[name] = lexer
	}

	return lexer
}

// writer collects the spans of a text that is written piece by piece.
type writer struct {
	spans    [][]Span
	row, col int
}

func (w *writer) write(text, group string) {
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			w.row, w.col = w.row+1, 0
		}
		if line != "" && group != "" && w.row < len(w.spans) {
			w.spans[w.row] = append(w.spans[w.row], Span{w.col, w.col + len(line), group})
		}
		w.col += len(line)
	}
}

// Groups are those of tree-sitter, which every colour scheme has or links to the older ones.
var groups = map[chroma.TokenType]string{
	chroma.Keyword:               "@keyword",
	chroma.KeywordType:           "@type.builtin",
	chroma.KeywordConstant:       "@constant.builtin",
	chroma.NameFunction:          "@function",
	chroma.NameFunctionMagic:     "@function.builtin",
	chroma.NameBuiltin:           "@function.builtin",
	chroma.NameBuiltinPseudo:     "@variable.builtin",
	chroma.NameClass:             "@type",
	chroma.NameException:         "@type",
	chroma.NameConstant:          "@constant",
	chroma.NameDecorator:         "@attribute",
	chroma.NameAttribute:         "@attribute",
	chroma.NameTag:               "@tag",
	chroma.NameNamespace:         "@module",
	chroma.NameProperty:          "@property",
	chroma.NameLabel:             "@label",
	chroma.LiteralString:         "@string",
	chroma.LiteralStringEscape:   "@string.escape",
	chroma.LiteralStringInterpol: "@string.escape",
	chroma.LiteralStringRegex:    "@string.regexp",
	chroma.LiteralStringSymbol:   "@string.special",
	chroma.LiteralStringChar:     "@character",
	chroma.LiteralNumber:         "@number",
	chroma.OperatorWord:          "@keyword",
	chroma.Comment:               "@comment",
	chroma.CommentPreproc:        "@keyword",
	chroma.CommentPreprocFile:    "@string",
	chroma.GenericHeading:        "@markup.heading",
	chroma.GenericSubheading:     "@markup.heading",
	chroma.GenericInserted:       "@diff.plus",
	chroma.GenericDeleted:        "@diff.minus",
	chroma.GenericPrompt:         "@comment",
}

// groupOf returns the group of a token, or of its class. Operators and punctuation have none, so that colour stays meaningful.
func groupOf(t chroma.TokenType) string {
	for _, class := range []chroma.TokenType{t, t.SubCategory(), t.Category()} {
		if group := groups[class]; group != "" {
			return group
		}
	}
	return ""
}
