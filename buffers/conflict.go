package buffers

import (
	"slices"
	"strings"
)

// The lines around the two sides of a conflict begin with as many characters of the same kind: seven, or more than any line
// within has that could be taken for one of them (a heading in Markdown is underlined with =).
const (
	markLength = 7
	markYours  = " yours"
	markAgent  = " agent"
)

// mark returns a marker line of n characters and a word.
func mark(char string, n int, word string) string { return strings.Repeat(char, n) + word }

// markerLen returns how many characters a line begins with, if it is a marker of that kind, else 0.
func markerLen(line, char, word string) int {
	run, ok := strings.CutSuffix(line, word)
	if !ok || len(run) < markLength || strings.Trim(run, char) != "" {
		return 0
	}
	return len(run)
}

// IsMarker reports whether a line looks like one of the markers around the sides of a conflict.
func IsMarker(line string) bool {
	return markerLen(line, "<", markYours)+markerLen(line, "=", "")+markerLen(line, ">", markAgent) > 0
}

// Conflict is the place of both sides in a merged text: lines[Start] is the marker above the user's side,
// lines[Split] the one between the sides, and lines[End-1] the one below the agent's.
type Conflict struct{ Start, Split, End int }

// Conflicts finds the conflicts that are marked in lines. Markers that do not form a whole conflict are text. Of several lines
// that may separate the sides the last one does, since the user has typed the others.
func Conflicts(lines []string) []Conflict {
	var found []Conflict
	none := Conflict{Start: -1, Split: -1}
	c, n := none, 0
	for i, l := range lines {
		if n == 0 && (l == "" || l[0] != '<') {
			continue // most lines
		}
		if yours := markerLen(l, "<", markYours); yours >= max(n, 1) {
			c, n = Conflict{Start: i, Split: -1}, yours
		}
		if n == 0 {
			continue
		}
		switch {
		case markerLen(l, "=", "") == n:
			c.Split = i
		case markerLen(l, ">", markAgent) == n && c.Split >= 0:
			c.End = i + 1
			found = append(found, c)
			c, n = none, 0
		}
	}

	return found
}

// between returns the lines of a conflict with these sides.
func between(ours, theirs []string) []string {
	n := markLength
	for _, l := range slices.Concat(ours, theirs) {
		n = max(n, markerLen(l, "<", markYours)+1, markerLen(l, "=", "")+1, markerLen(l, ">", markAgent)+1)
	}
	return slices.Concat([]string{mark("<", n, markYours)}, ours, []string{mark("=", n, "")}, theirs, []string{mark(">", n, markAgent)})
}

// Unmark returns lines with each conflict replaced by the user's side.
// [Merge] does this by itself where it has to.
func Unmark(lines []string) []string {
	return side(lines, func(c Conflict) []string { return lines[c.Start+1 : c.Split] })
}

// unmarkBoth returns the two sides of a region without conflicts that are marked in them: of ours the user's side of each,
// of theirs the agent's. What one has written into the side of the other goes to its own: all that is left out is also on the
// other side, or was in the base and the other has taken it away.
func unmarkBoth(base, ours, theirs []string) (yours, agents []string) {
	agents = side(theirs, func(c Conflict) []string { return theirs[c.Split+1 : c.End-1] })
	yours = side(ours, func(c Conflict) []string {
		return slices.Concat(ours[c.Start+1:c.Split], unsaid(ours[c.Split+1:c.End-1], base, theirs, agents))
	})
	agents = side(theirs, func(c Conflict) []string {
		return slices.Concat(unsaid(theirs[c.Start+1:c.Split], base, ours, yours), theirs[c.Split+1:c.End-1])
	})
	return yours, agents
}

// unsaid returns the lines that the other side does not have as kept, and has not taken away.
func unsaid(lines, base, other, kept []string) []string {
	var out []string
	for _, l := range lines {
		taken := slices.Contains(base, l) && !slices.Contains(other, l)
		if !taken && !slices.Contains(kept, l) {
			out = append(out, l)
		}
	}
	return out
}

// side replaces each conflict in lines by the lines that pick chooses of it.
func side(lines []string, pick func(Conflict) []string) []string {
	conflicts := Conflicts(lines)
	if len(conflicts) == 0 {
		return lines
	}
	edits := make([]Edit, len(conflicts))
	for i, c := range conflicts {
		edits[i] = Edit{c.Start, c.End, pick(c)}
	}
	return Apply(lines, edits)
}
