// Package budget notes what turns cost, warns of a day's budget that is nearly spent, and sums up what was spent.
//
// The file with the costs, which all Neovims share, is that of host/usage. Package host says when turns end, and holds queued prompts once
// the budget is spent.
package budget

import (
	"cmp"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/usage"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// near is the part of a day's budget at which the user is warned.
const near = 0.8

// Budget is what this day has cost, and may cost. It is safe for concurrent use. Its mutex is taken while a session's is held, and no other
// while it is.
type Budget struct {
	host    feature.Host
	writing feature.Warner
	busy    caught.Group // notes on their way to the disk

	mu     sync.Mutex // guards all below
	day    string     // on which …
	spent  float64    // … this much was spent, in the currency of the budget
	warned float64    // the part of the budget that the user was warned of on that day
}

// New returns a budget of which nothing is spent.
func New(h feature.Host) *Budget { return &Budget{host: h} }

// Verbs are what a user can say, by their names.
func (b *Budget) Verbs() map[string]any { return map[string]any{"usage": b.show} }

// currency is that of the budget. Costs in others are noted and not compared with it.
const currency = "USD"

func (b *Budget) path() string {
	return filepath.Join(b.host.Settings().StateDir, "usage.jsonl")
}

// today begins another day if it is one. b.mu is held.
func (b *Budget) today(now time.Time) {
	if day := now.Format(time.DateOnly); day != b.day {
		b.day, b.spent, b.warned = day, 0, 0
	}
}

// Count adds a cost to what this day has, and reports whether the budget is spent. It does not wait.
func (b *Budget) Count(s session.Spent) bool {
	budget := b.host.Settings().Usage.Budget

	b.mu.Lock()
	defer b.mu.Unlock()
	b.today(time.Now())
	if cmp.Or(s.Currency, currency) == currency {
		b.spent += s.Cost
	}
	return budget > 0 && b.spent >= budget
}

// Note writes down what a turn has cost, and warns if the day's budget is nearly spent, also by other Neovims. It does not wait.
func (b *Budget) Note(s feature.Session, spent session.Spent, tokens uint64) {
	e := usage.Entry{
		Time: time.Now(), Session: s.LocalID(), Agent: s.Spec().Title, Model: spent.Model, Folder: s.Cwd(),
		Cost: spent.Cost, Currency: spent.Currency, Tokens: tokens,
	}
	if e.Cost == 0 && e.Tokens == 0 {
		return
	}

	b.busy.Go(func() {
		if b.host.Settings().Records() {
			b.writing.Warn(b.host, b.path(), "usage is not recorded", usage.Append(b.path(), e))
		}
		b.refresh(e.Time)
	})
}

// Start takes what this day has cost from the disk. It does not wait.
func (b *Budget) Start() {
	b.busy.Go(func() { b.refresh(time.Now()) })
}

// Wait waits until what was noted is on the disk.
func (b *Budget) Wait() { b.busy.Wait() }

// refresh takes what this day has cost from the disk, and warns. It waits for the disk.
func (b *Budget) refresh(now time.Time) {
	budget := b.host.Settings().Usage.Budget
	if budget <= 0 {
		return
	}

	var list []usage.Entry
	if b.host.Settings().Records() {
		list, _ = usage.Read(b.path(), now.Add(-25*time.Hour)) // for what cannot be read the next turn tries again
	}

	b.mu.Lock()
	b.today(now)
	b.spent = max(b.spent, usage.Spent(list, now, currency))
	part, text := b.spent/budget, ""
	switch {
	case part >= 1 && b.warned < 1:
		b.warned, text = 1, fmt.Sprintf("today's budget of %s is spent: queued prompts are held", dollars(budget))
	case part >= near && b.warned < near:
		b.warned, text = near, fmt.Sprintf("%s of today's budget of %s are spent", dollars(b.spent), dollars(budget))
	}

	b.mu.Unlock()

	if text != "" {
		b.host.Say("warn", text)
	}
}

// dollars is an amount in the currency of the budget.
func dollars(amount float64) string { return session.Money(amount, currency) }
