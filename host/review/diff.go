package review

import (
	"fmt"
	"strings"
)

const (
	context = 2        // lines around a change in what the agent reads
	maxDiff = 16 << 10 // bytes of such a text
)

// diff returns the chosen changes as a unified diff, as the agent has made them.
func (f *File) diff(chosen map[int]bool) string {
	type row struct {
		mark byte
		text string
	}
	var rows []row
	old, now := 1, 1
	starts := [][2]int{}
	for _, l := range f.lines {
		picked := chosen[l.id] && l.changed()
		r := row{' ', l.text}
		switch {
		case picked && l.gone == here:
			r.mark = '+'
		case picked:
			r.mark = '-'
		case l.gone != here:
			continue
		}

		rows, starts = append(rows, r), append(starts, [2]int{old, now})
		if r.mark != '+' {
			old++
		}
		if r.mark != '-' {
			now++
		}
	}

	var b strings.Builder
	for i := 0; i < len(rows); {
		if rows[i].mark == ' ' {
			i++
			continue
		}

		from, last := max(i-context, 0), i
		for j := i; j < len(rows) && j <= last+2*context; j++ {
			if rows[j].mark != ' ' {
				last = j
			}
		}

		to := min(last+context+1, len(rows))
		n := [2]int{}
		for _, r := range rows[from:to] {
			if r.mark != '+' {
				n[0]++
			}
			if r.mark != '-' {
				n[1]++
			}
		}

		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", starts[from][0], n[0], starts[from][1], n[1])
		for _, r := range rows[from:to] {
			if b.Len() > maxDiff {
				b.WriteString("…\n")
				return b.String()
			}
			b.WriteByte(r.mark)
			b.WriteString(r.text + "\n")
		}

		i = to
	}

	return b.String()
}
