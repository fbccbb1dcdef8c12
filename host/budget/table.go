package budget

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/usage"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// days is how many days :AcpUsage sums up.
const days = 30

// showArgs say how to sum up.
type showArgs struct {
	By string `msgpack:"by"` // a [usage.By]
}

// show shows what the last days have cost, summed by day, project, agent or model. It does not wait.
func (b *Budget) show(a showArgs) {
	caught.Go(func() { // ends when the file is read
		now := time.Now()
		list, err := usage.Read(b.path(), now.AddDate(0, 0, -days))
		if err != nil {
			b.host.Say("error", "usage: "+plain.Reason(err))
			return
		}

		b.host.Show("usage", table(list, usage.By(a.By), now, b.host.Settings().Usage.Budget), "acp-usage")
	})
}

// table is the sums by something, with what was spent today.
func table(list []usage.Entry, by usage.By, now time.Time, budget float64) string {
	var out strings.Builder
	fmt.Fprintf(&out, "Usage of the last %d days, by %s\n", days, by)
	today := "Today " + dollars(usage.Spent(list, now, currency))
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
		row := []string{plain.OneLine(s.Name), plain.Plural(s.Turns, "turn"), session.Tokens(s.Tokens), costs(s.Costs)}
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
	for code, amount := range by {
		list = append(list, session.Money(amount, code))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}
