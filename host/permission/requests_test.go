package permission

import (
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// A stop waits for the answers that the user has given a moment before, until they are on their way: the agent must not hear of it first
// (behaviour 1086).
func TestWithdrawWaitsForAnswers(t *testing.T) {
	q, log := Requests{Session: "s"}, transcript.New(transcript.Options{})
	options := []acp.PermissionOption{{OptionID: "yes", Kind: acp.AllowOnce}}
	first := q.Add(New{Options: options})
	q.Show(first.ID, "", nil)
	if got := q.Answer(Answer{ID: first.ID, Option: "yes", Version: 1}, log); !got.Counts {
		t.Fatalf("the answer does not count: %+v", got)
	}
	second := q.Add(New{Options: options})
	if got := q.Withdraw(nil, log); !slices.Equal(got, []*Ticket{first, second}) {
		t.Errorf("got %v, want both", got)
	}
	first.MarkSent()
	if got := q.Withdraw(nil, log); !slices.Equal(got, []*Ticket{second}) {
		t.Errorf("once the first is sent: got %v, want the second", got)
	}
	child := q.Add(New{Options: options, Child: "k"})
	if got := q.WithdrawOf([]string{"k"}, log); !slices.Equal(got, []*Ticket{second, child}) {
		t.Errorf("as a child is stopped: got %v, want the second and its own", got)
	}
}

// What the user was shown as too large to be allowed is allowed by no answer, no edited text and no rule, and can be rejected (behaviour 1182).
func TestLargeIsOnlyRejected(t *testing.T) {
	q, log := Requests{Session: "s"}, transcript.New(transcript.Options{})
	ticket := q.Add(New{Options: []acp.PermissionOption{
		{OptionID: "yes", Kind: acp.AllowOnce}, {OptionID: "other", Kind: "other"}, {OptionID: "no", Kind: acp.RejectOnce},
	}})
	q.Show(ticket.ID, "", nil)
	q.Drawn([]Shown{{ID: ticket.ID, Version: 1, Large: 1}})

	for _, a := range []Answer{{Option: "yes"}, {Option: "other"}, {Option: "yes", By: "function"}, {Option: "yes", Changed: true, Text: "x"}} {
		a.ID, a.Version = ticket.ID, 1
		if got := q.Answer(a, log); got.Counts || q.Len() != 1 {
			t.Errorf("%+v counts", a)
		}
	}
	if q.Decide(ticket.ID, 1, rules.Verdict{Action: "allow"}, nil, log) {
		t.Error("a rule has allowed it")
	}
	if got := q.Answer(Answer{ID: ticket.ID, Version: 1, Option: "no"}, log); !got.Counts {
		t.Error("it cannot be rejected")
	}
}

// A text that the user has changed counts for the version of the request that they have read, and for the file that it was given for:
// it is offered for no other version (behaviour 1174).
func TestEditedText(t *testing.T) {
	const cwd = "/p/"
	diffs := func(names ...string) *acp.ToolCallUpdate {
		u := &acp.ToolCallUpdate{ToolCallID: "c", Kind: "edit"}
		var list []acp.ToolCallContent
		for _, name := range names {
			list = append(list, &acp.Diff{Path: cwd + name, NewText: "agent\n"})
		}
		u.Content = acp.Some(list)
		return u
	}
	for _, tt := range []struct {
		name   string
		change func(q *Requests, log *transcript.Transcript, id string)
		path   string
		want   bool
	}{
		{"as it was", nil, cwd + "a", true},
		{"for another file", nil, cwd + "b", false},
		{"without its file", nil, "", false},
		{"for a file that is no more shown", func(q *Requests, _ *transcript.Transcript, id string) { q.Inspect(id, "next") }, cwd + "a", false},
		{"changed since", func(q *Requests, log *transcript.Transcript, _ string) {
			u := diffs("a", "b", "c")
			log.Apply(u)
			q.CallChanged(u, log)
		}, cwd + "a", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q, log := Requests{Session: "s", Editable: true}, transcript.New(transcript.Options{})
			log.Apply(diffs("a", "b"))
			own := &acp.ToolCallUpdate{ToolCallID: "c"}
			ticket := q.Add(New{Call: "c", Own: own, Before: log.Calls().Permission("", own), Options: []acp.PermissionOption{
				{OptionID: "yes", Kind: acp.AllowOnce}, {OptionID: "no", Kind: acp.RejectOnce},
			}})
			q.Show(ticket.ID, "", nil)
			if d, _ := q.Offer(ticket.ID, 1); d == nil || d.Path != cwd+"a" {
				t.Fatalf("offered: %+v", d)
			}
			if tt.change != nil {
				tt.change(&q, log, ticket.ID)
			}

			got := q.Answer(Answer{ID: ticket.ID, Version: 1, Option: "yes", By: "user", Changed: true, Path: tt.path, Text: "mine\n"}, log)
			if got.Counts != tt.want || (got.Accepted != nil) != tt.want || !got.Settled {
				t.Errorf("got %+v, want it to count: %v", got, tt.want)
			}
			if d, _ := q.Offer(ticket.ID, 7); d != nil {
				t.Error("a text of another version is offered")
			}
		})
	}
}

// What has so much that not all of it is known says so, and a raw form that is too large to be shown says how large it is.
func TestTooMuch(t *testing.T) {
	locations := make([]acp.ToolCallLocation, acp.MaxItems)
	for i := range locations {
		locations[i].Path = "/w/a"
	}
	const warning = "  it has lists of so many entries that not all are known: allow it only if you trust all of it"
	many, few := acp.ToolCallUpdate{ToolCallID: "c", Locations: acp.Some(locations)}, acp.ToolCallUpdate{ToolCallID: "c", Locations: acp.Some(locations[1:])}
	for u, want := range map[*acp.ToolCallUpdate]bool{&many: true, &few: false} {
		_, p := shownOf(t, u)
		log := transcript.New(transcript.Options{})
		log.Apply(u)
		odd := RuleRequestOf(log.Calls().Call("c"), "agent", "/w").Odd
		if slices.Contains(p.Lines, warning) != want || odd != "" != want {
			t.Errorf("%d locations: rules are told %q, and the float has\n%s", len(u.Locations.Value), odd, strings.Join(p.Lines[:2], "\n"))
		}
	}

	for size, want := range map[int]bool{100: false, maxText + 1: true} {
		u := &acp.ToolCallUpdate{ToolCallID: "c", RawInput: acp.Raw(`{"a": "` + strings.Repeat("x", size) + `"}`)}
		q := &Requests{Session: "s"}
		ticket := q.Add(New{Own: u, Raw: u, Options: []acp.PermissionOption{{OptionID: "y", Kind: acp.AllowOnce}}})
		q.Inspect(ticket.ID, "details")
		s, _ := q.Snapshot(ticket.ID)
		v := Viewer{Cwd: "/w", Text: func(string) (string, bool) { return "", false }, Changed: func() {}}
		if text := strings.Join(v.View([]Snapshot{s}, "agent", "agent")[0].Lines, "\n"); strings.Contains(text, "of JSON are too much to be shown") != want {
			t.Errorf("a raw form of %d bytes ends in %q", size, text[max(0, len(text)-200):])
		}
	}
}
