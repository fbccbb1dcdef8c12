package input

import "testing"

// Empty members of an input are filled from another's, and nothing else is: what is not wholly known stays as it is.
func TestFill(t *testing.T) {
	for _, tt := range [][3]string{
		{`{"command": ""}`, `{"command": "ls", "b": 1}`, `{"command":"ls"}`},
		{`{"command": [], "timeout": 3}`, `{"command": ["ls"]}`, `{"command":["ls"],"timeout":3}`},
		{`{"command": null}`, `{"command": ""}`, `{"command": null}`},
		{`{"command": "rm"}`, `{"command": "ls"}`, `{"command": "rm"}`},
		{`{"other": ""}`, `{"command": "ls"}`, `{"other": ""}`},
		{`"rm"`, `{"command": "ls"}`, `"rm"`},
		{`{"command": "", "command": "rm"}`, `{"command": "ls"}`, `{"command": "", "command": "rm"}`},
		{`{"command": ""`, `{"command": "ls"}`, `{"command": ""`},
		{``, `{"command": "ls"}`, ``},
		{`{"command": ""}`, `{"command": "ls", "command": "rm"}`, `{"command": ""}`},
	} {
		if got := string(Fill([]byte(tt[0]), []byte(tt[1]))); got != tt[2] {
			t.Errorf("%s from %s: %s, want %s", tt[0], tt[1], got, tt[2])
		}
	}
}

// An input has the members of another that it lacks, unless it is about something else (behaviour 1550).
func TestComplete(t *testing.T) {
	for _, tt := range [][3]string{
		{`{"other": ""}`, `{"command": "ls"}`, `{"other":"","command":"ls"}`},
		{`{"other": ""}`, `{"command": ""}`, `{"other": ""}`},
		{`{"command": ""}`, `{"command": "ls"}`, `{"command": ""}`},
		{`{"description": "Tidy"}`, `{"command": "rm x", "description": "Tidy up"}`, `{"description":"Tidy","command":"rm x"}`},
		{`{"command": "rm"}`, `{"command": "rm", "args": ["x"]}`, `{"command":"rm","args":["x"]}`},
		{`{"command": ["ls"], "cwd": "/a"}`, `{"cmd": "ls", "env": {"A": "1"}}`, `{"command":["ls"],"cwd":"/a","cmd":"ls","env":{"A":"1"}}`},
		{`{"cmd": "make"}`, `{"command": "ls", "timeout": 3}`, `{"cmd": "make"}`},
		{`{"path": "a"}`, `{"path": "b", "content": "x"}`, `{"path": "a"}`},
		{`{"path": "a"}`, `{ "path":"a", "content": "x"}`, `{"path":"a","content":"x"}`},
		{`{"path": "a", "command": "ls"}`, `{"path": "b", "command": "ls", "cwd": "/"}`, `{"path": "a", "command": "ls"}`},
		{`"rm"`, `{"command": "ls"}`, `"rm"`},
		{``, `{"command": "ls"}`, ``},
		{`{"other": 1}`, `{"command": "ls", "command": "rm"}`, `{"other": 1}`},
	} {
		if got := string(Complete([]byte(tt[0]), []byte(tt[1]))); got != tt[2] {
			t.Errorf("%s from %s: %s, want %s", tt[0], tt[1], got, tt[2])
		}
	}
}
