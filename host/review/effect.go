package review

import "slices"

// effects returns for each revert whether it is in effect: whether the text is without what it has taken out. The user may have brought
// that back, or taken it out again, by other ways than an undo of the decision: with the editor's undo, by hand, or by taking the same
// lines from an agent. A revert all of whose lines a later one has is left out.
func (c *Changes) effects() map[*Revert]bool {
	type place struct {
		path string
		id   int // of a line
	}
	out, later := map[*Revert]bool{}, map[place]bool{}
	places := map[string]map[int]int{} // by path
	for _, r := range slices.Backward(c.reverts) {
		if r.Final { // its lines may be of a file that is forgotten
			out[r] = !r.Undone
			continue
		}

		path := r.At()
		f := c.files[path]
		if f != nil && places[path] == nil {
			places[path] = f.places()
		}

		before, after, own := false, false, len(r.Lines) == 0
		for _, ch := range r.Lines {
			at := place{path, ch.ID}
			if later[at] {
				continue
			}
			own, later[at] = true, true
			if i, ok := places[path][ch.ID]; ok {
				there := f.lines[i].gone == here
				before = before || there == (ch.Before.Gone == here)
				after = after || there == (ch.After.Gone == here)
			}
		}

		if own {
			out[r] = after && !before || before == after && !r.Undone // both: some lines only; neither: none that is known
		}
	}

	return out
}

// settleBack notes which reverts in a file are not in effect by its text, before the user decides on that.
func (c *Changes) settleBack(path string) {
	for r, effect := range c.effects() {
		if r.At() == path && r.Before.Path == r.After.Path && !effect && !r.Undone {
			r.Undone, r.Final = true, true
		}
	}
}
