package transcript

import "slices"

// Nobody reads the diffs of a long turn as fast as they come, and to highlight one takes some milliseconds. So that is done for
// those at the end, where the view follows, and for the others once a window shows them.

// atEnd is how many rows at the end count as seen: more than a screen has.
const atEnd = 160

// sees reports whether somebody may see the content of a call.
func (t *Transcript) sees(it *item) bool {
	below := 0
	for _, b := range slices.Backward(t.blocks) {
		switch {
		case it.looked:
			return true
		case b == it.block:
			return below+len(b.rows)-b.rowOf(it) <= atEnd
		case below > atEnd:
			return false
		}
		below += max(len(b.rows), 2) // of text it is not known
	}

	return false
}

// rowOf returns the row of the head of a call, 0 if it has none.
func (b *Block) rowOf(it *item) int {
	return max(slices.IndexFunc(b.rows, func(r row) bool { return r.head == it.id }), 0)
}

// Place of a row: its block, and which row of that it is, from 0.
type RowPlace struct {
	Block string `msgpack:"block"`
	Row   int    `msgpack:"row"`
}

// Look notes that a window shows the rows between two places.
func (t *Transcript) Look(from, to RowPlace) {
	first := slices.IndexFunc(t.blocks, func(b *Block) bool { return b.ID == from.Block })
	last := slices.IndexFunc(t.blocks, func(b *Block) bool { return b.ID == to.Block })
	if first < 0 || last < first {
		return
	}
	for i, b := range t.blocks[first : last+1] {
		top, bottom := 0, len(b.rows)-1
		if first+i == last {
			bottom = min(to.Row, bottom)
		}
		if i == 0 {
			top = max(from.Row, 0)
		}
		if top > bottom {
			continue // a text, or a place of before
		}
		for top > 0 && b.rows[top].head == "" {
			top-- // the call whose content begins further up
		}

		for _, r := range b.rows[top : bottom+1] {
			if it := itemOf(b.items, r.head); it != nil {
				it.looked = true
			}
		}
	}

	var later []*Job
	for _, j := range t.work.later {
		if j.item.looked {
			t.work.jobs = append(t.work.jobs, j)
		} else {
			later = append(later, j)
		}
	}

	t.work.later = later
}
