package budget

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/settings"
	"github.com/nvim-acp/nvim-acp/host/usage"
)

// noted is a program that writes nothing, and notes what it says.
type noted struct {
	feature.Host
	set  settings.Settings
	said []string
}

func (n *noted) Settings() *settings.Settings { return &n.set }
func (n *noted) Say(_, text string)           { n.said = append(n.said, text) }

// one is a session of an agent.
type one struct{ feature.Session }

func (one) LocalID() string   { return "s" }
func (one) Spec() agents.Spec { return agents.Spec{Title: "Agent"} }
func (one) Cwd() string       { return "/" }

// The user is warned once when a day's budget is nearly spent, and once when it is; costs in other currencies do not count (behaviour 297).
func TestBudget(t *testing.T) {
	h := new(noted)
	h.set.Usage.Budget = 10
	b := New(h)
	for _, tt := range []struct {
		name     string
		cost     float64
		currency string
		spent    bool
		said     []string
	}{
		{name: "little", cost: 5},
		{name: "another currency", cost: 100, currency: "EUR"},
		{name: "nearly all", cost: 3.5, currency: "USD", said: []string{"$8.50 of today's budget of $10.00 are spent"}},
		{name: "more, still not all", cost: 1},
		{name: "all", cost: 1, spent: true, said: []string{"today's budget of $10.00 is spent: queued prompts are held"}},
		{name: "beyond it", cost: 1, spent: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h.said = nil
			cost := session.Spent{Cost: tt.cost, Currency: tt.currency}
			if got := b.Count(cost); got != tt.spent {
				t.Errorf("spent: got %t, want %t", got, tt.spent)
			}
			b.Note(one{}, cost, 0)
			b.Wait()
			if !slices.Equal(h.said, tt.said) {
				t.Errorf("got %q, want %q", h.said, tt.said)
			}
		})
	}
}

// A day begins with nothing spent and nobody warned; of the usage that all Neovims have noted only that day's counts (behaviour 297).
func TestBudgetOfDays(t *testing.T) {
	noon := time.Date(2026, 5, 4, 12, 0, 0, 0, time.Local)
	h := new(noted)
	h.set = settings.Settings{StateDir: t.TempDir()}
	h.set.Record.Enabled = true
	h.set.Usage.Budget = 10
	path := filepath.Join(h.set.StateDir, "usage.jsonl")
	b := New(h)
	for i, step := range []struct {
		after    time.Duration // noon
		cost     float64
		currency string
		want     []string
	}{
		{after: -13 * time.Hour, cost: 100, want: []string{"today's budget of $10.00 is spent: queued prompts are held"}},
		{after: 0, cost: 7},
		{after: 1, cost: 1, want: []string{"$8.00 of today's budget of $10.00 are spent"}},
		{after: 2, cost: 1},
		{after: 3, cost: 5, currency: "EUR"},
		{after: 4, cost: 1, want: []string{"today's budget of $10.00 is spent: queued prompts are held"}},
		{after: 5, cost: 1},
		{after: 24 * time.Hour, cost: 9, want: []string{"$9.00 of today's budget of $10.00 are spent"}},
		{after: 24*time.Hour + 1, cost: 1, want: []string{"today's budget of $10.00 is spent: queued prompts are held"}},
	} {
		h.said = nil
		at := noon.Add(step.after)
		if err := usage.Append(path, usage.Entry{Time: at, Cost: step.cost, Currency: step.currency}); err != nil {
			t.Fatal(err)
		}
		b.refresh(at)
		if !slices.Equal(h.said, step.want) {
			t.Errorf("step %d: said %q, want %q", i, h.said, step.want)
		}
	}
	if b.today(noon.Add(48 * time.Hour)); b.spent != 0 || b.warned != 0 {
		t.Errorf("the next day begins with %v spent, and the user warned of %v", b.spent, b.warned)
	}
}
