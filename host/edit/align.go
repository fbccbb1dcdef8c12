package edit

// aligner finds how much of a base an unfinished answer is about, a line at a time.
type aligner struct {
	base []string
	row  []int // by the length of a beginning of the base, how much the answer so far differs from that
	read int   // lines of the answer
}

func newAligner(base []string) *aligner {
	a := &aligner{base: base, row: make([]int, len(base)+1)}
	for i := range a.row {
		a.row[i] = i * missing
	}
	return a
}

// How much a line counts that only one of both has: lines are rather replaced than added.
const (
	fresh   = 2 // the answer
	missing = 1 // the base
)

// upto returns the length of the beginning of the base that differs least from the lines, which go on from those of the last
// call; the longest of several.
func (a *aligner) upto(lines []string) int {
	for ; a.read < len(lines); a.read++ {
		line := lines[a.read]
		diagonal := a.row[0]
		a.row[0] += fresh
		for i, old := range a.base {
			cost := min(a.row[i]+missing, a.row[i+1]+fresh)
			if old == line {
				cost = min(cost, diagonal)
			}
			diagonal, a.row[i+1] = a.row[i+1], cost
		}
	}

	best := 0
	for i, cost := range a.row {
		if cost <= a.row[best] {
			best = i
		}
	}

	return best
}
