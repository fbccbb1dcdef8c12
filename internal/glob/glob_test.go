package glob

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// A pattern finds what shells find with it, and through folders what Git finds.
func TestExpr(t *testing.T) {
	for _, tt := range []struct {
		text, name      string
		within, through bool
	}{
		{"*.go", "a.go", true, true},
		{"*.go", "a/b.go", false, true},
		{"a/**/b", "a/b", true, true},
		{"a/**/b", "a/x/y/b", true, true},
		{"a/**", "a/x/y", true, true},
		{"a/**", "a", true, true},
		{"**", "a/b", true, true},
		{"**/b", "b", true, true},
		{"a**b", "a/b", false, true},
		{"a?c", "abc", true, true},
		{"a?c", "a/c", false, true},
		{"*.{ts,tsx}", "a.tsx", true, true},
		{"*.{ts,tsx}", ".env", false, false},
		{"{a,b{c,d}}e", "bde", true, true},
		{"{a,b{c,d}}e", "be", false, false},
		{`\{a,b\}`, "{a,b}", true, true},
		{`\*`, "b", false, false},
		{"a(b", "a(b", true, true},
		{"[a-c]", "b", true, true},
		{"[a-c]", "d", false, false},
		{"[]a]", "]", true, true},
		{"[!a]", "A", true, true},
		{"[[=e=]]x", "ex", true, true},
		{"[[.e.]]x", "ex", true, true},
		{"[[:alpha:]0]x", "ex", true, true},
		{"[.[e]nv", ".nv", true, true},
		{"[.[x-.]nv", ".nv", true, true},
		{"[[:.:]nv", ".nv", true, true}, // as Python reads it
		{"[[:alpha:]nv", "anv", true, true},
		{"[[:alpha:][:digit:]0]x", "ax", true, true},
		{"[[:alpha:]b]x", "ab]x", true, true},
		{"[[:alpha:]]x", "axx", false, false},
		{"[^]nv", ".nv", true, true},
		{`\x2env`, ".nv", false, true},
		{"[c-a]", "b", true, true},
		{"[A-z]", "_", true, true},
		{"a[b", "a[b", true, true},
		{"a{b", "a{b", true, true},
		{"a}b", "a}b", true, true},
		{`a\`, "a", true, true},
		{"a+b.c$", "a+b.c$", true, true},
		{"a+b.c$", "aabxc", false, false},
	} {
		for star, want := range map[Star]bool{Within: tt.within, Through: tt.through} {
			if got := regexp.MustCompile(`^(?:` + Expr(tt.text, star) + `)$`).MatchString(tt.name); got != want {
				t.Errorf("%q for %q with %s: got %v", tt.text, tt.name, star, got)
			}
		}
	}
}

// No pattern takes longer than its length and that of the name allow, and each can be compiled (behaviour 1131).
func TestExprIsLinear(t *testing.T) {
	name := strings.Repeat("a/", 100) + "b"
	for _, one := range []string{
		"{,}", "{,,,,,,,}", "{*,*}", "{a,}", "*a", "**/", "**/*/", "{**/,}", "[a-z]*", "?", "{", "}", "[", "[[:", "[[.a.]", "[a[=", "[^]", "{{a,b},c}", `\`, "é",
	} {
		text := strings.Repeat(one, 2000/len(one)) + "zz"
		begun := time.Now()
		expr, err := regexp.Compile(`(?is)(?:^|/)(?:` + Expr(text, Through) + `)(?:/|$)`)
		if err != nil {
			t.Errorf("%q: %v", one, err)
			continue
		}
		expr.MatchString(name)
		if took := time.Since(begun); took > 20*time.Second { // it is some ms where nothing else runs; once it was for good
			t.Errorf("%q took %v", one, took)
		}
	}
}
