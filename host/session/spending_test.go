package session

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

// Whatever an agent reports of its costs: what a turn is shown to have cost is what is counted of it. That is never negative, no more than the
// session has cost by then, and nothing of another currency; a number that is no cost changes nothing (behaviour 1488).
func TestSpending(t *testing.T) {
	seed := seedtest.Of(t)
	for n := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, n))
		s, agent := opened(t)
		p := &play{State: s, agent: agent}
		amount, currency, rises, counted := 0.0, "USD", 0.0, 0.0
		falls, changed := false, false
		for range 12 {
			p.ask("go")
			p.send()
			for range r.IntN(4) {
				u := &acp.UsageUpdate{Used: 1, Size: 10}
				switch kind := r.IntN(12); {
				case kind == 0:
					u.Cost = &acp.Cost{Amount: []float64{-1, 1e300, math.Inf(1), math.NaN()}[r.IntN(4)], Currency: "XXX"}
				case kind == 1:
				case kind == 2 && n%3 == 0:
					amount, falls = r.Float64()*amount, true
					u.Cost = &acp.Cost{Amount: amount, Currency: currency}
				case kind == 3 && n%3 == 1:
					currency, changed = map[string]string{"USD": "EUR", "EUR": "USD"}[currency], true
					amount *= 10
					u.Cost = &acp.Cost{Amount: amount, Currency: currency}
				default:
					more := r.Float64()
					amount, rises = amount+more, rises+more
					u.Cost = &acp.Cost{Amount: amount, Currency: currency}
				}
				p.say(u)
			}

			shown := s.spending.cost()
			got := s.spending.Spend(nil)
			p.end()
			want := ""
			if got.Cost >= 0.01 {
				want = Money(got.Cost, got.Currency)
			}
			if shown != want || !(got.Cost >= 0 && got.Cost <= amount+1e-9) || got.Currency != "" && got.Currency != currency {
				t.Fatalf("conversation %d: it is shown as %q and counted as %v %s, of %v %s", n, shown, got.Cost, got.Currency, amount, currency)
			}
			counted += got.Cost
		}
		switch {
		case !falls && !changed && math.Abs(counted-rises) > 1e-6:
			t.Fatalf("conversation %d: %v is counted of %v", n, counted, rises)
		case changed && counted > rises+1e-6:
			t.Fatalf("conversation %d: %v is counted of %v, with what was spent in another currency", n, counted, rises)
		}
	}
}
