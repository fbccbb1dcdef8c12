package paths

import "testing"

func TestPaths(t *testing.T) {
	t.Setenv("HOME", "/home/me")
	tests := []struct {
		name      string
		got, want any
	}{
		{"in a folder", Below("/a/b", "/a"), true},
		{"the folder", Below("/a", "/a"), true},
		{"in the root", Below("/a", "/"), true},
		{"the beginning of a name", Below("/ab", "/a"), false},
		{"short", Short("/a/b/c", "/a"), "b/c"},
		{"short below the root", Short("/a", "/"), "a"},
		{"elsewhere", Short("/ab/c", "/a"), "/ab/c"},
		{"home", Home("/home/me"), "~"},
		{"below home", Home("/home/me/a"), "~/a"},
		{"beside home", Home("/home/men/a"), "/home/men/a"},
		{"expanded", Expand("~/a"), "/home/me/a"},
		{"absolute", Absolute("/a/../b", "/c"), "/a/../b"},
		{"relative", Absolute("a/b", "/c"), "/c/a/b"},
		{"another's", Expand("~you/a"), "~you/a"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.got != test.want {
				t.Errorf("got %v, want %v", test.got, test.want)
			}
		})
	}
}

// Without a home nothing is shortened or expanded.
func TestNoHome(t *testing.T) {
	t.Setenv("HOME", "")
	if got := Home("/a") + Expand("~/a"); got != "/a~/a" {
		t.Errorf("got %q", got)
	}
}
