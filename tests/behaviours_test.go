//go:build !race

package tests

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const behaviours = "doc/behaviours.md"

// promised matches a line of [behaviours] that makes a promise, and its number.
var promised = regexp.MustCompile(`^\*\*(\d+)\*\* `)

// TestBehaviours holds doc/behaviours.md and the code together: each number is there once, with exactly those stories and
// tests that mention it, and at least one; each number that a comment mentions is there. With -update the lists of stories
// and tests are written anew.
func TestBehaviours(t *testing.T) {
	shownBy, mentions := mentioned(t)
	var lines []string
	listed := map[int]bool{}
	number := 0 // of the promise whose list has not come yet
	for _, line := range strings.Split(read(t, behaviours), "\n") {
		if m := promised.FindStringSubmatch(line); m != nil {
			if number != 0 {
				t.Errorf("behaviour %d has no list of stories and tests", number)
			}
			number, _ = strconv.Atoi(m[1])
			if listed[number] {
				t.Errorf("behaviour %d is there twice", number)
			}
			listed[number] = true
		}

		if strings.HasPrefix(line, "<sub>") {
			want := "<sub>" + strings.Join(shownBy[number], ", ") + "</sub>"
			switch {
			case len(shownBy[number]) == 0:
				t.Errorf("behaviour %d is shown by no story or test", number)
			case line != want && !*update:
				t.Errorf("behaviour %d\nsays  %s\nbut   %s\nmention it; go test ./tests -run TestBehaviours -update", number, line, want)
			}
			line, number = want, 0
		}
		lines = append(lines, line)
	}

	for _, n := range sorted(mentions) {
		if !listed[n] {
			t.Errorf("%s mentions behaviour %d, which is not in %s", mentions[n], n, behaviours)
		}
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(filepath.Join(plugin(t), behaviours), []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// mentioned returns the stories and tests that mention each number, and one file that does.
func mentioned(t *testing.T) (shownBy map[int][]string, files map[int]string) {
	t.Helper()
	shownBy, files = map[int][]string{}, map[int]string{}
	walk(t, func(path string) {
		ext := filepath.Ext(path)
		if path == "tests/behaviours_test.go" || !slices.Contains([]string{".go", ".lua", ".txtar"}, ext) {
			return
		}
		text := read(t, path)
		for _, n := range numbers(text) {
			files[n] = path
		}

		switch {
		case ext == ".txtar":
			for _, n := range numbers(text) {
				shownBy[n] = append(shownBy[n], strings.TrimSuffix(filepath.Base(path), ext))
			}
		case strings.HasSuffix(path, "_test.go"):
			for name, body := range testsOf(t, path, text) {
				for _, n := range numbers(body) {
					shownBy[n] = append(shownBy[n], name)
				}
			}
		}
	})
	for _, names := range shownBy {
		slices.Sort(names)
	}
	return shownBy, files
}

// numbered matches "behaviour 4" and "behaviours 25, 26", and commented what begins a line of a comment within that.
var (
	numbered  = regexp.MustCompile(`[Bb]ehaviours? (\d+(?:(?:, | and )\d+)*)`)
	commented = regexp.MustCompile(`\n\s*(?://|#|--) ?`)
)

// numbers returns the numbers of the behaviours that a text mentions, each once.
func numbers(text string) []int {
	var found []int
	for _, m := range numbered.FindAllStringSubmatch(commented.ReplaceAllString(text, " "), -1) {
		for _, digits := range regexp.MustCompile(`\d+`).FindAllString(m[1], -1) {
			n, _ := strconv.Atoi(digits)
			found = append(found, n)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// testsOf returns the text of each test of a file with its comment, by a name that says in which package it is.
func testsOf(t *testing.T, path, text string) map[string]string {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]string{}
	for _, decl := range file.Decls {
		test, ok := decl.(*ast.FuncDecl)
		if !ok || !regexp.MustCompile(`^(Test|Fuzz)[A-Z]`).MatchString(test.Name.Name) {
			continue
		}
		from := test.Pos()
		if test.Doc != nil {
			from = test.Doc.Pos()
		}
		name := fmt.Sprintf("%s.%s", filepath.Dir(path), test.Name.Name)
		bodies[strings.TrimPrefix(name, "tests.")] = text[files.Position(from).Offset:files.Position(test.End()).Offset]
	}
	return bodies
}

// sorted returns the keys of a map in order.
func sorted(m map[int]string) []int {
	var keys []int
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
