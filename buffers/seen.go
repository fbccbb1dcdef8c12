package buffers

import "slices"

// Seen returns an agent's version of a text after it has read count lines from line first on (0-based): these lines are those
// of now, the others those of known, its previous version. Lines that it has not seen are not in it, so that a write without
// them does not delete them.
func Seen(known, now []string, first, count int) []string {
	last := min(first+count, len(now))
	var seen []Edit
	shift := 0 // now is ahead of known by this
	for _, e := range Edits(known, now) {
		from, to := e.Start+shift, e.Start+shift+len(e.Lines)
		shift += len(e.Lines) - (e.End - e.Start)
		inside := from < last && first < to || from == to && first <= from && from <= last
		if !inside {
			continue
		}
		from, to = max(from, first), min(to, last)
		seen = append(seen, Edit{Start: e.Start, End: e.End, Lines: slices.Clone(now[from:max(from, to)])})
	}

	return Apply(known, seen)
}
