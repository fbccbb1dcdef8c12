package rules

import "testing"

// A redirect after a change of folder counts as a write outside the project, also where cd is allowed (behaviour 223).
func TestRedirectsElsewhere(t *testing.T) {
	list := []Rule{{Command: "cd", Action: "allow"}, {Command: "cat", Action: "allow"}, {Kind: "edit", Path: "src/**", Action: "allow"}}
	for _, tt := range []struct{ command, want string }{
		{"cat x > src/y", "allow"},
		{"cd /etc", "allow"},
		{"cd /etc && cat x > src/y", "ask"},
		{"cd /etc; cat x >> src/y", "ask"},
	} {
		if got := Judge(list, Request{Kind: "execute", Command: tt.command, Cwd: t.TempDir()}); got.Action != tt.want {
			t.Errorf("%s: got %s (%s), want %s", tt.command, got.Action, got.Why, tt.want)
		}
	}
}
