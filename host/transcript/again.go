package transcript

import "math"

// again makes an operation, which replaces all rows of a part by its rendered ones, one that shows the same text once more, and
// says where each row has gone, so that a reader stays at the words that they read.
func (p *prose) again(op *Op, q *part) {
	fresh := make([]int, 0, len(op.Lines))
	for _, r := range q.page.Rows {
		fresh = append(fresh, r.Source)
	}
	for len(fresh) < len(op.Lines) { // the empty row after the part
		fresh = append(fresh, math.MaxInt)
	}
	op.Again = true
	op.Map = gone(p.sources(q), fresh)
	q.sources = fresh
}

// sources returns the line of its text, from 0, that each drawn row of a part comes from. Rows after the last words may have none.
func (p *prose) sources(q *part) []int {
	if q.sources != nil {
		return q.sources
	}

	list := make([]int, 0, q.rows)
	source := 0
	for at := q.from; at < q.to; {
		_, next, _ := nextLine(p.text[:q.to], at)
		list = append(list, source)
		if p.text[next-1] == '\n' { // else the line was broken
			source++
		}
		at = next
	}

	return list
}

// gone returns for each of the rows that come from some lines the first of the new rows that shows its line or one after it,
// nil if that is always the same row. Neither list decreases.
func gone(old, fresh []int) []int {
	if len(fresh) == 0 {
		return nil
	}

	list, to, same := make([]int, len(old)), 0, len(old) == len(fresh)
	for i, line := range old {
		for to < len(fresh)-1 && fresh[to] < line {
			to++
		}
		list[i] = to
		same = same && to == i
	}

	if same {
		return nil
	}

	return list
}
