package tools

import "testing"

// What the editor says is wrong with a question is an error, whether anybody wants its answer or not.
func TestAnswerOfEditor(t *testing.T) {
	for _, tt := range []struct {
		name       string
		answer     knownArgs
		wants      bool
		want, fail string
	}{
		{"an answer", knownArgs{Result: `"x"`}, true, "x", ""},
		{"an answer that nobody wants", knownArgs{Result: `"x"`}, false, "", ""},
		{"none, and nobody wants one", knownArgs{}, false, "", ""},
		{"a problem", knownArgs{Result: `"x"`, Problem: "no such buffer"}, true, "", "no such buffer"},
		{"a problem, and nobody wants the answer", knownArgs{Problem: "no such buffer"}, false, "", "no such buffer"},
		{"what is no JSON", knownArgs{Result: `"x`}, true, "", "unexpected end of JSON input"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var text string
			var into any
			if tt.wants {
				into = &text
			}
			fail := ""
			if err := tt.answer.decode(into); err != nil {
				fail = err.Error()
			}
			if text != tt.want || fail != tt.fail {
				t.Errorf("got %q, error %q, want %q, error %q", text, fail, tt.want, tt.fail)
			}
		})
	}
}
