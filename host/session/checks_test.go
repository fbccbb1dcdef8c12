package session

import (
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/problems"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Errors of before are needed to say which ones are new, and nothing is said once another turn has begun (behaviours 321, 322).
func TestChecks(t *testing.T) {
	list := []problems.Item{{Path: "/p/a.go", Message: "x"}}
	s := busy(t)
	first := s.turns.now
	s.EndTurn(first, acp.StopEndTurn, nil, nil, nil)
	if got := s.checks.New(first, list, true); len(got) != 0 {
		t.Errorf("what was before is not known, and %v is new", got)
	}

	s.Prompt(Prompt{Text: "again"})
	second := s.turns.now
	s.checks.Before(first, problems.Known{}) // it is over
	if s.checks.known {
		t.Error("the errors before another turn count")
	}
	s.checks.Before(second, problems.Known{Seen: []string{"/p/a.go"}})
	if got := s.checks.New(second, list, true); len(got) != 0 {
		t.Errorf("it runs, and %v is new", got)
	}
	s.EndTurn(second, acp.StopEndTurn, nil, nil, nil)
	if got := s.checks.New(first, list, true); len(got) != 0 {
		t.Errorf("another turn was since, and %v is new", got)
	}
	if got := s.checks.New(second, list, true); len(got) != 1 {
		t.Errorf("got %v, want it all", got)
	}

	s.checks.Offer(first, "of another turn", []problems.Item{{Message: "other"}}, nil)
	s.checks.Offer(second, "hidden \x1b[31m and \u202e", []problems.Item{{Message: "fix"}}, nil)
	if text := s.screen.log.Blocks().Markdown(transcript.Head{}); strings.ContainsAny(text, "\x1b\u202e") || strings.Contains(text, "of another turn") {
		t.Errorf("shown: %q", text)
	}
	offer, _ := s.checks.TakeOffer()
	if again, _ := s.checks.TakeOffer(); len(offer) != 1 || offer[0].Message != "fix" || again != nil {
		t.Errorf("got %v, then %v", offer, again)
	}
	for _, want := range []bool{true, true, false} {
		if got := s.checks.MayFix(second); got != want {
			t.Errorf("it may be sent: got %t, want %t", got, want)
		}
	}
	s.Prompt(Prompt{Text: "by itself", Fix: true})
	third := s.turns.now
	s.EndTurn(third, acp.StopEndTurn, nil, nil, nil)
	if s.checks.MayFix(third) {
		t.Error("a prompt that was sent by itself begins the count anew")
	}
	s.Prompt(Prompt{Text: "the user's"})
	fourth := s.turns.now
	s.EndTurn(fourth, acp.StopEndTurn, nil, nil, nil)
	if s.checks.MayFix(third) || !s.checks.MayFix(fourth) {
		t.Error("the user's prompt does not begin the count anew")
	}
}

// What a turn brings that the next one followed at once is new after that one (behaviour 321).
func TestUnchecked(t *testing.T) {
	old, fresh := problems.Item{Path: "/p/a.go", Message: "old"}, problems.Item{Path: "/p/b.go", Message: "fresh"}
	s := busy(t)
	s.checks.Before(s.turns.now, problems.Known{Items: []problems.Item{old}, Seen: []string{"/p/a.go"}})
	s.checks.FileChanged("/p/b.go")
	s.EndTurn(s.turns.now, acp.StopEndTurn, nil, nil, nil)

	s.Prompt(Prompt{Text: "at once"})
	last := s.turns.now
	if s.checks.Before(last, problems.Known{Items: []problems.Item{old, fresh}}) {
		t.Error("the errors of before are not those before the first turn")
	}
	s.EndTurn(last, acp.StopEndTurn, nil, nil, nil)
	if real, _ := s.checks.ChangedFiles(last); len(real) != 1 || real[0] != "/p/b.go" {
		t.Errorf("looked for in %v, want /p/b.go", real)
	}
	if got := s.checks.WithoutBaseline(last, []problems.Item{old, fresh, fresh}); len(got) != 1 || got[0] != "/p/b.go" {
		t.Errorf("unknown before in %v, want /p/b.go", got)
	}
	if got := s.checks.New(last, []problems.Item{old, fresh}, true); len(got) != 1 || got[0] != fresh {
		t.Errorf("got %v, want %v", got, fresh)
	}

	s.Prompt(Prompt{Text: "later"})
	if real, named := s.checks.changed, s.checks.named; s.checks.known || len(real)+len(named) != 0 {
		t.Errorf("looked for once more in %v %v", real, named)
	}
}

// Errors in files that the turn has not changed are new as those in others are; whether somebody else has typed is known by the texts of
// the files that are open (behaviours 1495, 1496).
func TestElsewhere(t *testing.T) {
	at := func(path, message string) problems.Item { return problems.Item{Path: path, Message: message} }
	open := func(path string, tick int, modified bool) problems.Open {
		return problems.Open{Path: path, Tick: tick, Modified: modified}
	}
	old, fresh, own, unseen := at("/p/b", "old"), at("/p/b", "fresh"), at("/p/a", "own"), at("/p/c", "of a file that was not open")
	for _, test := range []struct {
		name   string
		now    []problems.Open
		shared bool
	}{
		{"nobody has typed", []problems.Open{open("/p/a", 7, true), open("/p/b", 2, true)}, false},
		{"the user has typed", []problems.Open{open("/p/a", 7, true), open("/p/b", 3, false)}, true},
		{"a file was opened", []problems.Open{open("/p/b", 2, true), open("/p/d", 9, false)}, false},
		{"and typed in", []problems.Open{open("/p/b", 2, true), open("/p/d", 9, true)}, true},
		{"one was closed", nil, false},
	} {
		s := busy(t)
		turn := s.turns.now
		s.checks.Before(turn, problems.Known{
			Items: []problems.Item{old}, Seen: []string{"/p/b"}, Open: []problems.Open{open("/p/a", 1, false), open("/p/b", 2, true)},
		})
		now := problems.Known{Items: []problems.Item{own, old, fresh, unseen}, Open: test.now}
		if list, _, _ := s.checks.Elsewhere(turn, now, nil); list != nil {
			t.Errorf("%s: it runs, and %v is new", test.name, list)
		}
		s.EndTurn(turn, acp.StopEndTurn, nil, nil, nil)
		s.Prompt(Prompt{Text: "at once"}) // what was before the first turn is still what it is compared with
		turn = s.turns.now
		s.EndTurn(turn, acp.StopEndTurn, nil, nil, nil)
		list, seen, shared := s.checks.Elsewhere(turn, now, []string{"/p/a"})
		if len(list) != 2 || list[0] != fresh || list[1] != unseen || !seen["/p/b"] || seen["/p/c"] || shared != test.shared {
			t.Errorf("%s: got %v, %v, %t", test.name, list, seen, shared)
		}
	}
}

// That a language server has not settled is said once, over all turns until it has (behaviour 530).
func TestLateIsSaidOnce(t *testing.T) {
	s := busy(t)
	for range 2 {
		turn := s.turns.now
		s.checks.Before(turn, problems.Known{})
		s.EndTurn(turn, acp.StopEndTurn, nil, nil, nil)
		s.checks.Late(turn, "gopls has not settled", true)
		s.Prompt(Prompt{Text: "again"})
	}
	if text := s.screen.log.Blocks().Markdown(transcript.Head{}); strings.Count(text, "gopls has not settled") != 1 {
		t.Errorf("shown: %q", text)
	}
}

// That new errors are no longer sent by themselves is said once, and only while they are looked for (behaviour 322).
func TestStopped(t *testing.T) {
	s := busy(t)
	turn := s.turns.now
	s.checks.Before(turn, problems.Known{})
	s.checks.Stop()
	s.EndTurn(turn, acp.StopEndTurn, nil, nil, nil)
	for range 2 {
		s.checks.Stop()
	}
	if got := strings.Count(s.screen.log.Blocks().Markdown(transcript.Head{}), "new errors will be offered"); got != 0 {
		t.Errorf("after a stop while it ran it is said %d times", got)
	}

	s.Prompt(Prompt{Text: "again"})
	turn = s.turns.now
	s.checks.Before(turn, problems.Known{})
	s.EndTurn(turn, acp.StopEndTurn, nil, nil, nil)
	for range 2 {
		s.checks.Stop()
	}
	if got := strings.Count(s.screen.log.Blocks().Markdown(transcript.Head{}), "new errors will be offered"); got != 1 {
		t.Errorf("it is said %d times, want once", got)
	}
}
