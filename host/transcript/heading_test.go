package transcript

import (
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

func TestHeading(t *testing.T) {
	at := []acp.ToolCallLocation{{Path: "/home/me/src/a.go"}}
	tests := []struct {
		name string
		call Call
		want string
	}{
		{"title", Call{Title: "Read a.go", Kind: acp.ToolKindRead}, "Read a.go"},
		{"absolute path", Call{Title: "/home/me/src/a.go", Kind: acp.ToolKindEdit}, "Edit /home/me/src/a.go"},
		{"path within", Call{Title: "src/a.go", Kind: acp.ToolKindRead, Locations: at}, "Read src/a.go"},
		{"other path", Call{Title: "b.go", Kind: acp.ToolKindRead, Locations: at}, "b.go"},
		{"part of a name", Call{Title: "go", Kind: acp.ToolKindRead, Locations: at}, "go"},
		{"quoted name", Call{Title: "Edit `a.go`", Kind: acp.ToolKindEdit}, "Edit a.go"},
		{"quoted command", Call{Title: "`ls -la`", Kind: acp.ToolKindExecute}, "ls -la"},
		{"two quoted", Call{Title: "`a` to `b`", Kind: acp.ToolKindMove}, "`a` to `b`"},
		{"command", Call{Title: "Terminal", Kind: acp.ToolKindExecute, command: "echo `date`"}, "echo `date`"},
		{"name", Call{Name: "grep", Kind: acp.ToolKindSearch}, "grep"},
		{"nothing", Call{}, "tool call"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.call.Heading(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestUnfenced(t *testing.T) {
	for text, want := range map[string]string{
		"```console\none\ntwo\n```":   "one\ntwo",
		"```\none\n```\n":             "one",
		"````\n```\none\n```\n````":   "```\none\n```",
		"```\n```":                    "",
		"one":                         "one",
		"":                            "",
		"```":                         "```",
		"```go\none":                  "```go\none",
		"```\na\n```\nb\n```\nc\n```": "```\na\n```\nb\n```\nc\n```",
		"say\n```\none\n```":          "say\n```\none\n```",
		"```\none```":                 "```\none```",
	} {
		if got := unfenced(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// A call that has a command is headed by it, as rules judge it and the float shows it, whatever else its agent says (behaviour 732).
func TestHeadingOfCommands(t *testing.T) {
	for _, tt := range []struct {
		name, raw, want string
		kind            acp.ToolKind
	}{
		{"another title", `{"command": "rm -rf x"}`, "rm -rf x", acp.ToolKindExecute},
		{"another kind", `{"command": "rm -rf x"}`, "rm -rf x", acp.ToolKindRead},
		{"no kind", `{"cmd": ["rm", "-rf", "x"]}`, "rm -rf x", ""},
		{"another case", `{"command": "rm -rf x", "COMMAND": "ls"}`, "rm -rf x", acp.ToolKindExecute},
		{"an editing tool", `{"command": "view", "path": "/w/a"}`, "ls", acp.ToolKindRead},
		{"another case only", `{"COMMAND": "rm -rf x"}`, "ls", acp.ToolKindExecute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTest()
			tr.Apply(&acp.ToolCall{ToolCallID: "c", Title: "ls", Kind: tt.kind, RawInput: acp.Raw(tt.raw)})
			if got := tr.calls.Call("c").Heading(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
