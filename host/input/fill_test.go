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
