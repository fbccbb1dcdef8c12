package permission

import (
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/bounds"
)

// The words of a request for a form are bounded, and what would turn, hide or move text on the screen is shown as what it is.
func TestFormMessage(t *testing.T) {
	made := FormRequest("An\nagent", "Your name\u202e?\n\x1b[2Jand\u200b more", new(Form))
	if made.Title != "An agent asks" {
		t.Errorf("title %q", made.Title)
	}
	if text := strings.Join(made.Lines, "\n"); len(made.Lines) != 2 || strings.ContainsAny(text, "\u202e\x1b\u200b") {
		t.Errorf("got %q", made.Lines)
	}

	long := FormRequest("a", strings.Repeat("word ", bounds.Message), new(Form))
	if n := len(strings.Join(long.Lines, "")); n > 2*bounds.Message {
		t.Errorf("%d bytes are shown", n)
	}
	if slices.Contains(long.Lines, "") {
		t.Error("a line has no margin")
	}
}
