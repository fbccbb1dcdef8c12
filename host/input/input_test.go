package input

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Members count by their exact names; what comes twice is odd, what is not known is named (behaviours 731, 732).
func TestRead(t *testing.T) {
	const odd = "odd"
	for _, tt := range []struct{ name, raw, command, dir, paths, unknown, odd string }{
		{"a command", `{"command": "ls", "description": "x", "timeout": 5, "run_in_background": true}`, "ls", "", "", "", ""},
		{"words", `{"command": ["bash", "-lc", "ls -l"], "cwd": "/p"}`, "bash -lc 'ls -l'", "/p", "", "", ""},
		{"arguments", `{"cmd": "git", "args": ["log", "a b"]}`, "git log 'a b'", "", "", "", ""},
		{"another case", `{"command": "rm x", "COMMAND": "ls"}`, "rm x", "", "", "COMMAND", ""},
		{"another case only", `{"Command": "ls"}`, "", "", "", "Command", ""},
		{"another case, first", `{"COMMAND": "ls", "command": "rm x", "Cwd": "/p"}`, "rm x", "", "", "COMMAND Cwd", ""},
		{"letters that fold", "{\"command\": \"rm x\", \"wor\u212adir\": \"/p\"}", "rm x", "", "", "wor\u212adir", ""},
		{"twice", `{"command": "rm x", "command": "ls"}`, "rm x\nls", "", "", "", odd},
		{"twice, escaped", `{"command": "rm x", "c\u006fmmand": "ls"}`, "rm x\nls", "", "", "", odd},
		{"twice within", `{"command": "ls", "x": {"a": 1, "a": 2}}`, "ls", "", "", "x", odd},
		{"two names", `{"command": "ls", "cmd": "rm x"}`, "ls\nrm x", "", "", "", odd},
		{"two names, the same", `{"command": "ls", "cmd": "ls"}`, "ls", "", "", "", ""},
		{"an environment", `{"command": "ls", "env": {"PATH": "x"}}`, "ls", "", "", "env", ""},
		{"no environment", `{"command": "ls", "env": {}, "stdin": null, "shell": ""}`, "ls", "", "", "", ""},
		{"more", `{"command": "ls", "arguments": ["x"], "script": "y", "stdin": "z"}`, "ls", "", "", "arguments script stdin", ""},
		{"a folder", `{"command": "ls", "directory": "/p"}`, "ls", "/p", "", "", ""},
		{"two folders", `{"command": "ls", "directory": "/p", "cwd": "/q"}`, "ls", "/p", "", "cwd", ""},
		{"a folder that is none", `{"command": "ls", "cwd": ["/p"]}`, "ls", "", "", "cwd", ""},
		{"a description that is none", `{"command": "ls", "description": {"a": 1}}`, "ls", "", "", "description", ""},
		{"out of the sandbox", `{"command": "ls", "dangerouslyDisableSandbox": true}`, "ls", "", "", "dangerouslyDisableSandbox", ""},
		{"in the sandbox", `{"command": "ls", "dangerouslyDisableSandbox": false}`, "ls", "", "", "", ""},
		{"to a program that runs", `{"command": "ls", "is_input": true}`, "ls", "", "", "is_input", ""},
		{"as it was read", `{"command": "ls; cat x", "commands": ["ls", "cat x"]}`, "ls; cat x", "", "", "", ""},
		{"as it was read, in part", `{"command": "cd x && git log -1 | cat", "commands": ["git log", "cat", "cd x"]}`, "cd x && git log -1 | cat", "", "", "", ""},
		{"a text as a command", `{"command": "echo 'rm x'", "commands": ["rm x"]}`, "echo 'rm x'", "", "", "commands", ""},
		{"a part of a word as a command", `{"command": "echo ; lsrm x", "commands": ["rm x"]}`, "echo ; lsrm x", "", "", "commands", ""},
		{"a quoted part as a command", `{"command": "echo '; rm x'", "commands": ["rm x"]}`, "echo '; rm x'", "", "", "commands", ""},
		{"an argument as a command", `{"command": "echo rm x", "commands": ["rm x"]}`, "echo rm x", "", "", "commands", ""},
		{"not as it was read", `{"command": "ls", "commands": ["rm x"]}`, "ls", "", "", "commands", ""},
		{"arguments of several words", `{"command": "ls; x", "args": ["y"]}`, "ls; x y", "", "", "", odd},
		{"arguments that are none", `{"command": "ls", "args": "y"}`, "ls", "", "", "args", odd},
		{"words that are none", `{"command": ["ls", {"a": 1}]}`, `ls '{"a":1}'`, "", "", "command", odd},
		{"a command that is none", `{"command": 5}`, "", "", "", "command", odd},
		{"an edit", `{"file_path": "a", "old_string": "x", "new_string": "y", "replace_all": false}`, "", "", "a", "", ""},
		{"edits", `{"edits": [{"path": "a", "newText": "x"}, {"path": "b", "newText": "y"}]}`, "", "", "a b", "", ""},
		{"files", `{"paths": ["a", "b"], "dir": "c"}`, "", "c", "a b c", "", ""},
		{"within", `{"content": {"to": {"path": "a"}}}`, "", "", "a", "", ""},
		{"another tool", `{"path": "a", "target_host": "x"}`, "", "", "a", "target_host", ""},
		{"another tool within", `{"edits": [{"path": "a", "exec": "x"}]}`, "", "", "a", "edits", ""},
		{"a text", `"rm x"`, "", "", "", "input", ""},
		{"a list", `["rm", "x"]`, "", "", "", "input", ""},
		{"none", `null`, "", "", "", "", ""},
		{"nothing", ``, "", "", "", "", ""},
		{"empty", `{}`, "", "", "", "", ""},
		{"cut", `{"command": "ls"`, "ls", "", "", "", odd},
		{"half a character", `{"command": "ls \ud800"}`, "ls \ufffd", "", "", "", odd},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i := Read([]byte(tt.raw))
			var unknown []string
			for _, m := range i.Unknown() {
				unknown = append(unknown, m.Name)
			}
			why := ""
			if i.Odd() != "" {
				why = odd
			}
			got := fmt.Sprintf("%q %q %q %q %q", i.Command(), i.Dir(), strings.Join(i.Paths(), " "), strings.Join(unknown, " "), why)
			if want := fmt.Sprintf("%q %q %q %q %q", tt.command, tt.dir, tt.paths, tt.unknown, tt.odd); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// A value that is nested very deep takes no time.
func TestDeep(t *testing.T) {
	for _, raw := range []string{`{"edits": ` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`, strings.Repeat("[", 1<<20)} {
		i := Read([]byte(raw))
		if len(i.Unknown()) == 0 || len(i.Paths()) > 0 || len(i.Texts()) > 0 {
			t.Errorf("%.20s: got %v, %v", raw, i.Unknown(), i.Paths())
		}
	}
}

// What agents really send is known, so that rules are not in vain (behaviour 731).
func TestTraces(t *testing.T) {
	files, err := filepath.Glob("../../tests/testdata/traces/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no traces: %v", err)
	}
	commands := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			var event struct{ Raw string }
			if json.Unmarshal([]byte(line), &event) != nil {
				continue
			}
			var message any
			_ = json.Unmarshal([]byte(event.Raw), &message) // some are no JSON
			for _, raw := range rawInputs(nil, message) {
				i := Read(raw)
				if i.Command() != "" {
					commands++
				}
				if list := i.Unknown(); len(list) > 0 && !strings.Contains(string(raw), "receiverThreadIds") || i.Odd() != "" {
					t.Errorf("%s: %s: %v %s", filepath.Base(file), raw, list, i.Odd())
				}
			}
		}
	}
	if commands < 100 {
		t.Errorf("only %d commands in the traces", commands)
	}
}

func rawInputs(list [][]byte, value any) [][]byte {
	switch v := value.(type) {
	case map[string]any:
		if in, ok := v["rawInput"]; ok {
			if raw, err := json.Marshal(in); err == nil {
				list = append(list, raw)
			}
		}
		for _, e := range v {
			list = rawInputs(list, e)
		}
	case []any:
		for _, e := range v {
			list = rawInputs(list, e)
		}
	}
	return list
}
