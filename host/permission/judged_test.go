package permission

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// shownOf is a request about a call, and how the user is shown it.
func shownOf(t *testing.T, u *acp.ToolCallUpdate) (Snapshot, Shown) {
	t.Helper()
	q, log := Requests{Session: "s"}, transcript.New(transcript.Options{})
	log.Apply(u)
	q.Add(New{Call: "c", Own: u, Before: log.Calls().Call("c"), Options: []acp.PermissionOption{{OptionID: "y", Kind: acp.AllowOnce}}})
	v := Viewer{Cwd: "/w", Text: func(string) (string, bool) { return "", false }, Changed: func() {}}
	s, _ := q.Snapshot(q.All()[0])
	return s, v.View([]Snapshot{s}, "agent", "agent")[0]
}

// asRead is the text of a float, with the rows of a broken command as one.
func asRead(p Shown) string {
	text := strings.Join(append(slices.Clone(p.Lines), p.Title), "\n")
	return regexp.MustCompile(`\\\n *`).ReplaceAllString(text, "")
}

// tokens are words of which each is in one place.
type tokens struct{ n int }

func (t *tokens) next() string { t.n++; return fmt.Sprintf("tk%04d", t.n) }

// judgedCall is a call with a word of its own in each field, and raw inputs of all forms.
func judgedCall(r *rand.Rand) *acp.ToolCallUpdate {
	var of tokens
	path := func() string {
		return []string{"/w/" + of.next(), "/home/u/." + of.next(), of.next(), "src/" + of.next() + "/x.go"}[r.IntN(4)]
	}
	kinds := []acp.ToolKind{"", "other", "read", "edit", "delete", "move", "search", "execute", "fetch", "switch_mode", acp.ToolKind(of.next())}
	name := of.next()
	u := &acp.ToolCallUpdate{ToolCallID: "c", Kind: kinds[r.IntN(len(kinds))], Name: &name}
	title := []string{"Delete", "", "Read README.md", "Delete build/cache", "Clean up", of.next()}[r.IntN(6)]
	u.Title = &title
	if r.IntN(2) == 0 {
		server := fmt.Sprintf(`{"toolName": "mcp__%[1]s__%[2]s", "mcpServer": {"name": %[1]q}}`, of.next(), of.next())
		u.Meta = acp.Meta{"claudeCode": acp.Raw(server)}
	}
	var locations []acp.ToolCallLocation
	for range r.IntN(4) {
		locations = append(locations, acp.ToolCallLocation{Path: path()})
	}
	u.Locations = acp.Some(locations)
	var content []acp.ToolCallContent
	for range []int{0, 0, 1, 2, 19, 60}[r.IntN(6)] {
		content = append(content, &acp.Diff{Path: path(), NewText: of.next() + "\n"})
	}
	u.Content = acp.Some(append(content, &acp.Content{Content: acp.Text("Nothing is changed: " + title)}))
	members := map[string]any{}
	for _, member := range strings.Fields("path file_path cwd command args description url query glob env zz") {
		switch {
		case r.IntN(4) > 0:
		case member == "args":
			members[member] = []string{of.next(), of.next()}
		case member == "env":
			members[member] = map[string]string{of.next(): of.next()}
		case member == "path" || member == "cwd":
			members[member] = path()
		default:
			members[member] = of.next()
		}
	}
	if r.IntN(4) == 0 {
		members["edits"] = []map[string]string{{"file_path": path()}, {"file_path": path()}}
	}
	u.RawInput, _ = json.Marshal(members) // it can be marshalled
	return u
}

// All that rules are asked about is what the float shows, whatever the agent's title and words say: each field of their request, in whatever
// field of the call it came (behaviours 980, 981).
func TestJudgedIsShown(t *testing.T) {
	token := regexp.MustCompile(`tk\d{4}`)
	for seed := range uint64(3000) {
		u := judgedCall(rand.New(rand.NewPCG(seed, 5)))
		s, shown := shownOf(t, u)
		r, _ := s.RuleRequest("agent", "/w")
		text := asRead(shown)
		var globs []string
		for _, g := range r.Globs {
			globs = append(globs, g.Text)
		}
		judged := map[string][]string{
			"Globs": globs,
			"Kind":  {r.Kind}, "Tool": {r.Tool}, "Paths": r.Paths, "Edits": r.Edits, "Command": {r.Command}, "Dir": {r.Dir}, "Unknown": r.Unknown,
			"Agent": nil, "Cwd": nil, "Odd": nil, "Guard": nil, "Found": nil, "Base": nil, // of ours
		}
		if n := reflect.TypeFor[rules.Request]().NumField(); n != len(judged) {
			t.Fatalf("rules are asked about %d things, of which the float is known to show %d", n, len(judged))
		}
		if does := r.Kind == "execute" && r.Command != "" || r.Kind == "edit" && len(s.call.Diffs()) > 0; does && s.call.Server == "" {
			judged["Tool"] = nil // its command or its change is all that it does
		}
		if r.Kind == "execute" && r.Command != "" {
			judged["Paths"] = nil // the judge takes them for words of its command
		}
		for field, values := range judged {
			for _, value := range values {
				for _, word := range token.FindAllString(value, -1) {
					if !strings.Contains(text, word) {
						raw, _ := json.Marshal(u) // it can be marshalled
						t.Fatalf("seed %d: %s %q is judged and not in the float:\n%s\n%s", seed, field, value, text, raw)
					}
				}
			}
		}
	}
}

// Of a call that the agent has described in two ways rules are asked about all that either says: what they deny of one they deny.
func TestBothAreJudged(t *testing.T) {
	callOf := func(u *acp.ToolCallUpdate) *transcript.Call {
		log := transcript.New(transcript.Options{})
		log.Apply(u)
		return log.Calls().Call("c")
	}
	odd := map[string]int{}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 6))
		one, other := judgedCall(r), judgedCall(r)
		for i, u := range []*acp.ToolCallUpdate{one, other} {
			if r.IntN(3) == 0 {
				u.RawInput = acp.Raw(`{"command": "a", "command": "b"}`)
				odd[fmt.Sprint(i)]++
			}
		}
		s := Snapshot{call: callOf(one), late: callOf(other)}
		both, _ := s.RuleRequest("agent", "/w")
		for _, c := range []*transcript.Call{s.call, s.late} {
			alone := RuleRequestOf(c, "agent", "/w")
			has := func(of string, all, some []string) {
				for _, v := range some {
					if !slices.Contains(all, v) {
						t.Errorf("seed %d: %s: %q has no %q", seed, of, all, v)
					}
				}
			}
			has("paths", both.Paths, alone.Paths)
			has("edits", both.Edits, alone.Edits)
			has("unknown", both.Unknown, alone.Unknown)
			has("commands", append(strings.Split(both.Command, "\n"), ""), strings.Split(c.Command(), "\n"))
			for _, g := range alone.Globs {
				if !slices.ContainsFunc(both.Globs, func(o rules.Glob) bool { return reflect.DeepEqual(o, g) }) {
					t.Errorf("seed %d: globs %v have no %v", seed, both.Globs, g)
				}
			}
			if alone.Odd != "" && both.Odd == "" {
				t.Errorf("seed %d: it is not said to be odd: %s", seed, alone.Odd)
			}
		}
		if !slices.IsSorted(both.Paths) || len(slices.Compact(slices.Clone(both.Paths))) != len(both.Paths) {
			t.Errorf("seed %d: paths are there twice: %q", seed, both.Paths)
		}
	}
	if len(odd) != 2 {
		t.Errorf("not both can be odd: %v", odd)
	}
}

// A file that an agent's words only seem to name is named (behaviour 980).
func TestNames(t *testing.T) {
	for _, tt := range []struct {
		title, path string
		named       bool
	}{
		{"Read README.md", "/w/README.md", true},
		{"`src/a.go`", "/w/src/a.go", true},
		{"edit in a.txt", "a.txt", true},
		{"Delete build/cache", "/w/cache", false},
		{"Delete build/cache", "/w/build", false},
		{"Run the tests", "/w/tests", false},
		{"Clean up, and by no means touch .env", "/w/.env", false},
		{"Delete", "/home/u/.ssh/id_rsa", false},
		{"Delete a.go.bak", "/w/a.go", false},
	} {
		u := &acp.ToolCallUpdate{ToolCallID: "c", Kind: acp.ToolKindDelete, Title: &tt.title, Locations: acp.Some([]acp.ToolCallLocation{{Path: tt.path}})}
		_, shown := shownOf(t, u)
		if got := !slices.ContainsFunc(shown.Lines, func(l string) bool { return strings.HasPrefix(l, "  file: ") }); got != tt.named {
			t.Errorf("%q names %s: %t\n%s", tt.title, tt.path, got, asRead(shown))
		}
	}
}

// Of any number of files all names are in what must have been on the screen, and the same whichever of them is shown (behaviour 981).
func TestAllFilesAreListed(t *testing.T) {
	for _, n := range []int{2, 20, 21, 25, 1500} {
		var content []acp.ToolCallContent
		for i := range n {
			content = append(content, &acp.Diff{Path: fmt.Sprintf("/w/d%d/f%04d", i%7, i), NewText: "x\n"})
		}
		title := "Edit"
		_, shown := shownOf(t, &acp.ToolCallUpdate{ToolCallID: "c", Kind: acp.ToolKindEdit, Title: &title, Content: acp.Some(content)})
		if shown.Files != n {
			t.Errorf("%d files to step through, want %d", shown.Files, n)
		}
		must := strings.Join(shown.Lines[:shown.Must], "\n")
		for i := range n {
			if name := fmt.Sprintf("f%04d", i); !shown.Whole || !strings.Contains(must, name) {
				t.Fatalf("of %d files %s need not have been read:\n%s", n, name, must)
			}
		}
	}
}

// What the input of a command has beside it must have been on the screen too.
func TestInputBesideCommand(t *testing.T) {
	title := "ls"
	u := &acp.ToolCallUpdate{ToolCallID: "c", Kind: acp.ToolKindExecute, Title: &title, RawInput: []byte(`{"command": "ls", "elevated": "yes"}`)}
	_, shown := shownOf(t, u)
	if must := strings.Join(shown.Lines[:shown.Must], "\n"); !shown.Whole || !strings.Contains(must, "elevated: yes") {
		t.Errorf("must have been read: %s", must)
	}
}
