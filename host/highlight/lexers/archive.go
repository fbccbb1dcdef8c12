//go:build lexers

package lexers

import (
	"archive/zip"
	"bytes"
	"cmp"
	_ "embed"
	"encoding/xml"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/go-json-experiment/json"
)

//go:embed lexers.zip
var data []byte

// Get returns the lexer of a language, by one of its names, or of a file, by its name; nil if there is none. It may take some
// milliseconds and may be called from any goroutine.
func Get(name string) chroma.Lexer {
	all := registry()
	for _, name := range []string{name, strings.ToLower(name)} {
		if l := all.names[name]; l != nil {
			return l
		}
	}
	if l := all.match(name); l != nil {
		return l
	}
	return nil
}

// table has all lexers, each of which is made when it is used.
type table struct {
	names map[string]*lexer // and their aliases, also in small letters
	files []file            // those to be preferred first

	// library is the same for the rules of a lexer that name another. What it does not find takes it milliseconds.
	library *chroma.LexerRegistry
}

// file is a pattern of file names.
type file struct {
	pattern string
	*lexer
}

var registry = sync.OnceValue(func() *table {
	all := &table{names: map[string]*lexer{}, library: chroma.NewLexerRegistry()}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return all
	}

	var entries []Entry
	index, err := fs.ReadFile(archive, Index)
	if err != nil || json.Unmarshal(index, &entries) != nil {
		return all
	}
	for _, e := range entries {
		l := &lexer{config: e.Config, made: sync.OnceValues(func() (chroma.Lexer, error) { return e.lexer(archive, all.library) })}
		all.add(l)
		all.library.Register(l)
	}

	for _, l := range all.library.Lexers {
		all.name(l.(*lexer), l.Config().Name) // before the aliases of others
	}

	slices.SortStableFunc(all.files, func(a, b file) int { return cmp.Compare(priority(b), priority(a)) })
	return all
})

func priority(f file) float32 { return cmp.Or(f.config.Priority, 1) }

func (t *table) name(l *lexer, name string) { t.names[name], t.names[strings.ToLower(name)] = l, l }

func (t *table) add(l *lexer) {
	for _, alias := range l.config.Aliases {
		t.name(l, alias)
	}
	for _, pattern := range l.config.Filenames {
		t.files = append(t.files, file{pattern, l})
	}
}

// match returns the lexer of a file, nil if there is none.
func (t *table) match(name string) *lexer {
	for _, f := range t.files {
		if end, ok := strings.CutPrefix(f.pattern, "*"); ok && !strings.ContainsAny(end, `*?[\`) {
			if strings.HasSuffix(name, end) {
				return f.lexer
			}
		} else if ok, _ := path.Match(f.pattern, name); ok {
			return f.lexer
		}
	}
	return nil
}

// lexer is one that is made when it is used.
type lexer struct {
	config *chroma.Config
	made   func() (chroma.Lexer, error)
}

func (l *lexer) Config() *chroma.Config                             { return l.config }
func (l *lexer) SetRegistry(*chroma.LexerRegistry) chroma.Lexer     { return l }
func (l *lexer) SetAnalyser(func(text string) float32) chroma.Lexer { return l }
func (l *lexer) AnalyseText(string) float32                         { return 0 }

func (l *lexer) Tokenise(options *chroma.TokeniseOptions, text string) (chroma.Iterator, error) {
	made, err := l.made()
	if err != nil {
		return nil, fmt.Errorf("lexer %s: %w", l.config.Name, err)
	}
	return made.Tokenise(options, text)
}

// lexer makes the lexer of an entry.
func (e *Entry) lexer(archive fs.FS, all *chroma.LexerRegistry) (chroma.Lexer, error) {
	text, err := fs.ReadFile(archive, e.Rules)
	if err != nil {
		return nil, err
	}

	var rules chroma.Rules
	if err := xml.Unmarshal(text, &rules); err != nil {
		return nil, err
	}

	made, err := chroma.NewLexer(e.Config, func() chroma.Rules { return rules })
	if err != nil {
		return nil, err
	}

	made.SetRegistry(all)

	switch {
	case e.Within != "":
		return chroma.DelegatingLexer(all.Get(e.Within), made), nil
	case e.Types != nil || e.Type != 0:
		return chroma.RemappingLexer(made, e.retype), nil
	case e.Matter:
		return &matter{Lexer: made, all: all}, nil
	}

	return made, nil
}

// retype gives a token the type that its word has.
func (e *Entry) retype(t chroma.Token) []chroma.Token {
	if special, found := e.Types[t.Value]; found && t.Type == chroma.NameVariable {
		t.Type = special
	} else if t.Type == chroma.Other && e.Type != 0 {
		t.Type = e.Type
	}
	return []chroma.Token{t}
}
