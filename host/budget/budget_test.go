package budget

import (
	"slices"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/settings"
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
