package agents

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// took is a session that notes what it is told.
type took struct {
	Session
	said []string
}

func (s *took) Serves(*Agent) bool         { return true }
func (s *took) Update(u acp.SessionUpdate) { s.said = append(s.said, "itself "+nameOf(u)) }
func (s *took) Misplaced(why string)       { s.said = append(s.said, "wrong") }
func (s *took) UpdateChild(child string, u acp.SessionUpdate) {
	s.said = append(s.said, child+" "+nameOf(u))
}

func nameOf(u acp.SessionUpdate) string {
	switch u := u.(type) {
	case *acp.SubagentUpdate:
		return "has " + u.SessionID
	case *acp.Notice:
		return u.Title
	}
	return fmt.Sprintf("%T", u)
}

// What children say reaches the session at the top, in whatever order it comes, and nobody else; a child has one place
// (behaviours 573, 574).
func TestChildren(t *testing.T) {
	has := func(session, child string) *acp.SessionNotification {
		return &acp.SessionNotification{SessionID: session, Update: &acp.SubagentUpdate{SessionID: child}}
	}
	says := func(session, text string) *acp.SessionNotification {
		return &acp.SessionNotification{SessionID: session, Update: &acp.Notice{Title: text}}
	}
	tests := []struct {
		name   string
		sent   []*acp.SessionNotification
		one    []string // what the session "1" is told
		two    []string
		strays int
	}{
		{"in order", []*acp.SessionNotification{has("1", "a"), has("a", "b"), says("b", "x"), says("2", "y")},
			[]string{"itself has a", "a has b", "b x"}, []string{"itself y"}, 0},
		{"before the announcement", []*acp.SessionNotification{says("b", "x"), has("a", "b"), says("b", "y"), has("1", "a")},
			[]string{"itself has a", "a has b", "b x", "b y"}, nil, 0},
		{"announced again", []*acp.SessionNotification{has("1", "a"), has("1", "a")}, []string{"itself has a", "itself has a"}, nil, 0},
		{"of two sessions", []*acp.SessionNotification{has("1", "a"), has("2", "a"), says("a", "x")},
			[]string{"itself has a", "a x"}, []string{"wrong"}, 0},
		{"its own child", []*acp.SessionNotification{has("1", "1"), has("1", "a"), has("a", "a")}, []string{"wrong", "itself has a", "wrong"}, nil, 0},
		{"the child of its child", []*acp.SessionNotification{has("1", "a"), has("a", "1")}, []string{"itself has a", "wrong"}, nil, 0},
		{"another conversation", []*acp.SessionNotification{has("1", "2"), says("2", "x")}, []string{"wrong"}, []string{"itself x"}, 0},
		{"of nobody", []*acp.SessionNotification{has("0", "a"), says("a", "x")}, nil, nil, 2},
		{"of one that is over", []*acp.SessionNotification{says("old", "x"), has("1", "a")}, []string{"itself has a"}, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			one, two := &took{}, &took{}
			a := &Agent{
				sessions: map[string]Session{}, children: map[string]child{}, known: map[string]bool{"old": true},
				early: early{updates: map[string][]acp.SessionUpdate{}},
			}
			a.Expect("1", one)
			a.Expect("2", two)
			for _, n := range tt.sent {
				a.Deliver(n)
			}
			if !slices.Equal(one.said, tt.one) || !slices.Equal(two.said, tt.two) {
				t.Errorf("got  %q and %q\nwant %q and %q", one.said, two.said, tt.one, tt.two)
			}
			if n := a.Strays(); n != tt.strays {
				t.Errorf("%d strays, want %d", n, tt.strays)
			}
			a.Forget("1", one)
			if s, _ := a.At("a"); s != nil {
				t.Error("a child of a session that is forgotten is still there")
			}
		})
	}
}

// An agent is told that child sessions are understood, unless its configuration says otherwise (behaviour 578).
func TestSubagentsCapability(t *testing.T) {
	tests := []struct {
		name   string
		quirks map[string]any
		want   bool
	}{
		{"nothing said", nil, true},
		{"on", map[string]any{"subagents": true}, true},
		{"off", map[string]any{"subagents": false}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sent, err := acp.Marshal(capabilities(true, Spec{Quirks: tt.quirks}.Subagents()))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(string(sent), `"subagents":{}`); got != tt.want {
				t.Errorf("advertised: %v, want %v", got, tt.want)
			}
		})
	}
}
