package buffers

import "slices"

// slide returns the edits of one side of a merge, with those moved down that could as well be made further below and have a change of the
// other side on the way: an insertion of lines that begin as those that follow it, a deletion of lines that come again. Where they are
// made decides which of two equal parts the other side has changed; it is the last place, as in diff3 and Git.
func slide(base []string, edits, other []Edit) []Edit {
	var out []Edit
	next := 0 // the first edit of the other side that ends below the start of the edit
	for i, e := range edits {
		for next < len(other) && other[next].End <= e.Start {
			next++
		}
		if next == len(other) {
			break
		}

		limit := len(base)
		if i+1 < len(edits) {
			limit = edits[i+1].Start - 1 // they must not touch
		}
		by := sliding(base, e, limit)
		if by == 0 || other[next].Start >= e.End+by {
			continue
		}

		if out == nil {
			out = slices.Clone(edits)
		}
		out[i] = Edit{Start: e.Start + by, End: e.End + by}
		if n := len(e.Lines); n > 0 {
			out[i].Lines = slices.Concat(e.Lines[by%n:], e.Lines[:by%n])
		}
	}

	if out == nil {
		return edits
	}
	return out
}

// sliding returns by how many lines an edit can be made further down, with an end at limit at most, so that it makes the same text.
func sliding(base []string, e Edit, limit int) (by int) {
	switch {
	case e.Start == e.End:
		for e.End+by < limit && base[e.End+by] == e.Lines[by%len(e.Lines)] {
			by++
		}
	case len(e.Lines) == 0:
		for e.End+by < limit && base[e.End+by] == base[e.Start+by] {
			by++
		}
	}
	return by
}
