package agents

import (
	"fmt"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
)

// Updates of sessions that nobody knows are kept while one is being opened, but not without an end.
func TestEarlyUpdatesAreBounded(t *testing.T) {
	a := &Agent{sessions: map[string]Session{}, early: early{updates: map[string][]acp.SessionUpdate{}}, known: map[string]bool{}}
	send := func(n int) {
		for i := range n {
			a.Deliver(&acp.SessionNotification{SessionID: fmt.Sprint(i % 7), Update: &acp.Plan{}})
		}
	}
	kept := func() (n int) {
		for _, list := range a.early.updates {
			n += len(list)
		}
		return n
	}
	send(maxStrays + 10)
	if n := kept(); n != maxStrays {
		t.Errorf("while none is opened: %d are kept, want %d", n, maxStrays)
	}
	if n := a.Strays(); n != 0 || kept() != 0 {
		t.Errorf("of an agent without subagents %d are strays, and %d are kept", n, kept())
	}
	opened, another := a.Opens(), a.Opens()
	another("", nil)
	another("", nil) // counts once
	send(maxEarly + 100)
	if n := kept(); n != maxEarly {
		t.Errorf("%d are kept, want %d", n, maxEarly)
	}
	opened("", nil)
	if n := kept(); n != 0 {
		t.Errorf("when it is opened: %d are kept", n)
	}
}

// An agent that is to rest and one that somebody asks for are never the same.
func TestRetire(t *testing.T) {
	since := time.Now()
	tests := []struct {
		name    string
		agent   Agent
		asked   bool // somebody has asked for it since
		retires bool
	}{
		{"unused", Agent{used: since.Add(-time.Hour)}, false, true},
		{"asked for this moment", Agent{used: since.Add(-time.Hour)}, true, false},
		{"a session is being opened", Agent{used: since.Add(-time.Hour), opening: 1}, false, false},
	}
	for i := range tests {
		tt := &tests[i]
		t.Run(tt.name, func(t *testing.T) {
			a := &tt.agent
			a.Ready = make(chan struct{})
			if tt.asked && !a.take() {
				t.Fatal("it cannot be had")
			}
			if got := a.retire(since); got != tt.retires {
				t.Errorf("it retires: %v, want %v", got, tt.retires)
			}
			if got := a.take(); got == tt.retires {
				t.Errorf("it can be had: %v, want %v", got, !tt.retires)
			}
		})
	}
}
