// Command make writes the rules of chroma's lexers into the archive that package lexers reads.
package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"unsafe"

	"github.com/alecthomas/chroma/v2"
	library "github.com/alecthomas/chroma/v2/lexers"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/nvim-acp/nvim-acp/host/highlight/lexers"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: make FILE")
		os.Exit(2)
	}
	files, err := contents()
	if err == nil {
		err = write(os.Args[1], files)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "make:", err)
		os.Exit(1)
	}
}

// left are the lexers that are left out, since much of them is not rules but code.
var left = []string{"Raku"}

// raw is the lexer of Go's raw strings, which may be templates. It is no language of its own.
const raw = "Go raw string"

// contents returns the files of the archive by their names.
func contents() (map[string][]byte, error) {
	var entries []lexers.Entry
	files := map[string][]byte{}
	add := func(e lexers.Entry, l *chroma.RegexLexer) error {
		data, err := rulesOf(l)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Config.Name, err)
		}
		config := *e.Config
		config.Analyse = nil
		e.Config, e.Rules = &config, e.Config.Name+".xml"
		entries, files[e.Rules] = append(entries, e), data
		return nil
	}

	for _, l := range library.GlobalLexerRegistry.Lexers {
		if slices.Contains(left, l.Config().Name) {
			continue
		}
		e, inner, err := entryOf(l)
		if err == nil {
			err = add(e, inner)
		}
		if err != nil {
			return nil, err
		}
	}

	template := library.Get("Go Text Template").(*chroma.RegexLexer)
	if err := add(lexers.Entry{Config: &chroma.Config{Name: raw}, Type: chroma.LiteralString}, template); err != nil {
		return nil, err
	}

	dir, err := folder()
	if err != nil {
		return nil, err
	}

	license, err := os.ReadFile(filepath.Join(dir, "../COPYING"))
	if err != nil {
		return nil, err
	}

	files["COPYING"] = license
	index, err := json.Marshal(entries, json.OmitZeroStructFields(true), json.Deterministic(true), jsontext.WithIndent(""))
	files[lexers.Index] = index
	return files, err
}

// entryOf returns the entry of a lexer and the one that has its rules.
func entryOf(l chroma.Lexer) (lexers.Entry, *chroma.RegexLexer, error) {
	e := lexers.Entry{Config: l.Config()}
	if plain, ok := l.(*chroma.RegexLexer); ok {
		return e, plain, nil
	}

	inner := l
	switch name := reflect.TypeOf(l).String(); name {
	case "*chroma.delegatingLexer":
		e.Within = field(l, "root").(chroma.Lexer).Config().Name
		inner = field(l, "language").(chroma.Lexer)
	case "*chroma.remappingLexer":
		inner = field(l, "lexer").(chroma.Lexer)
		var err error
		if e.Types, err = types(field(l, "mapper").(func(chroma.Token) []chroma.Token)); err != nil {
			return e, nil, err
		}
	case "*lexers.markdownLexer":
		e.Matter = true
		inner = field(l, "Lexer").(chroma.Lexer)
	case "*lexers.httpBodyContentTyper": // the body stays without colours
		inner = field(l, "Lexer").(chroma.Lexer)
	default:
		return e, nil, fmt.Errorf("%s: a %s is not known", e.Config.Name, name)
	}

	plain, ok := inner.(*chroma.RegexLexer)
	if !ok {
		return e, nil, fmt.Errorf("%s: rules in a %T", e.Config.Name, inner)
	}

	return e, plain, nil
}

// field returns a field of a lexer that the library does not show.
func field(l chroma.Lexer, name string) any {
	f := reflect.ValueOf(l).Elem().FieldByName(name)
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem().Interface()
}

// write writes an archive of files, as a whole or not at all.
func write(name string, files map[string][]byte) error {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := archive.Create(name)
		if err != nil {
			return err
		}
		if _, err := w.Write(files[name]); err != nil {
			return err
		}
	}

	if err := archive.Close(); err != nil {
		return err
	}
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, out.Bytes()) {
		return nil // a build that runs has it as it is
	}

	temp, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}

	_, err = temp.Write(out.Bytes())
	err = errors.Join(err, temp.Chmod(0o644), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}

	return err
}
