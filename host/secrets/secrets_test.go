package secrets

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What a file says is found in other texts, whatever the language; words that are too short are not (behaviour 505).
func TestValues(t *testing.T) {
	var v Values
	v.Add("/p/id.go", "package p\n\nconst A = \"hunter2\" // \"no\"\nvar b, c = 'single\\'s', `back\nticks, and more of it`\nconst Pin = 483920\nlong := \"sk-live-"+strings.Repeat("0123456789abcdef", 8)+"\"\n")
	v.Add("/p/.env", "export KEY=plain value # why\nURL: http://x.example\nDEBUG=1\n")
	for text, want := range map[string]string{
		`const d untyped string = "hunter2"`:                       "/p/id.go",
		`x = 'single\'s'`:                                          "/p/id.go",
		"ticks, and more of it":                                    "/p/id.go",
		`"back\nticks, and more of it\n`:                           "/p/id.go",
		"const n untyped int = 483920":                             "/p/id.go",
		"sk-live-" + strings.Repeat("0123456789abcdef", 4) + "...": "/p/id.go",
		"a plain value, and another one":                           "/p/.env",
		"hunter2 and plain value":                                  "/p/id.go /p/.env",
		"http://x.example":                                         "/p/.env",
		"no, package p, DEBUG, 1, why":                             "",
		"":                                                         "",
	} {
		if got := strings.Join(v.In(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// Files are those below the folders that may hold secrets (behaviour 505).
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"sub/.env", ".env", "a.go", "node_modules/.env", ".git/.env"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got := Files(context.Background(), []string{dir}, func(path string) bool { return strings.HasSuffix(path, ".env") })
	if want := []string{filepath.Join(dir, ".env"), filepath.Join(dir, "sub/.env")}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
