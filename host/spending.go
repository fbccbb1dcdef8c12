package host

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/usage"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// nearBudget is the part of a day's budget at which the user is warned.
const nearBudget = 0.8

// spending notes what turns have cost, and holds what waits when a day's budget is spent. Its mutex is taken while a session's
// is held, and no other while it is.
type spending struct {
	host *Host
	busy sync.WaitGroup // notes on their way to the disk

	mu     sync.Mutex // guards all below
	day    string     // on which …
	spent  float64    // … this much was spent, in the currency of the budget
	warned float64    // the part of the budget that the user was warned of on that day
}

// budgetCurrency is the currency of the budget. Costs in others are noted and not compared with it.
const budgetCurrency = "USD"

func (p *spending) path() string {
	return filepath.Join(p.host.settings().StateDir, "usage.jsonl")
}

// today begins another day if it is one. p.mu is held.
func (p *spending) today(now time.Time) {
	if day := now.Format(time.DateOnly); day != p.day {
		p.day, p.spent, p.warned = day, 0, 0
	}
}

// count adds a cost to what this day has, and reports whether the budget is spent. It does not wait.
func (p *spending) count(s session.Spent) bool {
	budget := p.host.settings().Usage.Budget
	p.mu.Lock()
	defer p.mu.Unlock()
	p.today(time.Now())
	if cmp.Or(s.Currency, budgetCurrency) == budgetCurrency {
		p.spent += s.Cost
	}
	return budget > 0 && p.spent >= budget
}

// note writes down what a turn has cost, and warns if the day's budget is nearly spent, also by other Neovims. It does not wait.
func (p *spending) note(s *Session, spent session.Spent, tokens uint64) {
	e := usage.Entry{
		Time: time.Now(), Session: s.id, Agent: s.spec().Title, Model: spent.Model, Folder: s.cwd,
		Cost: spent.Cost, Currency: spent.Currency, Tokens: tokens,
	}
	if e.Cost == 0 && e.Tokens == 0 {
		return
	}
	p.busy.Go(func() {
		if p.host.records() {
			if err := usage.Append(p.path(), e); err != nil {
				p.host.say("warn", "usage is not recorded: "+err.Error())
			}
		}
		p.refresh(e.Time)
	})
}

// start takes what this day has cost from the disk. It does not wait.
func (p *spending) start() {
	p.busy.Go(func() { p.refresh(time.Now()) })
}

// refresh takes what this day has cost from the disk, and warns. It waits for the disk.
func (p *spending) refresh(now time.Time) {
	budget := p.host.settings().Usage.Budget
	if budget <= 0 {
		return
	}
	var list []usage.Entry
	if p.host.records() {
		list, _ = usage.Read(p.path(), now.Add(-25*time.Hour)) // for what cannot be read the next turn tries again
	}
	p.mu.Lock()
	p.today(now)
	p.spent = max(p.spent, usage.Spent(list, now, budgetCurrency))
	part, text := p.spent/budget, ""
	switch {
	case part >= 1 && p.warned < 1:
		p.warned, text = 1, fmt.Sprintf("today's budget of %s is spent: queued prompts are held", dollars(budget))
	case part >= nearBudget && p.warned < nearBudget:
		p.warned, text = nearBudget, fmt.Sprintf("%s of today's budget of %s are spent", dollars(p.spent), dollars(budget))
	}
	p.mu.Unlock()
	if text != "" {
		p.host.say("warn", text)
	}
}

// dollars is an amount in the currency of the budget.
func dollars(amount float64) string { return session.Money(amount, budgetCurrency) }

// usageDays is how many days :AcpUsage sums up.
const usageDays = 30

// show shows what the last days have cost, summed by day, project, agent or model. It does not wait.
func (p *spending) show(a usageArgs) {
	caught.Go(func() { // ends when the file is read
		now := time.Now()
		list, err := usage.Read(p.path(), now.AddDate(0, 0, -usageDays))
		if err != nil {
			p.host.say("error", "usage: "+err.Error())
			return
		}
		p.host.show("usage", usageText(list, usage.By(a.By), now, p.host.settings().Usage.Budget), "acp-usage")
	})
}

// usageText is the sums as a table, with what was spent today.
func usageText(list []usage.Entry, by usage.By, now time.Time, budget float64) string {
	var out strings.Builder
	fmt.Fprintf(&out, "Usage of the last %d days, by %s\n", usageDays, by)
	today := "Today " + dollars(usage.Spent(list, now, budgetCurrency))
	if budget > 0 {
		today += " of " + dollars(budget)
	}
	out.WriteString(today + "\n\n")
	sums := usage.SumBy(list, by, now.Location())
	if len(sums) == 0 {
		return out.String() + "No agent has reported tokens or costs yet.\n"
	}

	var rows [][]string
	var width [3]int
	for _, s := range sums {
		row := []string{plain.OneLine(s.Name), plural(s.Turns, "turn"), session.Tokens(s.Tokens), costs(s.Costs)}
		for i := range width {
			width[i] = max(width[i], ansi.StringWidth(row[i]))
		}
		rows = append(rows, row)
	}
	for _, row := range rows {
		pad := func(i int) string { return strings.Repeat(" ", width[i]-ansi.StringWidth(row[i])) }
		line := row[0] + pad(0) + "  " + pad(1) + row[1] + "  " + pad(2) + row[2] + "  " + row[3]
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.String()
}

// costs are amounts by currency, dollars first.
func costs(by map[string]float64) string {
	var list []string
	for currency, amount := range by {
		list = append(list, session.Money(amount, currency))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}
