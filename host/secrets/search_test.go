package secrets

import (
	"strings"
	"testing"
	"time"
)

// A search finds what any tool may find with its text (behaviour 1045).
func TestSearchesMayFindSecrets(t *testing.T) {
	for text, want := range map[string]bool{
		"*": true, "**": true, "**/*": true, ".*": true, ".en*": true, ".e?v": true, ".[e]nv": true, ".{env,x}": true, "{.e,x}nv": true,
		"*env": true, "**/.env": true, "sub/**": true, "su*": true, "s*/.e*": true, ".env": true, ".ENV": true, "sub/.env": true,
		"./sub/.env": true,
		"/sub/.en*":  true, "*.ts,.en*": true, "*.ts|.env": true, "!.env*": true, ".e@(nv|x)": true, "@(.e)nv": true, "+(.env)": true,
		`\.env`: true, `^\.env$`: true, `.*\.env`: true, `\.(env|x)`: true, "[.a-z]+": true, "/p/sub/.env": true, "/p/s*/.env": true,
		`".en*"`:        true,
		"[[:punct:]]e*": true, "[^[:alnum:]_]env": true, ".e{m..o}v": true, ".{e{n,m},x}v": true,
		"KEY path:.env": true, "file=.e*": true, "in: sub": false, "std::.*": false,
		".en[v": true, `.en\v`: true, "sub/*/": true, "[^a]env": true, "[!a]env": true, "// .env": false,
		"*.ts": false, "**/*.go": false, "src/**": false, "env": false, "sub": false, "sub/": false, "func (": false, "func .*Env": false,
		"*.env.ts": false,
		"{a,b}.ts": false, "TODO|FIXME": false, `os\.Getenv\("`: false, "": false, "process.env": false, "other/.e*": false,
	} {
		if got := NewSearch(text, false).Finds("/p", "/p/sub/.env"); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
	for folder, want := range map[string]bool{"/p": true, "/p/sub": true, "/p/sub/.env": true, "/": true, "/q": false, "/p/s": false} {
		if got := NewSearch("*.ts .e*", true).Finds(folder, "/p/sub/.env"); got != want {
			t.Errorf("in %s: got %v", folder, got)
		}
	}
	for text, want := range map[string]bool{
		"*": false, "**/*": false, ".*": false, ".en*": false, "/q/.e*": true,
		"/**": true, "^/q/.*": true, "{/q/.env,x}": true, "/r/*": false,
	} {
		if got := NewSearch(text, false).Finds("/p", "/q/.env"); got != want {
			t.Errorf("%q, of a file elsewhere: got %v", text, got)
		}
	}
}

// No text holds who judges it: what takes long to try may be for any file (behaviour 1131).
func TestSearchesEnd(t *testing.T) {
	path := "/p/" + strings.Repeat("a/", 500) + ".env"
	for _, tt := range []struct {
		text string
		all  bool // more than is tried
	}{
		{strings.Repeat("{,}", 20) + "zz", false},
		{strings.Repeat("{,}", 40) + "zz", false},
		{strings.Repeat("{,}", 600) + "zz", false},
		{strings.Repeat("{,,,,,,,}", 100) + "zz", false},
		{strings.Repeat("{*,*}", 300) + "zz", false},
		{strings.Repeat("{a,b,{c,", 100) + "zz", false},
		{strings.Repeat("@(|)", 300) + "zz", false},
		{strings.Repeat("*a", 900) + "zz", false},
		{strings.Repeat("**/", 600) + "zz", false},
		{strings.Repeat("**/*/", 300) + "zz", false},
		{strings.Repeat("[a-z]*", 300) + "zz", false},
		{strings.Repeat("(a?){50}", 40) + "zz", false},
		{strings.Repeat("((a{10}){10}){9}", 100), true},
		{"(((a{100}){10}){1})", false},
		{"a{1,1000}b{1,1000}c{1,1000}d{1,1000}e{1,1000}", true},
		{strings.Repeat("a,", 1000), false},
		{strings.Repeat("ab ", 600) + "cd", false},
		{strings.Repeat("a,b c|", 300), false},
		{strings.Repeat("a", maxSearch+1), true},
	} {
		for _, names := range []bool{false, true} {
			begun := time.Now()
			s := NewSearch(tt.text, names)
			s.Finds("/p", path)
			if took := time.Since(begun); took > time.Second {
				t.Errorf("%.20q, names: %v: took %v", tt.text, names, took)
			}
			if tt.all && !s.all {
				t.Errorf("%.20q, names: %v: it is not for any file", tt.text, names)
			}
		}
	}
}
