package input

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	for _, raw := range []string{
		`{"edits": ` + strings.Repeat("[", 9000) + `"--- /etc/x"` + strings.Repeat("]", 9000) + `}`, strings.Repeat("[", 1<<20),
	} {
		i := Read([]byte(raw))
		if len(i.Unknown()) == 0 || len(i.Paths()) > 0 || len(i.Texts()) > 0 || len(i.Named()) > 0 {
			t.Errorf("%.20s: got %v, %v, %v", raw, i.Unknown(), i.Paths(), i.Named())
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

// What names files in other members than those for files is named: in patches, patterns, lists of names, links (behaviour 965).
func TestNamed(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{`{"path": "a.txt", "diff": "--- a/x\n+++ b/../../home/u/.bashrc\n@@ -0,0 +1 @@\n+evil\n"}`, "a/x x b/../../home/u/.bashrc ../../home/u/.bashrc"},
		{`{"path": "a.txt", "diff": "*** Begin Patch\n*** Add File: /root/.bashrc\n+evil\n*** End Patch"}`, "/root/.bashrc"},
		{`{"path": "a.txt", "diff": "*** Begin Patch\r\n*** Update File: a\r\n*** Move to: .git/hooks/x\r\n*** Delete File: b c\r\n"}`, "a .git/hooks/x b c"},
		{`{"diff": "diff --git a/x b/.envrc\nrename from x\nrename to .envrc\n"}`, "a/x x b/.envrc .envrc x .envrc"},
		{`{"diff": "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n"}`, "a/x x b/x x"},
		{`{"diff": "Index: /etc/x\n======\n--- /etc/x\t2020-01-01\n+++ /etc/x\t2020\n"}`, "/etc/x /etc/x /etc/x"},
		{`{"diff": "*** /etc/x 2020\n--- /dev/null\n*** 1,2 ****\n--- 1,2 ----\n"}`, "/etc/x 2020"},
		{`{"diff": ["--- /dev/null", "+++ /etc/x"]}`, "/etc/x"},
		{`{"edits": "  *** Add File: /etc/x"}`, "/etc/x"},
		{`{"path": "a", "content": "*** Begin Patch\n*** Add File: /etc/x\n"}`, "/etc/x"},
		{`{"path": "a", "new_string": "--- /etc/x\n+++ /etc/y\n"}`, "/etc/x /etc/y"},
		{`{"path": "a", "content": "---\ntitle: /etc/x\n"}`, ""},
		{`{"path": "a", "content": "see /etc/passwd, ../x and file:///y"}`, ""},
		{`{"path": "a", "old_string": "../x", "new_string": "/x"}`, ""},
		{`{"path": "a", "edits": [{"old_text": "/x", "new_text": "--- x", "path": "b"}]}`, "x"},
		{`{"url": "file:///root/.ssh/id_rsa"}`, "file:///root/.ssh/id_rsa"},
		{`{"urls": ["https://x.y/z", "/etc/passwd", " file:///x", "ssh://x/y"]}`, "/etc/passwd  file:///x ssh://x/y"},
		{`{"url": "https:///etc/x"}`, "https:///etc/x"},
		{`{"url": "HTTPS://x.y/../z"}`, ""},
		{`{"pattern": "/root/.ssh/**", "path": "."}`, "/root/.ssh/**"},
		{`{"pattern": "../../**", "path": "src"}`, "../../**"},
		{`{"pattern": "{/root,src}/**"}`, "/root /**"},
		{`{"pattern": "{src,../..}/**"}`, "../.. /**"},
		{`{"pattern": ".{.,}/x"}`, "/x .."},
		{`{"pattern": "a/{.,..}"}`, ".. .."},
		{`{"pattern": "a/.{.,}"}`, ".."},
		{`{"pattern": "src/../../x"}`, "src/../../x"},
		{`{"pattern": "~/.ssh/*"}`, "~/.ssh/*"},
		{`{"pattern": "$HOME/.ssh/*"}`, "$HOME/.ssh/*"},
		{`{"pattern": "x", "glob": "/root/.ssh/*", "path": "."}`, "/root/.ssh/*"},
		{`{"pattern": "func .*\\(", "path": "src", "glob": "*.go"}`, ""},
		{`{"pattern": "// TODO"}`, ""},
		{`{"pattern": "^$"}`, ""},
		{`{"pattern": "**/*.{ts,tsx}"}`, ""},
		{`{"path": "README.md", "include": ["/root/.ssh/id_rsa"]}`, "/root/.ssh/id_rsa"},
		{`{"path": "src", "include": [".env", "*.ts", "**/.npmrc"]}`, "src/.env src/.npmrc"},
		{`{"path": "src", "include": "*.ts,.env"}`, "src/.env"},
		{`{"glob": "{.env,x}"}`, ".env x"},
		{`{"file_path": "README.md", "query": "/etc/passwd"}`, "/etc/passwd"},
		{`{"query": " /etc/passwd"}`, " /etc/passwd"},
		{`{"query": "file:etc/passwd"}`, "file:etc/passwd"},
		{`{"query": "how does a/b work?"}`, ""},
		{`{"name": "../../.bashrc", "content": "x"}`, "../../.bashrc"},
		{`{"id": "/etc/x"}`, "/etc/x"},
		{`{"model": "anthropic/claude", "mode": "a"}`, ""},
		{`{"exclude": ["node_modules/**"]}`, ""},
		{`{"command": "ls", "description": "/etc/x"}`, ""},
	} {
		in := Read([]byte(tt.raw))
		if got := strings.Join(in.Named(), " "); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.raw, got, tt.want)
		}
		if list := in.Unknown(); len(list) > 0 {
			t.Errorf("%s: unknown: %v", tt.raw, list)
		}
	}
}

// An input that has more than is read is odd, and reading it takes no more time than its bytes (behaviour 874).
func TestBounded(t *testing.T) {
	list := func(n int, text string) string { return strings.TrimSuffix(strings.Repeat(text+",", n), ",") }
	many := make([]string, 2000)
	for n := range many {
		many[n] = fmt.Sprintf(`"m%d": 1`, n)
	}
	for name, tt := range map[string]struct {
		raw string
		odd bool
	}{
		"commands and arguments": {`{` + list(5000, `"command": "ls"`) + `, "args": [` + list(5000, `"-l"`) + `]}`, true},
		"one command":            {`{"command": "ls", "args": [` + list(20_000, `"-l"`) + `]}`, false},
		"values":                 {`{"content": [` + list(maxValues, `1`) + `]}`, true},
		"pairs":                  {`{"content": {` + list(maxValues, `"a": 1`) + `}}`, true},
		"lists":                  {`{"content": ` + list(maxValues, `[]`) + `}`, true},
		"a list":                 {`[` + list(maxValues, `1`) + `]`, true},
		"a text like values":     {`{"content": "` + list(maxValues, `1`) + `"}`, false},
		"members":                {`{` + strings.Join(many, ",") + `}`, true},
		"paths":                  {`{"paths": [` + list(5000, `"`+strings.Repeat("a/", 100)+`b"`) + `]}`, true},
		"a deep path":            {`{"path": "` + strings.Repeat("a/", 1000) + `b"}`, true},
		"some paths":             {`{"paths": [` + list(900, `"a/b"`) + `]}`, false},
		"levels":                 {strings.Repeat(`{"a":`, 1000) + `1` + strings.Repeat(`}`, 1000), false},
		"levels of lists":        {`{"a":` + strings.Repeat(`[{"b":`, 1000) + `1` + strings.Repeat(`}]`, 1000) + `}`, false},
		"files of a patch":       {`{"diff": "` + strings.Repeat(`--- a/x\n+++ b/y\n`, 8000) + `"}`, true},
		"names":                  {`{"patterns": [` + list(5000, `"../x"`) + `]}`, true},
	} {
		i := Read([]byte(tt.raw))
		if odd := i.Odd() != ""; odd != tt.odd || len(i.Members()) > maxMembers || len(i.Paths()) > maxPaths || len(i.Named()) > maxPaths ||
			len(i.Command()) > len(tt.raw) {
			t.Errorf("%s: got %q, %d members, %d paths, a command of %d bytes", name, i.Odd(), len(i.Members()), len(i.Paths()), len(i.Command()))
		}
		if slices.ContainsFunc(i.Paths(), tooDeep) {
			t.Errorf("%s: a path has more parts than are looked at", name)
		}
	}
}

// What a call looks for files with is known, in whatever member and form it is (behaviour 1045).
func TestGlobs(t *testing.T) {
	for raw, want := range map[string]string{
		`{"paths": [".en*", "src"]}`:                                     ".en*",
		`{"path": "src", "glob": "*.ts .e*"}`:                            "*.ts .e*",
		`{"pattern": "**/*", "path": "."}`:                               "**/*",
		`{"include": [".e*", {"glob": "x"}]}`:                            ".e* x",
		`{"files": [{"path": ".e?v", "line": 1}]}`:                       ".e?v",
		`{"regex": "e.v", "exclude": ".e*", "query": "a", "type": "ts"}`: "e.v a",
		`{"exclude": ["a", "!.e*"], "type": "*", "name": "main"}`:        "!.e* *",
		`{"type": "add:x:.e*", "name": ".e*"}`:                           "add:x:.e* .e*",
		`{"ignore": "!(a)", "types": [".e*"], "no_ignore": "!"}`:         "!(a) .e*",
		`{"file_path": ".en\\v", "include": "[\".e*\"]"}`:                `.en\v [".e*"]`,
		`{"command": "ls", "glob": ".e*"}`:                               "",
		`{"content": "*", "file_path": "a.go"}`:                          "",
	} {
		var got []string
		for _, g := range Read([]byte(raw)).Globs() {
			got = append(got, g.Text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
	}
}
