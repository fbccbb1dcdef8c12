package session

import (
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/problems"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Errors of before are needed to say which ones are new, and nothing is said while another turn runs (behaviours 321, 322).
func TestChecks(t *testing.T) {
	list := []problems.Item{{Path: "/p/a.go", Message: "x"}}
	s := busy(t)
	turn := s.turn
	s.EndTurn(turn, acp.StopEndTurn, nil, nil, nil)
	if got := s.NewErrors(list); len(got) != 0 {
		t.Errorf("what was before is not known, and %v is new", got)
	}

	s.Prompt(Prompt{Text: "again"})
	s.ErrorsBefore(turn, nil) // it is over
	if s.checks.known {
		t.Error("the errors before another turn count")
	}
	s.ErrorsBefore(s.turn, nil)
	if got := s.NewErrors(list); len(got) != 0 {
		t.Errorf("a turn runs, and %v is new", got)
	}
	s.EndTurn(s.turn, acp.StopEndTurn, nil, nil, nil)
	if got := s.NewErrors(list); len(got) != 1 {
		t.Errorf("got %v, want it all", got)
	}

	s.OfferErrors("hidden \x1b[31m and \u202e", "fix")
	if text := s.log.Markdown(transcript.Head{}); strings.ContainsAny(text, "\x1b\u202e") {
		t.Errorf("it is shown as it is: %q", text)
	}
	if first, again := s.TakeOffer(), s.TakeOffer(); first != "fix" || again != "" {
		t.Errorf("got %q, then %q", first, again)
	}
	for _, want := range []bool{true, true, false} {
		if got := s.MayFix(); got != want {
			t.Errorf("it may be sent: got %t, want %t", got, want)
		}
	}
	s.Prompt(Prompt{Text: "by itself", Fix: true})
	s.EndTurn(s.turn, acp.StopEndTurn, nil, nil, nil)
	if s.MayFix() {
		t.Error("a prompt that was sent by itself begins the count anew")
	}
	s.Prompt(Prompt{Text: "the user's"})
	s.EndTurn(s.turn, acp.StopEndTurn, nil, nil, nil)
	if !s.MayFix() {
		t.Error("the user's prompt does not begin the count anew")
	}
}
