package session

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/transcript"
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

// A session whose agent has lost the conversation begins another one: of that nothing is used yet, and what was spent stays (behaviour 1488).
func TestSpendingAnew(t *testing.T) {
	s, agent := opened(t)
	full := &acp.UsageUpdate{Used: 9, Size: 10, Cost: &acp.Cost{Amount: 2, Currency: "USD"}}
	s.Update(full)
	s.Lost(agent, errors.New("gone"), false)
	s.link.Claim()
	s.Connect(agent)
	s.Began(agent, "another", Opened{})
	if got := s.spending.shown(); got.Used != 0 || got.Size != 0 || *got.Cost != 2 {
		t.Errorf("got %+v", got)
	}
	text := func() string { return s.screen.log.Blocks().Markdown(transcript.Head{}) }
	before := strings.Count(text(), "80 %")
	s.Update(full)
	if now := strings.Count(text(), "80 %"); before != 1 || now != 2 {
		t.Errorf("it was said %d times that the context is nearly full, then %d times", before, now)
	}
}

// What a replay says of earlier costs changes none that is known, and is the cost of no turn (behaviour 1603).
func TestRepeatedCosts(t *testing.T) {
	s := New(Config{NewLog: func() *transcript.Transcript { return transcript.New(transcript.Options{}) }})
	p := &s.spending
	say := func(amount float64, repeated bool) {
		p.learn(&acp.UsageUpdate{Cost: &acp.Cost{Amount: amount, Currency: "USD"}}, repeated)
	}
	turn := func(cost float64) {
		t.Helper()
		s.turns.now = &Turn{}
		p.begin(false)
		say(cost, false)
		s.turns.now = nil
	}
	spent := func(want float64) {
		t.Helper()
		if got := p.Spend(nil).Cost; math.Abs(got-want) > 1e-9 {
			t.Errorf("got %v, want %v", got, want)
		}
	}

	say(0.3, true)
	say(0.8, true)
	turn(1)
	spent(0.2)
	say(0.3, true)
	if got := *p.shown().Cost; got != 1 {
		t.Errorf("a replay has made the cost %v", got)
	}
	turn(1.1)
	spent(0.1)
}

// What a session has cost is in its record, as far as it is counted, and of the turn with which it is closed all. The session goes on from
// there, unless more is known (behaviour 1671).
func TestRecordedCosts(t *testing.T) {
	s, agent := opened(t)
	p := &play{State: s, agent: agent}
	recorded := func(want float64) {
		t.Helper()
		if c := s.about().Cost; c == nil || *c != (record.Cost{Amount: want, Currency: "USD"}) {
			t.Errorf("got %+v, want %v", c, want)
		}
	}
	report := func(s *State, amount float64) {
		s.Update(&acp.UsageUpdate{Used: 1, Size: 10, Cost: &acp.Cost{Amount: amount, Currency: "USD"}})
	}
	if c := s.about().Cost; c != nil {
		t.Errorf("got %+v of a session of which no cost is known", c)
	}
	p.ask("one")
	p.send()
	report(s, 1)
	recorded(0)
	s.spending.Spend(nil)
	p.end()
	recorded(1)
	p.ask("two")
	p.send()
	report(s, 3)
	recorded(1) // nobody counts what it has cost if the program ends here
	s.Close()
	recorded(3)

	for name, c := range map[string]struct {
		cost      *record.Cost
		reported  float64 // by the agent, before the turn; 0: nothing
		want      float64
		wantShown string
	}{
		"known":            {&record.Cost{Amount: 1, Currency: "USD"}, 0, 0.5, "$0.50"},
		"counts anew":      {&record.Cost{Amount: 2, Currency: "USD"}, 0, 1.5, "$1.50"},
		"used elsewhere":   {&record.Cost{Amount: 1, Currency: "USD"}, 1.25, 0.25, "$0.25"},
		"another currency": {&record.Cost{Amount: 1, Currency: "EUR"}, 0, 0, ""},
		"not known":        {nil, 0, 0, ""},
		"no cost":          {&record.Cost{Amount: -1, Currency: "USD"}, 0, 0, ""},
	} {
		s := New(Config{NewLog: func() *transcript.Transcript { return transcript.New(transcript.Options{}) }})
		s.Restore(record.Record{Session: record.Session{Cost: c.cost}})
		if c.reported > 0 {
			s.spending.learn(&acp.UsageUpdate{Cost: &acp.Cost{Amount: c.reported, Currency: "USD"}}, false)
		}
		s.turns.now = &Turn{}
		s.spending.begin(false)
		s.spending.learn(&acp.UsageUpdate{Cost: &acp.Cost{Amount: 1.5, Currency: "USD"}}, false)
		if shown, got := s.spending.cost(), s.spending.Spend(nil).Cost; math.Abs(got-c.want) > 1e-9 || shown != c.wantShown {
			t.Errorf("%s: got %v, shown as %q, want %v, %q", name, got, shown, c.want, c.wantShown)
		}
	}
}
