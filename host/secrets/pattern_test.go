package secrets

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Patterns are anchored as Git's are, and say nothing of the case of letters (behaviour 735).
func TestPatterns(t *testing.T) {
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	t.Setenv("HOME", home)
	for _, sub := range []string{"home", "real"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "real"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		pattern, path string
		want          bool
	}{
		{"**/.env*", "/p/.env", true},
		{"**/.env*", "/p/a/.ENV.local", true},
		{"**/.env*", "/p/env", false},
		{"**/.ssh/**", "/home/u/.ssh/id", true},
		{"**/.ssh/**", "/home/u/.ssh/a/b", true},
		{"**/.ssh/**", "/home/u/.sshx/a", false},
		{"**/.aws/credentials", "/home/u/.aws/credentials", true},
		{"**/.aws/credentials", "/home/u/.aws/config", false},
		{"**/*.pem", "/p/x.pem", true},
		{"**/*.pem", "/p/dir.pem/x", true},
		{"/etc/secrets/**", "/etc/secrets/a", true},
		{"/etc/secrets/**", "/etc/secrets/a/b/c", true},
		{"/etc/secrets/**", "/etc/secrets", true},
		{"/etc/secrets/", "/etc/secrets/a/b", true},
		{"/etc/secrets/**", "/q/etc/secrets/a", false},
		{"/etc/*.key", "/etc/a.key", true},
		{"/etc/*.key", "/etc/a/b.key", false},
		{"**/vault/**/key", "/p/vault/a/b/key", true},
		{"**/vault/**/key", "/p/vault/key", true},
		{"**/vault/**/key", "/p/key", false},
		{"{a,b}.key", "/p/b.key", true},
		{"~/tokens/*", home + "/tokens/x", true},
		{dir + "/link/**", dir + "/real/x", true},
		{"[", "/p/x", true},

		{".env", "/p/.env", true},
		{".env", "/p/a/b/.env", true},
		{".env", "/q/.env", true},
		{".env/", "/p/a/.env", true},
		{"./.env", "/p/.env", true},
		{"./.env", "/p [x]/.env", true}, // the other folder
		{"./.env", "/p/a/.env", false},
		{"././/.env", "/p/.env", true},
		{"/.env", "/p/.env", true},
		{"/.env", "/.env", true},
		{"/.env", "/p/a/.env", false},
		{"config/secret.yml", "/p/config/secret.yml", true},
		{"config/secret.yml", "/p/Config/SECRET.yml", true},
		{"config/secret.yml", "/p/a/config/secret.yml", false},
		{"config/secret.yml", "/q/a/config/secret.yml", true}, // of no folder
		{"config/./secret.yml", "/p/config/secret.yml", true},
		{"config/x/../secret.yml", "/p/config/secret.yml", true},
		{"config/", "/p/config/a/b", true},
		{"config/", "/p/a/config/b", true},
		{"a/config/", "/p/b/a/config/c", false},
		{"../other/key", "/other/key", true},
		{"vault/*.txt", "/p/vault/x.txt", true},
		{"vault/**/key", "/p/vault/a/b/key", true},
		{"*/../x", "/p/x", false},
		{"", "/p/x", false},
		{"./", "/p/x", false},
		{"/", "/p/x", false},
	} {
		if got := Compile([]string{"none", tt.pattern}, []string{"/p", "/p [x]"}).Match(tt.path) != ""; got != tt.want {
			t.Errorf("%q for %q: got %v, want %v", tt.pattern, tt.path, got, tt.want)
		}
	}
}

// A pattern that matches nothing, or everything, has a problem, and no other (behaviour 736).
func TestProblem(t *testing.T) {
	for pattern, want := range map[string]bool{
		"": true, "/": true, ".": true, "./": true, "..": true, "a/..": true, "!.env": true, " .env": true, ".env ": true, "[": true, `x\`: true,
		"*/../x": true, "~me/x": true, "$HOME/x": true, "a\nb": true, "a\x00": true, "file:///x": true, "{a": true,
		".env": false, "./.env": false, "**/.env*": false, "/etc/x/**": false, "~/x": false, "../x": false, "a b": false, "*": false,
	} {
		if got := Problem(pattern); (got != "") != want {
			t.Errorf("%q: got %q", pattern, got)
		}
	}
	if p := Compile([]string{"", "/", "./", "!.env", " x", "*/../x", "$HOME/x", "~me/x"}, []string{"/p"}).Match("/p/.env"); p != "" {
		t.Errorf("%q matches", p)
	}
}

// A secret is known by another name, whatever it is and wherever it is (behaviour 737).
func TestKnown(t *testing.T) {
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	t.Setenv("HOME", home)
	write := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("p/first")
	p := Compile([]string{"./.env", "**/.ssh/**", "**/id_*", dir + "/abs/*", "~/token", "*.pem"}, []string{filepath.Join(dir, "p")})
	for name, secret := range map[string]bool{
		"p/.env": true, "p/deep/id_rsa": true, "p/node_modules/a/id_rsa": true,
		"p/.git/x.pem": true, "p/.hg/.ssh/a/b": true, "p/.svn/a": false,
		"home/.ssh/a/key": true, "home/id_ed": true, "home/x.pem": true, "abs/x": true, "home/token": true,
		"p/a": false, "home/token2": false, "home/deep/x.pem": false,
	} {
		path, link := write(name), filepath.Join(dir, "p", "link")
		if _, several := Identify(path); several {
			t.Errorf("%s has one name", name)
		}
		if err := os.Link(path, link); err != nil {
			t.Fatal(err)
		}
		id, several := Identify(link)
		known, all := p.Known(context.Background())
		if got := known[id]; !all || !several || slices.Contains(got, path) != secret {
			t.Errorf("%s: got %q, several names: %v", name, got, several)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
	}
}

// What is found below the folders is what matches, whatever the patterns and the folders are (behaviour 737).
func TestBelow(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"x.pem/a", "a/.SSH/b", ".ssh/a", ".git/x", "node_modules/a", "a/B", "a", ""} {
		for _, name := range []string{".env", ".ENV.local", "id_a", "x.pem", "a", "B", "[a]", "a b"} {
			path := filepath.Join(dir, folder, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(path); err == nil {
				continue // a folder
			}
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for _, patterns := range [][]string{
		{"**/.env*"}, {".env"}, {"./.env"}, {"/a/**"}, {"a"}, {"a/"}, {"**/.ssh/**"}, {"*.pem", "id_*"}, {"{a,b}"},
		{"a/{b,x}/*"}, {"**/a/**/b"}, {"*"},
		{"["},
		{`\[a\]`}, {"[a-c]"}, {"?"}, {"a b"}, {"../*/a"}, {dir + "/**"}, {dir + "/a/*"}, {"none"}, {},
	} {
		for _, root := range []string{dir, filepath.Join(dir, "a"), filepath.Join(dir, ".ssh", "a"), filepath.Join(dir, "x.pem")} {
			p := Compile(patterns, []string{root})
			var want []string
			err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
				if err == nil && !d.IsDir() && p.Match(path) != "" {
					want = append(want, path)
				}
				return err
			})
			if _, all := p.below(ended); all {
				t.Errorf("%q below %s: who was stopped knows all", patterns, root)
			}
			if got, all := p.below(t.Context()); err != nil || !all || !slices.Equal(got, want) {
				t.Errorf("%q below %s: got %q, want %q, %v", patterns, root, got, want, err)
			}
		}
	}
}

// Many others do not hide one, and it is known when not all were looked at (behaviour 831).
func TestKnownAmongMany(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	for i := range 300 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf(".env.%d", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "z.pem")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := Compile([]string{".env.*", "*.pem"}, []string{dir})
	id, _ := identity(path)
	if known, all := p.Known(t.Context()); !slices.Contains(known[id], path) || !all {
		t.Errorf("got %d files, %q, all: %v", len(known), known[id], all)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, all := p.Known(ended); all {
		t.Error("all are known without a look")
	}
}

// Of a large folder only a part is listed.
func TestListing(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	left := 4
	l := listing{os.DirFS(dir), func() bool { return false }, &left}
	first, err := l.ReadDir(".")
	if err != nil || len(first) != 4 {
		t.Errorf("got %d, %v", len(first), err)
	}
	if list, err := l.ReadDir("."); err == nil || len(list) > 0 {
		t.Errorf("got %d more, %v", len(list), err)
	}
}

// It is known which file was allowed under a path, and which was not (behaviour 1141).
func TestJudged(t *testing.T) {
	var j Judged
	a, b := IDOf(1, 2), IDOf(1, 3)
	if j.Is("/p/a", ID{}) {
		t.Error("nothing was judged")
	}
	j.Note("/p/a", a)
	j.Note("/p/b", ID{}) // a file that is not there
	if !j.Is("/p/a", a) || j.Is("/p/a", b) || j.Is("/p/b", b) {
		t.Error("another file was judged")
	}
}

// What an editor or another program writes of a secret is one by its name; other names that are alike are not (behaviour 1140).
func TestCopies(t *testing.T) {
	p := Compile([]string{"**/.env", "**/*.pem", "config/token", "/home/me/.netrc"}, []string{"/p"})
	for name, want := range map[string]bool{
		"/p/.env.swp": true, "/p/..env.swp": true, "/p/.env.swo": true, "/p/.env~": true, "/p/#.env#": true, "/p/.#.env": true, "/p/.env.un~": true,
		"/p/..env.un~": true, "/p/.env.~3~": true, "/p/.env.bak": true, "/p/.env.orig": true, "/p/.ENV.BAK": true, "/p/.env.save.1": true,
		"/p/a/.server.pem.swp": true, "/p/server.pem~": true, "/p/.server.pem.kate-swp": true, "/p/server.pem___jb_tmp___": true,
		"/p/server_LOCAL_123.pem": true, "/p/server.pem,v": true, "/p/.server.pem.Ab3dE9": true, "/p/#server.pem#": true, "/p/server.pem.bak~": true,
		"/p/server.pem:12": true, "/p/server.pem:12:3": true, "/p/server.pem#L3-L9": true, "/p/config/.token.swp": true, "/p/config/token.old": true,
		"/s/swap/%p%.env.swp": true, "/s/undo/%p%config%token": true, "/s/backup/!p!.env~": true, "/s/#!p!.env#": true, "/s/swap/%home%me%.netrc.swp": true,
		"/home/me/.netrc~": true, "/p/.env.swp.bak": true,

		"/p/.env.example": false, "/p/.env.ts": false, "/p/environment.bak": false, "/p/token.swp": false, "/p/pem~": false, "/p/x.pem.d.ts": false,
		"/p/pem.bak": false, "/p/a.env": false, "/s/swap/%q%a.go.swp": false, "/p/notes.txt:12": false, "/p/src/#x.go#": false, "/p/.eslintrc.js": false,
	} {
		if got := p.Match(name) != ""; got != want {
			t.Errorf("%s: got %v", name, got)
		}
	}
	if len(originals("/p/"+strings.Repeat("#", 200)+strings.Repeat("~", 200))) > 100 {
		t.Error("a name is that of too many copies")
	}
}
