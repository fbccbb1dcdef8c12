package permission

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// valueAt returns a random value, and adds its texts to a list.
func valueAt(r *rand.Rand, depth int, leaves *[]string) any {
	switch kind := r.IntN(7); {
	case kind == 0 && depth > 0:
		list := []any{}
		for range 1 + r.IntN(3) {
			list = append(list, valueAt(r, depth-1, leaves))
		}
		return list
	case kind == 1 && depth > 0:
		object := map[string]any{}
		for i := range 1 + r.IntN(3) {
			object[fmt.Sprint("m", i)] = valueAt(r, depth-1, leaves)
		}
		return object
	case kind == 2:
		n := 1000 + r.IntN(1e6)
		*leaves = append(*leaves, fmt.Sprint(n))
		return n
	}
	word := fmt.Sprintf("w%07d", r.IntN(1e7))
	*leaves = append(*leaves, word)
	return strings.Repeat("x", r.IntN(3)*600) + word + []string{"", "\nb", " c"}[r.IntN(3)]
}

// Whatever a raw input has, of whatever names and forms, with or without a command and diffs that show a part of it, is in the lines of
// the float, or it says how much is not (behaviour 691).
func TestAllIsShown(t *testing.T) {
	names := strings.Fields("path content args exec old_string new_string description env script stdin diff edits text executable zz")
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 2))
		members, leaves := map[string]any{}, []string{}
		for range 1 + r.IntN(5) {
			name := names[r.IntN(len(names))]
			var own []string
			value := valueAt(r, 3, &own)
			if members[name] == nil {
				members[name] = value
				leaves = append(leaves, own...)
			}
		}
		u := &acp.ToolCallUpdate{ToolCallID: "c", Title: new(string), Kind: []acp.ToolKind{acp.ToolKindOther, acp.ToolKindEdit, acp.ToolKindRead, acp.ToolKindExecute, acp.ToolKindSwitchMode}[r.IntN(5)]}
		if r.IntN(3) == 0 && members["content"] != nil {
			if text, ok := members["content"].(string); ok {
				u.Content = acp.Some([]acp.ToolCallContent{&acp.Diff{Path: "/a", NewText: text}})
			}
		}
		if r.IntN(3) == 0 && members["description"] == nil {
			members["command"] = "ls w1"
		}
		words := strings.Repeat("This only reads your notes.\n", 400)
		if !u.Content.Set {
			u.Content = acp.Some([]acp.ToolCallContent{&acp.Content{Content: acp.Text(words)}})
		}
		u.RawInput, _ = json.Marshal(members) // it can be marshalled
		q, log := Requests{Session: "s"}, transcript.New(transcript.Options{})
		log.Apply(u)
		q.Add(New{Call: "c", Own: u, Before: log.Calls().Call("c"), Options: []acp.PermissionOption{{OptionID: "y", Kind: acp.AllowOnce}}})
		v := Viewer{Cwd: "/w", Text: func(string) (string, bool) { return "", false }, Changed: func() {}}
		var list []Snapshot
		for _, id := range q.All() {
			s, _ := q.Snapshot(id)
			list = append(list, s)
		}
		shown := v.View(list, "agent", "agent")
		if len(shown) != 1 {
			t.Fatalf("seed %d: %d requests", seed, len(shown))
		}
		text := regexp.MustCompile(`\\\n *`).ReplaceAllString(strings.Join(append(slices.Clone(shown[0].Lines), shown[0].Title), "\n"), "")
		must := strings.Join(shown[0].Lines[:min(shown[0].Must, len(shown[0].Lines))], "\n")
		if planOf(list[0].call) == "" && shown[0].Whole && len(shown[0].Lines) > 400 && strings.Count(must, "notes") > 1 {
			t.Fatalf("seed %d: what must be read has the agent's words, %d lines: %s", seed, shown[0].Must, u.RawInput)
		}
		for _, leaf := range leaves {
			if !strings.Contains(text, leaf) {
				t.Fatalf("seed %d: %s of %s is not in\n%s", seed, leaf, u.RawInput, text)
			}
		}
	}
}

// execution returns what is shown of a request to run a command.
func execution(t *testing.T, command string) Shown {
	t.Helper()
	return titled(t, "", command)
}

// titled is execution of a call with a title.
func titled(t *testing.T, title, command string) Shown {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	u := &acp.ToolCallUpdate{ToolCallID: "c", Kind: acp.ToolKindExecute, Title: &title, RawInput: raw}
	q, log := Requests{Session: "s"}, transcript.New(transcript.Options{})
	log.Apply(u)
	q.Add(New{Call: "c", Own: u, Before: log.Calls().Call("c"), Options: []acp.PermissionOption{{OptionID: "y", Kind: acp.AllowOnce}}})
	s, _ := q.Snapshot(q.All()[0])
	v := Viewer{Cwd: "/w", Text: func(string) (string, bool) { return "", false }, Changed: func() {}}
	return v.View([]Snapshot{s}, "agent", "agent")[0]
}

// A title that is the command, in one line and maybe in quotes, is not said beside it; another one is (behaviour 1354).
func TestTitleOfCommand(t *testing.T) {
	const command = "make all\nmake test"
	for title, want := range map[string]bool{"make all make test": false, "`make all make test`": false, "Build all": true} {
		lines := titled(t, title, command).Lines
		if got := slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, title) }); got != want {
			t.Errorf("%s: it is said: %t\n%s", title, got, strings.Join(lines, "\n"))
		}
	}
}

// A request that cannot be shown whole is given to the user's function as a question only, and rules are offered that a screen shows
// whole (behaviours 983, 1181).
func TestTooLong(t *testing.T) {
	if p := execution(t, "make all"); p.Request["command"] != "make all" || len(p.Suggest) == 0 {
		t.Errorf("got %v and %q", p.Request, p.Suggest)
	}
	if p := execution(t, "make "+strings.Repeat("x", maxOffer)); p.Large > 0 || slices.ContainsFunc(p.Suggest, func(offer string) bool { return len(offer) > maxOffer }) {
		t.Errorf("%q is offered", p.Suggest)
	}
	if p := execution(t, "make "+strings.Repeat("x ", maxText)); p.Large == 0 || p.Request["command"] != nil {
		t.Errorf("a function is given %d members", len(p.Request))
	}
}
