package transcript

import "slices"

// Nobody reads the diffs of a long turn as fast as they come, and to highlight one takes some milliseconds. So that is done for
// those at the end, where the view follows, and for the others once a window shows them.

// atEnd is how many rows at the end count as seen: more than a screen has.
const atEnd = 160

// sees reports whether somebody may see the content of a call.
func (d *Drawing) sees(it *item) bool {
	below := 0
	for _, b := range slices.Backward(d.blocks.list) {
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

// Look notes that a window shows the rows between two places.
func (d *Drawing) Look(from, to RowPlace) {
	first := slices.IndexFunc(d.blocks.list, func(b *Block) bool { return b.ID == from.Block })
	last := slices.IndexFunc(d.blocks.list, func(b *Block) bool { return b.ID == to.Block })
	if first < 0 || last < first {
		return
	}
	for i, b := range d.blocks.list[first : last+1] {
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
	for _, j := range d.pending.later {
		if j.item.looked {
			d.pending.jobs = append(d.pending.jobs, j)
		} else {
			later = append(later, j)
		}
	}

	d.pending.later = later
}
