package rules

import (
	"path/filepath"
	"strings"
	"testing"
)

// A call that may find a file which rules must name is asked about, unless one names it; it is denied where that file is (behaviour 1045).
func TestFound(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(resolve(dir, "."), "sub", ".env")
	base := Request{
		Kind: "search", Cwd: dir,
		Found: func(g Glob, folders []string) ([]string, bool) {
			if len(folders) == 1 && folders[0] != filepath.Dir(secret) && folders[0] != resolve(dir, ".") {
				t.Errorf("it is looked for in %q", folders)
			}
			switch g.Text {
			case ".e*":
				return []string{secret}, true
			case "many":
				return nil, false
			}
			return nil, true
		},
		Guard: func(real string) string {
			if real == secret {
				return "it may hold secrets"
			}
			return ""
		},
	}
	allow := Rule{Kind: "search", Action: "allow"}
	for _, tt := range []struct {
		name  string
		globs []string
		paths []string
		rules []Rule
		want  string
	}{
		{"none", nil, nil, []Rule{allow}, "allow"},
		{"another", []string{"*.go"}, nil, []Rule{allow}, "allow"},
		{"one", []string{"*.go", ".e*"}, nil, []Rule{allow}, "ask"},
		{"in a folder", []string{".e*"}, []string{"sub"}, []Rule{allow}, "ask"},
		{"in a path", []string{".e*"}, []string{".e*"}, []Rule{allow}, "ask"},
		{"for a tool", []string{".e*"}, nil, []Rule{{Tool: "t", Action: "allow"}}, "ask"},
		{"by a pattern", []string{".e*"}, nil, []Rule{{Kind: "search", Path: "sub/*", Action: "allow"}, allow}, "ask"},
		{"named", []string{".e*"}, []string{"sub"}, []Rule{{Kind: "search", Path: "sub/.env", Action: "allow"}, allow}, "allow"},
		{"all", []string{".e*"}, nil, []Rule{{Action: "allow"}}, "allow"},
		{"denied", []string{".e*"}, nil, []Rule{{Path: "sub/.env", Action: "deny"}, allow}, "deny"},
		{"not all are known", []string{"many"}, nil, []Rule{allow}, "ask"},
		{"too many", strings.Fields(strings.Repeat("x ", maxGlobs+1)), nil, []Rule{allow}, "ask"},
	} {
		r := base
		r.Tool, r.Paths = "t", tt.paths
		for _, text := range tt.globs {
			r.Globs = append(r.Globs, Glob{Text: text})
		}
		if got := Judge(tt.rules, r); got.Action != tt.want {
			t.Errorf("%s: got %s: %s", tt.name, got.Action, got.Why)
		}
	}
}
