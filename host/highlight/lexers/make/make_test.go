package main

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	library "github.com/alecthomas/chroma/v2/lexers"

	"github.com/nvim-acp/nvim-acp/host/highlight/lexers"
)

var all = flag.Bool("all", false, "compare the lexers on all samples of the library, as a whole")

// Two archives of the same library are the same, and one that is there already stays untouched.
func TestWrite(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lexers.zip")
	var before os.FileInfo
	for range 2 {
		files, err := contents()
		if err != nil {
			t.Fatal(err)
		}
		if err := write(name, files); err != nil {
			t.Fatal(err)
		}
		now, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if before != nil && !os.SameFile(before, now) {
			t.Error("it was written anew")
		}
		before = now
	}
}

// A language and a file have the lexer that the library gives them.
func TestGet(t *testing.T) {
	for _, l := range library.GlobalLexerRegistry.Lexers {
		c := l.Config()
		names := append([]string{c.Name, strings.ToUpper(c.Name)}, c.Aliases...)
		for _, pattern := range c.Filenames {
			if *all || len(c.Filenames) > 5 {
				names = append(names, strings.ReplaceAll(pattern, "*", "x"))
			}
		}
		for _, name := range names {
			want, got := library.Get(name), lexers.Get(name)
			if want == nil || slices.Contains(left, want.Config().Name) {
				continue
			}
			if got == nil || got.Config().Name != want.Config().Name {
				t.Errorf("%s: got %v, want %s", name, got, want.Config().Name)
			}
		}
	}
	if got := lexers.Get("no such language"); got != nil {
		t.Errorf("an unknown language has %s", got.Config().Name)
	}
}

// special are the samples for lexers that are more than rules.
var special = strings.Fields("go markdown rst haxe caddyfile html php phtml svelte erb cl elisp emacslisp yaml ansible go_template")

// The lexers find the tokens that the library's find.
func TestTokens(t *testing.T) {
	dir, err := folder()
	if err != nil {
		t.Fatal(err)
	}
	samples, err := filepath.Glob(filepath.Join(dir, "testdata", "*.actual"))
	if err != nil || len(samples) == 0 {
		t.Fatal("no samples", err)
	}
	seen := 0
	for _, sample := range samples {
		name := strings.TrimSuffix(filepath.Base(sample), ".actual")
		want := library.Get(name)
		if want == nil || name == "http" || slices.Contains(left, want.Config().Name) || !*all && !slices.Contains(special, name) {
			continue
		}
		data, err := os.ReadFile(sample)
		if err != nil {
			t.Fatal(err)
		}
		seen++
		text := string(data)
		if got, want := tokens(lexers.Get(name), text), tokens(want, text); got != want {
			t.Errorf("%s: other tokens%s", name, differ(got, want))
		}
	}
	t.Log(seen, "samples")
}

// tokens returns a line for each token of a text, or the error of a lexer that is wrong.
func tokens(l chroma.Lexer, text string) string {
	list, err := chroma.Tokenise(chroma.Coalesce(l), nil, text)
	if err != nil {
		return "error"
	}
	var out strings.Builder
	for _, token := range list {
		out.WriteString(token.GoString() + "\n")
	}
	return out.String()
}

// differ returns the first lines that differ.
func differ(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return ": got " + a[i] + ", want " + b[i]
		}
	}
	return ""
}
