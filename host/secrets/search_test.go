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

// A search that leads out of its folder finds what is there, one that is written in another form what the plain one finds, a list each of
// its texts, and an expression what any dialect takes it for; what looks for contents finds no file by chance (behaviour 1045).
func TestSearchesInOtherForms(t *testing.T) {
	for _, tt := range []struct {
		text         string
		names, other bool // what it finds as one for names of files, and as another one
	}{
		{"../.e*", true, true}, {"x/../../.e*", true, true}, {`\.\./.e*`, true, true}, {"[.][.]/.e*", true, true},
		{"{..,x}/.e*", true, true},
		{"{.,x}./.e*", true, true}, {".*/.e*", true, true}, {"../../../.env", true, true}, {`..\.e*`, true, false},
		{`x\..\.env`, true, false},
		{"../*.ts", false, false}, {"../src/**", false, false}, {"from '../utils'", false, false},
		{"{...props}", false, false},

		{"config//.e*", true, true}, {"config/./.e*", true, true}, {"././.e*", true, true},
		{".//config/.//.e*", true, true}, {"/config//.e*", true, true},
		{"c*nv", true, true}, {"c*v", true, true}, {"con**env", true, true}, {"*g?.env", true, true},
		{"s*ts", false, false}, {"c*.ts", false, false},
		{":/.e*", true, true}, {":(top).e*", true, true}, {":(top,glob)**/.e*", true, true}, {":!:.e*", true, true},
		{":(icase).ENV", true, true},
		{"://host", false, false}, {":/*.ts", false, false},

		{`[".e*"]`, true, true}, {`[".e*","x"]`, true, true}, {`["a", [".e*"]]`, true, true},
		{`["\u002ee*"]`, true, true}, {`"[\".e*\"]"`, true, true},
		{`{"include": ".e*"}`, true, true}, {"['.e*']", true, false}, {`["*.ts", "src/**"]`, true, false},
		{"add:x:.e*", true, false}, {"a=.e*", true, false},

		{`[.]\Snv`, true, true}, {`\.\Dnv`, true, true}, {`.\Snv`, true, true}, {`[.]\p{L}nv`, true, true},
		{`[.]\u0065nv`, true, true},
		{`[.]\x{65}nv`, true, true}, {`[.]en\w\>`, true, true}, {`\<[.]env`, true, true},
		{`(?<!x)\.en\w`, true, true}, {`(?=.)[.]env`, true, true},
		{`^\.e\S+$`, true, true}, {`^\.e[^\W]v$`, true, true}, {`[.][^E]nv`, true, true},
		{`[.][^\d\D]nv`, true, true}, {`\.\(env\|x\)`, true, true},
		{`\.en\+v`, true, true}, {`/\.en./`, true, true}, {`/\.EN./i`, true, true}, {`(?x) [.] e n v`, true, true},
		{`([.])env\1?`, true, true},
		{"nv$", true, true}, {"^[.]en", true, true}, {`x|^\.en`, true, true}, {`\.en.`, true, true},
		{"[.]e", true, false}, {`(en)v?`, true, false},
		{"g/[.]e", true, false}, {".[[=e=]]nv", true, true}, {".[[.e.]]nv", true, true},
		{".[[:alpha:]]nv", true, true}, {"[[.period.]]env", true, true},

		{"*/config/.env", true, true}, {"?/config/.e*", true, true}, {"*./*/.env", true, true}, {`^\./config/\.env$`, true, false},
		{`c"onfig/.e"nv`, true, false}, {"con'fig'/.env", true, false},
		{"[.[e]env", true, true}, {"[.[x-.]env**", true, true}, {"[[:.:]env", true, true}, {"[^]env", true, true},
		{`\u002e*env`, true, true}, {`config/\x2eenv`, true, true}, {`*/\u002eenv`, true, true}, {`*/\056e*`, true, true}, {`.en\e*v`, true, true},
		{"co@(nfig/**", true, false}, {"./!a", true, false}, {`{.en\S,a}`, true, true}, {`config/*\w`, true, true},
		{"src/(group)/*.tsx", false, false},
		{`*/\x2ets`, false, false}, {"[.[e]ts", false, false}, {"arr[^]", false, false},

		{"*.ts", false, false}, {"**/*.ts", false, false}, {"src/**/*.go", false, false},
		{"*.{ts,tsx,js}", false, false}, {"src/[id]/page.tsx", false, false},
		{"!*.md", false, false}, {"{a,b}/*.go", false, false}, {"test/*", false, false}, {".github/**", false, false},
		{"*.test.ts *.spec.ts", false, false},
		{"TODO", false, false}, {"TODO|FIXME", false, false}, {"func .*Parse", false, false},
		{`func \(s \*Server\) \w+\(`, false, false},
		{`^import .* from`, true, false}, {`^\s*def \w+`, false, false}, {`\bfoo\b`, false, false},
		{`\<word\>`, false, false}, {`foo(?=bar)`, false, false},
		{`os\.Getenv\("`, false, false}, {"interface {", false, false}, {"map[string]int", false, false},
		{"// TODO: .*", true, false}, {"[A-Z]+_ID", false, false},
		{`class \w+ extends`, false, false}, {`\$\{[^}]+\}`, false, false}, {"a && b", false, false}, {"x[", false, false},
	} {
		for names, want := range map[bool]bool{true: tt.names, false: tt.other} {
			if got := NewSearch(tt.text, names).Finds("/p", "/p/config/.env"); got != want {
				t.Errorf("%q, names: %v: got %v", tt.text, names, got)
			}
		}
	}
	for text, want := range map[string]bool{
		"../.e*": true, ":/.e*": true, ":(top).e*": true, "../.env": true, "../src/*": false, ".e*": false, "*": false, "./.e*": false,
		"/proc/self/cwd/.e*": true, "/t*/l*/.e*": true, "/t*/config/*.ts": false, "/t*/link/.e*": true, "/p/src/*/.e*": false, "/p/c*/.env": true,
	} {
		if got := NewSearch(text, true).Finds("/p/src", "/p/config/.env"); got != want {
			t.Errorf("%q in a folder beside: got %v", text, got)
		}
	}
	for text, want := range map[string]bool{ // of a search in a folder, by a program that runs in the one above it
		"config/.e*": true, "config/*": true, "src/.e*": false, "config/*.ts": false, "*.ts": false,
	} {
		if got := NewSearch(text, true).Finds("/p/config", "/p/config/.env", "/p"); got != want {
			t.Errorf("%q from the folder above: got %v", text, got)
		}
	}
	if !NewSearch("id[A-z]rsa", true).Finds("/p", "/p/id_rsa") || !NewSearch("con*rsa", true).Finds("/p", "/p/config/id_rsa") {
		t.Error("id_rsa is not found")
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
			if took := time.Since(begun); took > 20*time.Second { // it is 20 ms where nothing else runs; once it was for good
				t.Errorf("%.20q, names: %v: took %v", tt.text, names, took)
			}
			if tt.all && !s.all {
				t.Errorf("%.20q, names: %v: it is not for any file", tt.text, names)
			}
		}
	}
}
