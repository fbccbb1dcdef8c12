package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// knowingDesk is a desk whose editor answers each question with a text, and whose files below /p/own are not free.
type knowingDesk struct {
	Desk
	answer string
}

func (d knowingDesk) Used(Use) error                        { return nil }
func (d knowingDesk) Cwd() string                           { return "/p" }
func (d knowingDesk) Real(path string) (string, error)      { return path, nil }
func (d knowingDesk) MayRead(context.Context, string) error { return nil }
func (d knowingDesk) IsFree(real string) bool               { return !strings.HasPrefix(real, "/p/own") }

func (d knowingDesk) Quoted(context.Context) func(string) []string {
	return func(text string) []string {
		if strings.Contains(text, "sesame") {
			return []string{"/p/own/key"}
		}
		return nil
	}
}

func (d knowingDesk) Read(context.Context, string, *uint32, *uint32) (string, error) {
	return "", fs.ErrNotExist
}

func (d knowingDesk) Know(_ context.Context, _ string, _ map[string]any, result any) error {
	return json.Unmarshal([]byte(d.answer), result)
}

// What the editor knows is told in full sentences, one line for each thing; what there is more of is counted, and of files that an agent may
// not simply read nothing is said.
func TestAnswersOfTheEditor(t *testing.T) {
	looked := make([]string, maxLooked+2)
	for i := range looked {
		looked[i] = fmt.Sprintf("/p/f%02d", i)
	}
	many, _ := json.Marshal(looked) // strings can be marshalled
	named := strings.ReplaceAll(strings.Join(looked[:maxLooked], ", "), "/p/", "")
	const only = "Of other files only what servers have reported by themselves is here: that may not be all. Name a file to have it looked at."

	for _, tt := range []struct {
		tool, args, answer, want string
	}{
		{"buffers", `{}`, `{"count": 4, "files": [
			{"path": "/p/a.go", "lines": 1, "modified": true, "shown": [[1, 1]], "current": true, "cursor": [1, 3], "selection": {"first": 1, "last": 1, "text": "x"}},
			{"path": "/p/own/key", "lines": 7}, {"path": "/p/b.go", "lines": 2}]}`,
			"a.go (1 line), unsaved changes, lines 1-1 on the screen, the user is here: line 1, column 3\n  selected, lines 1-1:\n  x\n" +
				"b.go (2 lines)\nand 1 more, which are neither on the screen nor have unsaved changes"},
		{"quickfix", `{}`, `{"title": "vet", "count": 3, "idx": 2, "items": [
			{"path": "/p/a.go", "line": 3, "col": 4, "kind": "error", "text": "one\ntwo"}, {"text": "done"}]}`,
			"vet, 3 entries, the user is at number 2\na.go:3:4: error: one\n  two\ndone\nand 1 more"},
		{"quickfix", `{}`, `{"title": "vet", "count": 0, "items": []}`, "The quickfix list is empty."},
		{"references", `{"path": "/p/a.go", "symbol": "f"}`, `{"server": "gopls", "count": 5, "list": [{"path": "/p/a.go", "line": 3}, {"path": "/p/b.go", "line": 1}]}`,
			"a.go:3\nb.go:1\nand 3 more"},
		{"references", `{"path": "/p/a.go", "symbol": "f"}`, `{"server": "gopls", "count": 0, "list": []}`, "gopls knows no references of f."},
		{"diagnostics", `{}`, `{"count": 4, "settled": true, "servers": ["gopls"], "looked": ["/p/a.go", "/p/own/key"], "items": [
			{"path": "/p/a.go", "line": 1, "col": 2, "severity": "error", "message": "no\nway", "source": "go", "code": "E1"},
			{"path": "/p/own/key", "line": 1, "col": 1, "severity": "error", "message": "odd"},
			{"path": "/p/b.go", "line": 5, "col": 1, "severity": "hint", "message": "unused"}]}`,
			"a.go:1:2: error: no\n  way (go E1)\nb.go:5:1: hint: unused\nand 1 more\nLooked at 1 open file: a.go. " + only},
		{"diagnostics", `{}`, `{"settled": true, "servers": ["gopls", "vet"], "looked": ` + string(many) + `}`,
			"gopls, vet: no problems in the open files.\nLooked at 22 open files: " + named + " and 2 more. " + only},
		{"diagnostics", `{"path": "/p/a.go"}`, `{"settled": true, "servers": ["gopls"]}`, "gopls: no problems in a.go."},
		{"diagnostics", `{"path": "/p/a.go"}`, `{"settled": false, "servers": ["gopls"], "late": "gopls still loads"}`,
			"Not settled: gopls still loads. This may not be all; ask again later."},
		{"diagnostics", `{"path": "/p/a.go"}`, `{"settled": false, "servers": ["gopls"]}`, "Not settled: gopls. This may not be all; ask again later."},
		{"diagnostics", `{"path": "/p/a.go"}`, `{"missing": "No server for a.go."}`, "No server for a.go."},
		{"diagnostics", `{}`, `{}`,
			"No language server runs in the editor, so nothing is known of problems. Name a file to have its server started."},
	} {
		s, end := serve(t, knowingDesk{answer: tt.answer}, nil)
		res, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: tt.tool, Arguments: json.RawMessage(tt.args)})
		end()
		if err != nil || len(res.Content) != 1 {
			t.Fatalf("%s: %v %v", tt.tool, res, err)
		}
		if got := strings.TrimRight(res.Content[0].(*sdk.TextContent).Text, "\n"); got != tt.want || res.IsError {
			t.Errorf("%s of %s\ngot  %q\nwant %q", tt.tool, tt.answer, got, tt.want)
		}
	}
}

// What a language server that failed says is told without what a file that may hold secrets has.
func TestFailuresWithoutSecrets(t *testing.T) {
	for tool, args := range map[string]string{"references": `{"path": "/p/a.go", "symbol": "f"}`, "symbols": `{"path": "/p/a.go"}`} {
		answer := `{"server": "gopls", "count": 0, "list": [], "failed": ["other: no sesame", "third: busy"]}`
		s, end := serve(t, knowingDesk{answer: answer}, nil)
		res, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
		end()
		if err != nil || len(res.Content) != 1 {
			t.Fatalf("%s: %v %v", tool, res, err)
		}
		got := res.Content[0].(*sdk.TextContent).Text
		if strings.Contains(got, "sesame") || !strings.Contains(got, "third: busy") {
			t.Errorf("%s: got %q", tool, got)
		}
	}
}
