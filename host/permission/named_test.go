package permission

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// All files that a raw input names are judged, whatever member names them: a rule for the folder is none for those elsewhere, and a
// rule with a pattern none for those that it must name (behaviour 965).
func TestNamedIsJudged(t *testing.T) {
	guard := func(real string) string {
		if base := filepath.Base(real); base == ".env" || filepath.Base(filepath.Dir(real)) == "hooks" {
			return "guarded"
		}
		return ""
	}
	for _, kind := range []acp.ToolKind{"read", "edit", "search", "fetch"} {
		for _, list := range [][]rules.Rule{{{Kind: string(kind), Path: "**", Action: "allow"}}, {{Kind: string(kind), Path: "src/**", Action: "allow"}}} {
			for raw, want := range map[string]string{
				`{"path": "src/a", "content": "x"}`:                                             "allow",
				`{"path": "src/a", "pattern": "func \\(.*", "glob": "*.go"}`:                    "allow",
				`{"path": "src/a", "url": "https://x.y/z"}`:                                     "allow",
				`{"path": "src/a", "diff": "--- src/a\n+++ src/a\n@@ -1 +1 @@\n-x\n+y\n"}`:      "allow",
				`{"path": "src/a", "diff": "--- a/src/../../x\n+++ b/x\n"}`:                     "ask",
				`{"path": "src/a", "diff": "*** Begin Patch\n*** Add File: /root/.bashrc\n+x"}`: "ask",
				`{"path": "src/a", "diff": "*** Begin Patch\n*** Add File: src/.env\n+x"}`:      "ask",
				`{"path": "src/a", "diff": "--- /dev/null\n+++ b/src/hooks/x\n"}`:               "ask",
				`{"path": "src/a", "edits": ["*** Update File: src/.env"]}`:                     "ask",
				`{"path": "src/a", "edits": [{"file": "/etc/x", "new_text": "y"}]}`:             "ask",
				`{"path": "src/a", "content": "*** Begin Patch\n*** Delete File: ../x\n"}`:      "ask",
				`{"path": "src/a", "pattern": "/root/.ssh/**"}`:                                 "ask",
				`{"path": "src/a", "pattern": "../../**"}`:                                      "ask",
				`{"path": "src/a", "glob": "{/root,src}/**"}`:                                   "ask",
				`{"path": "src/a", "include": ["/root/.ssh/id_rsa"]}`:                           "ask",
				`{"path": "src", "include": [".env"]}`:                                          "ask",
				`{"path": "src", "globs": ["**/.env"]}`:                                         "ask",
				`{"path": "src/a", "query": "/etc/passwd"}`:                                     "ask",
				`{"path": "src/a", "url": "file:///root/.ssh/id_rsa"}`:                          "ask",
				`{"path": "src/a", "urls": ["https://x.y", "/etc/passwd"]}`:                     "ask",
				`{"path": "src/a", "name": "../../x"}`:                                          "ask",
				`{"path": "src/a", "patch": "x"}`:                                               "ask",
				`{"path": "src/a", "links": ["/etc/x"]}`:                                        "ask",
				`{"pattern": ".{.,}/../x"}`:                                                     "ask",
			} {
				c := &transcript.Call{}
				c.Kind, c.RawInput = kind, acp.Raw(raw)
				r := RuleRequestOf(c, "a", "/nowhere/p")
				r.Guard = guard
				if v := rules.Judge(list, r); v.Action != want {
					t.Errorf("%s %s by %s: got %s (%s), want %s", kind, raw, list[0].String(), v.Action, v.Why, want)
				}
			}
		}
	}
}

// What a call has changes of is judged as edited beside its command, and beside what else it says it does; locations beside a command are
// words of that (behaviour 970).
func TestChangesBesideCommand(t *testing.T) {
	const cwd = "/nowhere/p"
	allow := []rules.Rule{{Command: "ls", Action: "allow"}, {Kind: "read", Action: "allow"}, {Kind: "execute", Tool: "x", Action: "allow"}}
	inside := append([]rules.Rule{{Kind: "edit", Path: "**", Action: "allow"}}, allow...)
	deny := append([]rules.Rule{{Path: "/home/u/.bashrc", Action: "deny"}, {Kind: "edit", Path: "*.lock", Action: "deny"}}, inside...)
	for _, tt := range []struct {
		kind     acp.ToolKind
		raw      string
		diffs    []string
		location string
		want     [3]string
	}{
		{"execute", `{"command": "ls"}`, nil, "", [3]string{"allow", "allow", "allow"}},
		{"execute", `{"command": "ls"}`, nil, "/home/u/.bashrc", [3]string{"allow", "allow", "allow"}},
		{"execute", `{"command": "ls"}`, []string{"/home/u/.bashrc"}, "", [3]string{"ask", "ask", "deny"}},
		{"execute", `{"command": "ls"}`, []string{"a"}, "", [3]string{"ask", "allow", "allow"}},
		{"execute", `{"command": "ls"}`, []string{"a", "a.lock"}, "a.lock", [3]string{"ask", "allow", "deny"}},
		{"execute", `{"command": "ls"}`, []string{"a", "../b"}, "", [3]string{"ask", "ask", "ask"}},
		{"execute", `{"command": "ls"}`, []string{"~/.bashrc"}, "", [3]string{"ask", "ask", "ask"}},
		{"execute", `{"command": "ls '"}`, []string{"/home/u/.bashrc"}, "", [3]string{"ask", "ask", "deny"}},
		{"read", `{"path": "a"}`, []string{"/home/u/.bashrc"}, "", [3]string{"ask", "ask", "deny"}},
		{"read", `{"path": "a"}`, []string{"a"}, "", [3]string{"ask", "allow", "allow"}},
		{"read", `{"command": "ls"}`, []string{"a"}, "", [3]string{"ask", "allow", "allow"}},
	} {
		u := &acp.ToolCallUpdate{ToolCallID: "1", Kind: tt.kind, RawInput: acp.Raw(tt.raw)}
		var content []acp.ToolCallContent
		for _, path := range tt.diffs {
			content = append(content, &acp.Diff{Path: path, NewText: "x\n"})
		}
		u.Content = acp.Some(content)
		if tt.location != "" {
			u.Locations = acp.Some([]acp.ToolCallLocation{{Path: tt.location}})
		}
		c := &transcript.Call{ID: "1"}
		c.Patch(u)
		for i, list := range [][]rules.Rule{allow, inside, deny} {
			if v := rules.Judge(list, RuleRequestOf(c, "a", cwd)); v.Action != tt.want[i] {
				t.Errorf("%s %s %v %s, %d: got %s (%s), want %s", tt.kind, tt.raw, tt.diffs, tt.location, i, v.Action, v.Why, tt.want[i])
			}
		}
		if offers := rules.Suggest(RuleRequestOf(c, "a", cwd)); len(offers) > 0 && rules.Judge(offers[0], RuleRequestOf(c, "a", cwd)).Action != "allow" {
			t.Errorf("%s %v: %s is offered, and not enough", tt.raw, tt.diffs, offers[0])
		}
	}
}

// Files of which each is in a line of the list are not named once more below it, as those are that rules are asked about (behaviour 1362).
func TestListedOnce(t *testing.T) {
	title := "Edit"
	content := []acp.ToolCallContent{&acp.Diff{Path: "/w/a.txt", NewText: "x\n"}, &acp.Diff{Path: "/w/b.txt", NewText: "x\n"}}
	_, shown := shownOf(t, &acp.ToolCallUpdate{ToolCallID: "c", Kind: "edit", Title: &title, Content: acp.Some(content)})
	for _, name := range []string{"a.txt", "b.txt"} {
		if got := strings.Count(strings.Join(shown.Lines, "\n"), name); got != 1 {
			t.Errorf("%s is named %d times in\n%s", name, got, strings.Join(shown.Lines, "\n"))
		}
	}
}

// Of a call that changes many files each folder is named once, with its files once, in their order (behaviour 1351).
func TestFolders(t *testing.T) {
	var content []acp.ToolCallContent
	var names []string
	for i := range maxListed + 1 {
		names = append(names, fmt.Sprintf("f%d", i))
		content = append(content, &acp.Diff{Path: "/w/a/" + names[i], NewText: "x\n"})
	}
	for _, path := range []string{"/w/b/one", "/w/a/f0", "/w/two", "/w/b/three"} {
		content = append(content, &acp.Diff{Path: path, NewText: "x\n"})
	}
	title := "Edit"
	_, shown := shownOf(t, &acp.ToolCallUpdate{ToolCallID: "c", Kind: "edit", Title: &title, Content: acp.Some(content)})
	want := []string{"  a/", "    " + strings.Join(names, "  "), "  b/", "    one  three", "  ./", "    two", ""}
	from := slices.Index(shown.Lines, want[0])
	if from < 0 || !slices.Equal(shown.Lines[from:min(from+len(want), len(shown.Lines))], want) {
		t.Errorf("got\n%s", strings.Join(shown.Lines, "\n"))
	}
}

// A call that names very many files is shown, and judged, in a time that grows as they do (behaviour 972).
func TestManyNamed(t *testing.T) {
	var patch strings.Builder
	const n = 200_000
	for i := range n {
		fmt.Fprintf(&patch, `--- f%d\n`, i)
	}
	title := "x"
	begun := time.Now()
	s, shown := shownOf(t, &acp.ToolCallUpdate{ToolCallID: "c", Kind: "edit", Title: &title, RawInput: acp.Raw(`{"path": "x", "diff": "` + patch.String() + `"}`)})
	r, _ := s.RuleRequest("a", "/w")
	v := rules.Judge([]rules.Rule{{Kind: "edit", Path: "**", Action: "allow"}}, r)
	if r.Odd == "" || v.Action != "ask" || len(shown.Suggest) > 0 {
		t.Errorf("%d files, odd %q: got %s, %d offers", len(r.Paths), r.Odd, v.Action, len(shown.Suggest))
	}
	if took := time.Since(begun); took > time.Minute { // it is 0.4 s where nothing else runs; if each name was compared with all others it was three minutes
		t.Errorf("it takes %v", took)
	}
}
