package find

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/junegunn/fzf/src/util"
)

func TestBest(t *testing.T) {
	paths := []string{"README.md", "src/parser.go", "src/deep/parser_test.go", "src/a/r/s/p.go", "Makefile", "über/Größe.txt"}
	tests := []struct{ name, query, want string }{
		{"a name", "parser", "src/parser.go"},
		{"its letters", "prst", "src/deep/parser_test.go"},
		{"small letters fit both", "makef", "Makefile"},
		{"capitals only themselves", "README", "README.md"},
		{"a folder and a name", "deep/parser", "src/deep/parser_test.go"},
		{"other letters", "größe", "über/Größe.txt"},
		{"nothing", "zzz", ""},
	}

	var list []util.Chars
	for _, p := range paths {
		list = append(list, util.ToChars([]byte(p)))
	}

	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := append(best(list, tt.query), "")[0]
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Both ways of listing leave out what is hidden or ignored, and name the folders.
func TestIndex(t *testing.T) {
	root := t.TempDir()
	for _, p := range []string{"a.go", "src/deep/b.go", "out/c.o", ".hidden/d", "node_modules/e.js"} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(p)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, p), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	list := func() string {
		x := &index{root: root}
		if made := x.refresh(); made != nil {
			<-made
		}
		return strings.Join(x.find(""), " ")
	}

	if got, want := list(), "a.go out/ src/ out/c.o src/deep/ src/deep/b.go"; got != want {
		t.Errorf("without git: got %q, want %q", got, want)
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
	}

	git("init", "-q")
	if err := os.WriteFile(filepath.Join(root, ".gitignore"), []byte("out\nnode_modules\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	if got, want := list(), ".gitignore .hidden/ a.go src/ .hidden/d src/deep/ src/deep/b.go"; got != want {
		t.Errorf("with git: got %q, want %q", got, want)
	}
	git("add", "a.go", "src")
	if err := os.RemoveAll(filepath.Join(root, "src", "deep")); err != nil {
		t.Fatal(err)
	}

	if got, want := list(), ".gitignore .hidden/ a.go .hidden/d"; got != want {
		t.Errorf("with files that were deleted: got %q, want %q", got, want)
	}
}

func BenchmarkBest(b *testing.B) {
	var paths []string
	for i := range maxFiles {
		paths = append(paths, fmt.Sprintf("src/package%d/module%d/file_%d.go", i%97, i%1013, i))
	}
	slices.Sort(paths)
	list := make([]util.Chars, len(paths))
	for i, p := range paths {
		list[i] = util.ToChars([]byte(p))
	}
	for b.Loop() {
		best(list, "pkgmodfile77")
	}
}
