package permission

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// asked is a request for a call, and the transcript that has the call.
func asked(session string, u *acp.ToolCallUpdate) (*Requests, *Ticket, *transcript.Transcript) {
	q, log := &Requests{Session: session}, transcript.New(transcript.Options{})
	log.Apply(u)
	ticket := q.Add(New{Call: u.ToolCallID, Own: u, Before: log.Calls().Call(u.ToolCallID), Options: []acp.PermissionOption{
		{OptionID: "y", Kind: acp.AllowOnce},
	}})
	q.Show(ticket.ID, "", nil)
	return q, ticket, log
}

// A request is withdrawn once its call is over, however that has ended, and stays as long as it is not, and where another call is over
// (behaviour 1404).
func TestCallIsOver(t *testing.T) {
	for _, test := range []struct {
		call   string
		status acp.ToolCallStatus
		over   bool
	}{
		{"c", acp.ToolCallCompleted, true},
		{"c", acp.ToolCallFailed, true},
		{"c", acp.ToolCallPending, false},
		{"c", acp.ToolCallInProgress, false},
		{"other", acp.ToolCallFailed, false},
	} {
		q, ticket, log := asked("s", &acp.ToolCallUpdate{ToolCallID: "c", Kind: acp.ToolKindEdit})
		q.CallChanged(&acp.ToolCallUpdate{ToolCallID: test.call, Status: test.status}, log)
		if over := q.Len() == 0; over != test.over {
			t.Errorf("%s is %s: withdrawn: %v", test.call, test.status, over)
		}
		decisions, _ := q.Take()
		delivered := make(chan struct{})
		go func() {
			defer close(delivered)
			for _, d := range decisions {
				d.Deliver()
			}
		}()
		select {
		case <-delivered:
		case <-time.After(time.Minute):
			t.Fatal("who delivers waits for who is answered")
		}
		if got, ok := ticket.Answered(); ok != test.over || got.Option != "" {
			t.Errorf("%s is %s: answered %v, %+v", test.call, test.status, ok, got)
		}
	}
}

// Requests of two sessions have different ids: who answers one does not answer the other's (behaviour 1404).
func TestIDsOfSessions(t *testing.T) {
	_, one, _ := asked("one", &acp.ToolCallUpdate{ToolCallID: "c"})
	_, two, _ := asked("two", &acp.ToolCallUpdate{ToolCallID: "c"})
	if one.ID == two.ID {
		t.Errorf("both are %q", one.ID)
	}
}

// The details of a request are shown and hidden, and its head always says what is asked (behaviour 1404).
func TestInspected(t *testing.T) {
	view := func(q *Requests) Shown {
		s, _ := q.Snapshot(q.All()[0])
		v := Viewer{Cwd: "/w", Text: func(string) (string, bool) { return "", false }, Changed: func() {}}
		return v.View([]Snapshot{s}, "agent", "agent")[0]
	}
	q, ticket, _ := asked("s", &acp.ToolCallUpdate{ToolCallID: "c", Kind: acp.ToolKindRead, RawInput: []byte(`{"odd": "sauce"}`)})
	text := func() string { return strings.Join(view(q).Lines, "\n") }
	plain := text()
	q.Inspect(ticket.ID, "details")
	detailed := text()
	q.Inspect(ticket.ID, "details")
	if again := text(); plain == detailed || again != plain {
		t.Errorf("got %q, with details %q, without them again %q", plain, detailed, again)
	}

	at, _ := q.Snapshot(ticket.ID)
	q.Inspect("other", "details")
	if now, _ := q.Snapshot(ticket.ID); now.Version != at.Version {
		t.Error("a request that is not there has changed one that is")
	}

	for kind, want := range map[acp.ToolKind]string{
		"": "use a tool", acp.ToolKindOther: "use a tool", acp.ToolKindThink: "use a tool of the kind think",
		acp.ToolKindRead: "read", acp.ToolKindDelete: "delete",
	} {
		q, _, _ := asked("s", &acp.ToolCallUpdate{ToolCallID: "c", Kind: kind})
		if got := view(q).Title; !strings.Contains(got, want) {
			t.Errorf("kind %q: the head is %q, want %q in it", kind, got, want)
		}
	}
}

// The files of an edit are gone through in both directions, from the last to the first and back, each as a version of its own.
func TestFilesInTurn(t *testing.T) {
	diffs := []acp.ToolCallContent{}
	for _, name := range []string{"one", "two", "three"} {
		diffs = append(diffs, &acp.Diff{Path: "/w/" + name, NewText: "text of " + name + "\n"})
	}
	q, ticket, _ := asked("s", &acp.ToolCallUpdate{ToolCallID: "c", Kind: acp.ToolKindEdit, Content: acp.Some(diffs)})
	v := Viewer{Cwd: "/w", Text: func(string) (string, bool) { return "", false }, Changed: func() {}}
	versions := map[int]bool{}
	shown := func() string {
		s, _ := q.Snapshot(ticket.ID)
		versions[s.Version] = true
		text := strings.Join(v.View([]Snapshot{s}, "agent", "agent")[0].Lines, "\n")
		for _, name := range []string{"one", "two", "three"} {
			if strings.Contains(text, "text of "+name) {
				return name
			}
		}
		return text
	}
	got := []string{shown()}
	for _, what := range []string{"previous", "previous", "next", "next", "next", "previous"} {
		q.Inspect(ticket.ID, what)
		got = append(got, shown())
	}
	if want := []string{"one", "three", "two", "three", "one", "two", "one"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(versions) != len(got) {
		t.Errorf("%d versions for %d views", len(versions), len(got))
	}
}
