package session

import (
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/record"
)

// Spending is what the session uses and costs.
type Spending struct {
	screen *Screen
	turns  *turns

	usage   *acp.UsageUpdate
	limit   *Limit    // of the account, if near
	before  float64   // the cost before the latest turn …
	counted bool      // … if that is known
	billed  float64   // the cost that was counted last
	start   *acp.Cost // what the session had cost, by its record, or the one of which it begins as a copy; nil: nothing is known
	warned  bool      // of the context being nearly full
	meter   meter
}

// Usage is how much of the context is used, in tokens, and what the session has cost so far.
type Usage struct {
	Used     uint64   `msgpack:"used"`
	Size     uint64   `msgpack:"size"`
	Cost     *float64 `msgpack:"cost,omitempty"`
	Currency string   `msgpack:"currency,omitempty"`
}

// begin notes that a turn begins; first says that it is the first one that is shown.
func (p *Spending) begin(first bool) {
	p.meter.begin()
	p.before, p.counted = p.soFar(), p.counted || p.usage != nil || first
}

// Cost returns what the session has cost so far, false if that is not known.
func (p *Spending) Cost() (acp.Cost, bool) {
	cost := acp.Cost{Amount: p.soFar()}
	if c := p.latest(); c != nil {
		cost.Currency = c.Currency
	}
	return cost, p.counted
}

// BeginWith notes what the session had cost, or the one of which it begins as a copy: its agent goes on from there, or counts anew.
func (p *Spending) BeginWith(cost acp.Cost) {
	p.billed, p.counted = cost.Amount, true
	if cost.Amount > 0 {
		p.start = &cost
	}
}

// record returns the cost for the record, nil if none is known: what is counted, and what will be as a closed session's turn ends.
func (p *Spending) record(closed bool) *record.Cost {
	c := p.latest()
	switch {
	case c == nil:
		return nil
	case closed && p.turns.now != nil:
		return &record.Cost{Amount: c.Amount, Currency: c.Currency}
	}
	return &record.Cost{Amount: p.billed, Currency: c.Currency}
}

// restore begins with the cost of a record, which may be nil, unless more is known.
func (p *Spending) restore(c *record.Cost) {
	if c != nil && isCost(c.Amount) && !p.counted && p.latest() == nil {
		p.BeginWith(acp.Cost{Amount: c.Amount, Currency: c.Currency})
	}
}

// anew notes that the session begins with no conversation: nothing of its context is used.
func (p *Spending) anew() {
	p.start = nil
	p.billed = p.soFar()
	p.warned = false
	if p.usage != nil {
		p.usage = &acp.UsageUpdate{Cost: p.usage.Cost}
	}
}

// learn applies what an update says of usage, cost and tokens; repeated says that it is of a replay.
func (p *Spending) learn(u acp.SessionUpdate, repeated bool) {
	switch u := u.(type) {
	case *acp.AgentMessageChunk:
		if p.turns.now != nil && len(u.Meta) > 0 {
			p.meter.update(u.Meta)
		}
	case *acp.UsageUpdate:
		p.use(u, repeated)
	}
}

// use notes a usage. A cost that nothing can cost is not known, and what a replay says of earlier ones changes none that is.
func (p *Spending) use(u *acp.UsageUpdate, repeated bool) {
	var was *acp.Cost
	if p.usage != nil {
		was = p.usage.Cost
	}
	last := p.latest()
	if u.Cost == nil || !isCost(u.Cost.Amount) {
		u.Cost = was
	}
	if repeated && p.counted && u.Cost != nil && u.Cost.Amount < p.soFar() {
		u.Cost = was
	}
	switch {
	case u.Cost == nil:
	case repeated && !p.counted, was == nil && p.turns.now == nil: // what earlier turns have cost
		p.billed = u.Cost.Amount
	case last != nil && last.Currency != u.Cost.Currency: // what was spent until then is not known in this one
		p.billed, p.before = u.Cost.Amount, u.Cost.Amount
	}

	p.usage = u
	if l, found := limitOf(u.Meta); found {
		p.limit = l
	}
	if u.Size > 0 && u.Used*5 > u.Size*4 && !p.warned {
		p.warned = true
		p.screen.note("the context is more than 80 % full", "AcpWarning")
	}
}

// CountTokens notes the tokens of a turn by the answer to its prompt; counts says how its agent counts.
func (p *Spending) CountTokens(t *Turn, r *acp.PromptResponse, counts string) {
	if p.turns.now == t {
		t.Tokens = p.meter.end(r.Usage, r.Meta, counts)
	}
}

// Spent is what a turn has cost, as far as its agent tells.
type Spent struct {
	Cost     float64
	Currency string
	Model    string // its name, "" if the agent names none
}

// Spend returns what was spent since it was asked last, with a model. What a session had cost before anything was known of that is
// not known.
func (p *Spending) Spend(m *Named) Spent {
	var out Spent
	if m != nil {
		out.Model = m.Name
	}
	if p.usage == nil || p.usage.Cost == nil {
		return out
	}

	out.Currency = plain.Brief(p.usage.Cost.Currency)
	if p.counted {
		out.Cost = p.since(p.billed)
	}
	p.billed = p.soFar()
	return out
}

// isCost reports whether an amount is one that a session can cost, in any currency.
func isCost(amount float64) bool { return amount >= 0 && amount <= 1e9 }

// since is what the session has cost since it had cost so much.
func (p *Spending) since(before float64) float64 {
	if now := p.soFar(); now < before { // the agent counts anew
		return now
	}
	return p.soFar() - before
}

// latest is the cost that the agent has reported last, else that with which the session begins; nil if neither is known.
func (p *Spending) latest() *acp.Cost {
	if p.usage == nil || p.usage.Cost == nil {
		return p.start
	}
	return p.usage.Cost
}

// soFar is what the session has cost, 0 if the agent does not say.
func (p *Spending) soFar() float64 {
	if c := p.latest(); c != nil {
		return c.Amount
	}
	return 0
}

// cost returns what the latest turn has cost, "" if that is not known or less than a cent.
func (p *Spending) cost() string {
	spent := p.since(p.before)
	if !p.counted || spent < 0.01 {
		return ""
	}
	return Money(spent, p.latest().Currency)
}

// limitNow returns the limit that is near, until it is reset.
func (p *Spending) limitNow() *Limit {
	if l := p.limit; l != nil && (l.Resets == 0 || time.Unix(l.Resets, 0).After(time.Now())) {
		return l
	}
	return nil
}

// shown is the usage as Lua has it, nil if none is known.
func (p *Spending) shown() *Usage {
	if p.usage == nil {
		return nil
	}
	shown := &Usage{Used: p.usage.Used, Size: p.usage.Size}
	if c := p.usage.Cost; c != nil {
		shown.Cost, shown.Currency = &c.Amount, plain.Brief(c.Currency)
	}
	return shown
}
