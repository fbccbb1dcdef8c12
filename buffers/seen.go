package buffers

import "slices"

// Seen is what an agent knows of a text, of which it knew an older version and has now read count lines from line first on
// (0-based): in these lines the text as it is now, elsewhere as it knew it. Lines that it has not seen are not in it, so that
// an agent that leaves them out of what it writes does not take them away.
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
