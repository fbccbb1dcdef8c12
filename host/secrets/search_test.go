package secrets

import "testing"

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
