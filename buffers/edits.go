package buffers

import "slices"

// maxEdits is how many hunks [Edits] returns at most: each costs a call in the editor (behaviour 208).
const maxEdits = 5000

// Edit replaces the lines Start to End (0-based, End excluded) of a text by Lines.
type Edit struct {
	Start, End int
	Lines      []string
}

// grows reports whether e brings more lines than it takes, so that it inserts at its edges.
func (e Edit) grows() bool { return len(e.Lines) > e.End-e.Start }

// Edits returns the hunks that turn a into b, in order, never overlapping nor touching each other. Positions count in
// a; the Lines are parts of b and must not be changed. The hunks are minimal where the texts differ little; over 5000 of
// them the closest neighbours are joined.
func Edits(a, b []string) []Edit {
	return joinEdits(a, hunks(a, b), maxEdits)
}

// Apply returns a with edits made, which must be in order and not overlap. It leaves a as it is.
func Apply(a []string, edits []Edit) []string {
	out := make([]string, 0, len(a)+growth(edits))
	at := 0
	for _, e := range edits {
		out = append(out, a[at:e.Start]...)
		out = append(out, e.Lines...)
		at = e.End
	}
	return append(out, a[at:]...)
}

// growth is by how many lines edits lengthen a text, 0 if they shorten it.
func growth(edits []Edit) int {
	n := 0
	for _, e := range edits {
		n += len(e.Lines) - (e.End - e.Start)
	}
	return max(n, 0)
}

// hunks is Edits without the bound on their number.
func hunks(a, b []string) []Edit {
	n := numbers{text: a}
	return n.hunks(b)
}

// hunks returns those that turn the numbered text into b.
func (n *numbers) hunks(b []string) []Edit {
	a := n.text
	head, tail := commonEnds(a, b)
	d := differ{}
	i, j := d.peel(a[:len(a)-tail], b[:len(b)-tail], head)
	if x, y := a[i:len(a)-tail], b[j:len(b)-tail]; len(x) == 0 || len(y) == 0 {
		d.add(gap{i, i + len(x), j, j + len(y)})
	} else {
		from := i
		if n.ids == nil && len(x) < len(a)/2 { // not worth numbering all of it
			n, from = &numbers{text: x}, 0
		}
		nx, ny := n.of(from, from+len(x), y)
		d.lines = make([]place, len(n.ids)+1)
		d.diff(nx, ny, i, j, 0)
	}

	edits := make([]Edit, len(d.gaps))
	for i, g := range d.gaps {
		edits[i] = Edit{g.a0, g.a1, b[g.b0:g.b1:g.b1]}
	}
	return edits
}

const (
	maxPeeled = 40 // lines that are looked for one by one, before all are numbered
	maxRun    = 6  // of them with no equal lines between
)

// peel takes the differences at the beginning of a and b that are plain, and returns where the rest begins: from head on, lines
// that the other side does not have, and the equal ones behind them. So a text in which some lines have changed is
// compared about as fast as it can be read. Some shortest list of differences has all of these.
func (d *differ) peel(a, b []string, head int) (i, j int) {
	i, j = head, head
	for peeled, run := 0, 0; peeled < maxPeeled && run < maxRun && i < len(a) && j < len(b); peeled++ {
		switch {
		case !slices.Contains(b[j:], a[i]):
			d.add(gap{i, i + 1, j, j})
			i++
		case !slices.Contains(a[i:], b[j]):
			d.add(gap{i, i, j, j + 1})
			j++
		default:
			return i, j
		}

		run++
		for i < len(a) && j < len(b) && a[i] == b[j] {
			i, j, run = i+1, j+1, 0
		}
	}

	return i, j
}

// commonEnds counts the lines that a and b share at their beginning and, not counting those, at their end.
func commonEnds[T comparable](a, b []T) (head, tail int) {
	n := min(len(a), len(b))
	for head < n && a[head] == b[head] {
		head++
	}
	for tail < n-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return head, tail
}

// numbers gives each distinct line of a text a number, and lines that are not in it one of their own, so that comparing two is
// comparing numbers. Those of a text that is compared with several are found once.
type numbers struct {
	text  []string
	ids   map[string]int
	lines []int // of text
	first []int // by number, where text has the line first
}

// of returns the numbers of the lines i to j of the text, and those of another one.
func (n *numbers) of(i, j int, other []string) (x, y []int) {
	if n.ids == nil {
		n.ids, n.lines = make(map[string]int, len(n.text)), make([]int, len(n.text))
		for at, l := range n.text {
			id, ok := n.ids[l]
			if !ok {
				id = len(n.ids)
				n.ids[l] = id
				n.first = append(n.first, at)
			}
			n.lines[at] = id
		}
	}

	y = make([]int, len(other))
	next := i // the line of the text that most likely comes next
	for k, l := range other {
		if next < j && n.text[next] == l {
			y[k] = n.lines[next]
			next++
			continue
		}

		id, ok := n.ids[l]
		if !ok {
			id = len(n.ids)
		}
		y[k] = id
		if next++; ok {
			next = n.first[id] + 1
		}
	}

	return n.lines[i:j], y
}

// joinEdits joins neighbours, the closest first and two at a time, until at most limit are left. The lines between two
// joined hunks are then written again as they are.
func joinEdits(a []string, edits []Edit, limit int) []Edit {
	for near := 1; len(edits) > limit; near *= 2 {
		for {
			before := len(edits)
			edits = joinPairs(a, edits, near, before-limit)
			if len(edits) <= limit || len(edits) == before {
				break
			}
		}
	}
	return edits
}

// joinPairs joins up to most pairs of neighbours that are at most near lines apart.
func joinPairs(a []string, edits []Edit, near, most int) []Edit {
	var joined []Edit
	for len(edits) > 0 {
		e := edits[0]
		edits = edits[1:]
		if most > 0 && len(edits) > 0 && edits[0].Start-e.End <= near {
			e.Lines = slices.Concat(e.Lines, a[e.End:edits[0].Start], edits[0].Lines)
			e.End = edits[0].End
			edits = edits[1:]
			most--
		}
		joined = append(joined, e)
	}

	return joined
}
