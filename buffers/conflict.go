package buffers

// The lines around the two sides of a conflict.
const (
	markYours = "<<<<<<< yours"
	markSplit = "======="
	markAgent = ">>>>>>> agent"
)

// Conflict is where both sides are kept in a merged text: lines[Start] is the marker above the user's side,
// lines[Split] the one between the sides, and lines[End-1] the one below the agent's.
type Conflict struct{ Start, Split, End int }

// Conflicts finds the conflicts that are marked in lines. Markers that do not make a whole conflict are text.
func Conflicts(lines []string) []Conflict {
	var found []Conflict
	c := Conflict{Start: -1, Split: -1}
	for i, l := range lines {
		switch {
		case l == markYours:
			c = Conflict{Start: i, Split: -1}
		case l == markSplit && c.Start >= 0 && c.Split < 0:
			c.Split = i
		case l == markAgent && c.Split >= 0:
			c.End = i + 1
			found = append(found, c)
			c = Conflict{Start: -1, Split: -1}
		}
	}
	return found
}

// Unmark returns lines with the user's side of each conflict in its place: the markers and the agent's side are gone.
// [Merge] does this by itself where it has to.
func Unmark(lines []string) []string {
	return side(lines, func(c Conflict) (int, int) { return c.Start + 1, c.Split })
}

// unmarkAgent is Unmark for the agent's side.
func unmarkAgent(lines []string) []string {
	return side(lines, func(c Conflict) (int, int) { return c.Split + 1, c.End - 1 })
}

// side replaces each conflict in lines by the lines that pick chooses of it.
func side(lines []string, pick func(Conflict) (int, int)) []string {
	conflicts := Conflicts(lines)
	if len(conflicts) == 0 {
		return lines
	}
	edits := make([]Edit, len(conflicts))
	for i, c := range conflicts {
		from, to := pick(c)
		edits[i] = Edit{c.Start, c.End, lines[from:to]}
	}
	return Apply(lines, edits)
}
