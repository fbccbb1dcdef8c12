package rules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The folder of a command, or of who makes the call, is the one that its words lead to, links and variables included; one that is not
// sure is asked about (behaviour 964).
func TestFolders(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	for name, to := range map[string]string{"link": filepath.Join(other, "sub"), "here": ".", "made": "/nowhere/x"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{filepath.Join(other, "sub"), filepath.Join(dir, "src")} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	list := []Rule{{Command: "make test", Action: "allow"}, {Command: "./run.sh", Action: "allow"}, {Kind: "edit", Path: "**", Action: "allow"}}
	for folder, want := range map[string]string{
		"": "allow", ".": "allow", dir: "allow", dir + "/": "allow", dir + "/./": "allow", "here": "allow", "./here/": "allow",
		dir + "/link/..": "ask", "link/..": "ask", "./link/../": "ask", "link/../.": "ask", "src/..": "ask", "~/..": "ask", "~": "ask", "$OLDPWD/..": "ask", "$PWD": "ask", "${PWD}": "ask",
		"`pwd`": "ask", "%CD%": "ask", "file://" + dir: "ask", dir + " ": "ask", " " + dir: "ask", "link": "ask", "made": "ask", "src": "ask", "..": "ask", "/": "ask", dir + "/../" + filepath.Base(dir): "ask",
		"'.'": "ask", ".\n": "ask", "-": "ask",
	} {
		for _, command := range []string{"make test", "./run.sh"} {
			if v := Judge(list, Request{Kind: "execute", Command: command, Cwd: dir, Dir: folder}); v.Action != want {
				t.Errorf("%s in %q: got %s (%s), want %s", command, folder, v.Action, v.Why, want)
			}
			base := folder
			if !filepath.IsAbs(base) && base != "" {
				base = dir + "/" + base
			}
			if want == "allow" || strings.Contains(base, "..") || strings.Contains(base, "link") {
				if v := Judge(list, Request{Kind: "execute", Command: command, Cwd: dir, Base: base}); v.Action != want {
					t.Errorf("%s from %q: got %s (%s), want %s", command, base, v.Action, v.Why, want)
				}
				if v := Judge(list, Request{Kind: "edit", Paths: []string{"x"}, Cwd: dir, Base: base}); v.Action != want {
					t.Errorf("edit from %q: got %s (%s), want %s", base, v.Action, v.Why, want)
				}
			}
		}
	}
	for _, path := range []string{"~/.bashrc", "link/../x", "$HOME/x", " x"} {
		if v := Judge(list, Request{Kind: "edit", Paths: []string{path}, Cwd: dir, Base: dir}); v.Action != "ask" {
			t.Errorf("edit of %q: got %s", path, v.Action)
		}
	}
	if v := Judge(list, Request{Kind: "execute", Command: "make test", Cwd: dir, Base: dir, Dir: "src"}); v.Action != "ask" {
		t.Errorf("a folder of the caller's: got %s", v.Action)
	}
}
