package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
)

// rulesOf returns the rules of a lexer as the library writes them, in an order that is always the same.
func rulesOf(l *chroma.RegexLexer) ([]byte, error) {
	states, err := l.Rules()
	if err != nil {
		return nil, err
	}

	states = states.Clone()
	for name, rules := range states {
		var plain []chroma.Rule
		for _, r := range rules {
			skip(r.Type)
			if others := instead[l.Config().Name][r.Pattern]; others != nil {
				plain = append(plain, others...)
			} else {
				plain = append(plain, r)
			}
		}
		states[name] = plain
	}

	data, err := xml.Marshal(states)
	if err != nil {
		return nil, err // chroma.ErrNotSerialisable: a rule is code, and instead has nothing for it
	}

	list := state.FindAll(data, -1)
	slices.SortFunc(list, bytes.Compare)
	return slices.Concat([]byte("<rules>\n"), bytes.Join(list, []byte("\n")), []byte("\n</rules>\n")), nil
}

// skip gives the groups of a match that have no emitter one that emits nothing: an absent one is not written.
func skip(e chroma.Emitter) {
	v := reflect.Indirect(reflect.ValueOf(e))
	if v.Kind() != reflect.Struct || !v.FieldByName("Emitters").IsValid() {
		return
	}
	list := v.FieldByName("Emitters").Interface().(chroma.Emitters)
	for i, inner := range list {
		if inner == nil {
			list[i] = chroma.Ignore
		}
	}
}

var state = regexp.MustCompile(`(?s)<state .*?</state>`)

// instead has the rules that stand for those that are code, by lexer and pattern.
var instead = map[string]map[string][]chroma.Rule{
	"Go": {
		"(`)([^`]*)(`)": {{
			Pattern: "(`)([^`]*)(`)",
			Type:    chroma.ByGroups(chroma.LiteralString, chroma.Using(raw), chroma.LiteralString),
		}},
	},

	// Conditions do not bring back the state that was before them.
	"Haxe": {
		`(#)(if|elseif|else|end|error)\b`: {
			{Pattern: `(#)(if|elseif)\b`, Type: chroma.CommentPreproc, Mutator: chroma.Push("preproc-expr")},
			{Pattern: `(#)(error)\b`, Type: chroma.CommentPreproc, Mutator: chroma.Push("preproc-error")},
			{Pattern: `(#)(else|end)\b`, Type: chroma.CommentPreproc},
		},
	},

	"HTTP": {
		`([^\s:]+)( *)(:)( *)([^\r\n]+)(\r?\n|\Z)`: {{
			Pattern: `([^\s:]+)( *)(:)( *)([^\r\n]+)(\r?\n|\Z)`,
			Type:    chroma.ByGroups(chroma.Name, chroma.Text, chroma.Operator, chroma.Text, chroma.Literal, chroma.Text),
		}},
		`([\t ]+)([^\r\n]+)(\r?\n|\Z)`: {{
			Pattern: `([\t ]+)([^\r\n]+)(\r?\n|\Z)`,
			Type:    chroma.ByGroups(chroma.Text, chroma.Literal, chroma.Text),
		}},
		`.+`: {{Pattern: `.+`, Type: chroma.Text}},
	},

	// The code is one group, that of the first line's indent in it.
	"reStructuredText": {
		`^( *\.\.)(\s*)((?:source)?code(?:-block)?)(::)([ \t]*)([^\n]+)(\n[ \t]*\n)([ \t]+)(.*)(\n)((?:(?:\8.*|)\n)+)`: {{
			Pattern: `^( *\.\.)(\s*)((?:source)?code(?:-block)?)(::)([ \t]*)([^\n]+)(\n[ \t]*\n)((?=([ \t]+)).*\n(?:(?:\9.*|)\n)+)`,
			Type: chroma.UsingByGroup(6, 8, chroma.Punctuation, chroma.Text, chroma.OperatorWord, chroma.Punctuation, chroma.Text,
				chroma.Keyword, chroma.Text, chroma.String, chroma.Ignore),
		}},
	},
}

var literal = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"`)

// types returns the types that a lexer gives to words. They are in the library's sources only, and in a function.
func types(mapper func(chroma.Token) []chroma.Token) (map[string]chroma.TokenType, error) {
	dir, err := folder()
	if err != nil {
		return nil, err
	}

	sources, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}

	out := map[string]chroma.TokenType{}
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			return nil, err
		}
		for _, quoted := range literal.FindAll(text, -1) {
			word, err := strconv.Unquote(string(quoted))
			if err != nil {
				continue
			}
			if t := mapper(chroma.Token{Type: chroma.NameVariable, Value: word})[0].Type; t != chroma.NameVariable {
				out[word] = t
			}
		}
	}

	if len(out) == 0 {
		return nil, fmt.Errorf("no words in %s", dir)
	}

	return out, nil
}

// folder returns where the sources of the library's lexers are.
var folder = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/alecthomas/chroma/v2/lexers").Output()
	return strings.TrimSpace(string(out)), err
})
