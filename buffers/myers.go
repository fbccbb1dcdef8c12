package buffers

import (
	"slices"
	"sort"
)

const (
	// quickCost is how many differences are looked for exactly before the text is cut at unique lines.
	quickCost = 200
	// maxCost is how many are looked for where no line is unique; a gap with more becomes one hunk.
	maxCost = 1000
	// maxDepth bounds the recursion of cutting.
	maxDepth = 24
)

// gap is a difference: the lines a0 to a1 of the old text are b0 to b1 of the new.
type gap struct{ a0, a1, b0, b1 int }

// differ collects the differences of two texts, given as numbered lines.
//
// It is Myers' greedy algorithm (shortest edit script) as long as the texts are close; where they are far apart they are
// first cut at lines that are unique in both, as patience diff does, which keeps a rewrite of 100 000 lines out of
// quadratic time. gaps are in order, and no two of them touch.
type differ struct {
	gaps  []gap
	lines []place // by number, of the round that it was used in last
	round int
}

// place says where and how often two texts have a line.
type place struct{ round, inX, inY, x, y int }

// diff appends the differences of x and y, which begin at line a and b of the whole texts.
func (d *differ) diff(x, y []int, a, b, depth int) {
	head, tail := commonEnds(x, y)
	x, y, a, b = x[head:len(x)-tail], y[head:len(y)-tail], a+head, b+head
	if len(x) == 0 || len(y) == 0 {
		d.add(gap{a, a + len(x), b, b + len(y)})
		return
	}
	if d.exact(x, y, a, b, quickCost) {
		return
	}
	if cuts := d.anchors(x, y); len(cuts) > 0 && depth < maxDepth {
		d.between(x, y, a, b, cuts, depth)
		return
	}
	if !d.exact(x, y, a, b, maxCost) {
		d.add(gap{a, a + len(x), b, b + len(y)})
	}
}

// between takes the differences before, between and after lines that are known to match.
func (d *differ) between(x, y []int, a, b int, cuts []match, depth int) {
	i, j := 0, 0
	for _, c := range cuts {
		d.diff(x[i:c.x], y[j:c.y], a+i, b+j, depth+1)
		i, j = c.x+1, c.y+1
	}
	d.diff(x[i:], y[j:], a+i, b+j, depth+1)
}

// add appends g, joined with the gap before if they touch.
func (d *differ) add(g gap) {
	if g.a0 == g.a1 && g.b0 == g.b1 {
		return
	}
	if n := len(d.gaps); n > 0 && d.gaps[n-1].a1 == g.a0 && d.gaps[n-1].b1 == g.b0 {
		d.gaps[n-1].a1, d.gaps[n-1].b1 = g.a1, g.b1
		return
	}
	d.gaps = append(d.gaps, g)
}

// exact appends the shortest list of differences of x and y, or nothing and false if it is longer than limit.
//
// Lines that the other side does not have are left out of the search, so that only the order of shared lines costs.
func (d *differ) exact(x, y []int, a, b, limit int) bool {
	xs, ys := d.shared(x, y), d.shared(y, x)
	pairs, ok := shortest(x, y, xs, ys, limit)
	if !ok {
		return false
	}
	i, j := 0, 0
	for _, p := range pairs {
		d.add(gap{a + i, a + p.x, b + j, b + p.y})
		i, j = p.x+1, p.y+1
	}
	d.add(gap{a + i, a + len(x), b + j, b + len(y)})
	return true
}

// shared lists the places in x of the lines that y has as well.
func (d *differ) shared(x, y []int) []int {
	d.round++
	for _, v := range y {
		d.lines[v].round = d.round
	}
	at := make([]int, 0, len(x))
	for i, v := range x {
		if d.lines[v].round == d.round {
			at = append(at, i)
		}
	}
	return at
}

// match says that line x of the old text is line y of the new.
type match struct{ x, y int }

// shortest runs Myers' search over the places xs of x and ys of y and returns the matching lines in order.
func shortest(x, y, xs, ys []int, limit int) ([]match, bool) {
	n, m := len(xs), len(ys)
	var trace [][]int // trace[c] is the furthest place in xs on diagonals -c, -c+2 … c, after c differences
	for c := 0; c <= min(limit, n+m); c++ {
		row := make([]int, c+1)
		for k := 0; k <= c; k++ {
			i := reach(trace, c, k)
			j := i - (2*k - c)
			for i < n && j >= 0 && j < m && x[xs[i]] == y[ys[j]] {
				i, j = i+1, j+1
			}
			row[k] = i
			if i >= n && j >= m {
				return backtrack(append(trace, row), xs, ys), true
			}
		}

		trace = append(trace, row)
	}

	return nil, false
}

// reach is how far in xs difference c begins on the k-th diagonal: by an insertion from the diagonal above or a deletion
// from the one below.
func reach(trace [][]int, c, k int) int {
	if c == 0 {
		return 0
	}
	before := trace[c-1]
	if k == 0 || k < c && before[k] > before[k-1] {
		return before[k]
	}
	return before[k-1] + 1
}

// backtrack walks the trace from the end of both texts to their beginning and returns the lines it crossed as equal.
func backtrack(trace [][]int, xs, ys []int) []match {
	var pairs []match
	i, j := len(xs), len(ys)
	for c := len(trace) - 1; c >= 0; c-- {
		k := (i - j + c) / 2
		start := reach(trace, c, k)
		for i > start {
			i, j = i-1, j-1
			pairs = append(pairs, match{xs[i], ys[j]})
		}

		if c == 0 {
			break
		}
		if k == 0 || k < c && trace[c-1][k] > trace[c-1][k-1] {
			j--
		} else {
			i--
		}
	}

	slices.Reverse(pairs)
	return pairs
}

// anchors returns the longest rising list of lines that occur exactly once in x and once in y.
func (d *differ) anchors(x, y []int) []match {
	d.round++
	at := func(v int) *place {
		if d.lines[v].round != d.round {
			d.lines[v] = place{round: d.round}
		}
		return &d.lines[v]
	}
	for i, v := range x {
		p := at(v)
		p.inX, p.x = p.inX+1, i
	}
	for j, v := range y {
		p := at(v)
		p.inY, p.y = p.inY+1, j
	}

	var unique []match
	for i, v := range x {
		if p := d.lines[v]; p.inX == 1 && p.inY == 1 {
			unique = append(unique, match{i, p.y})
		}
	}

	return rising(unique)
}

// rising returns the longest part of pairs, which are in order of x, that is also in order of y.
func rising(pairs []match) []match {
	var ends []int // ends[n] is the pair with the smallest y that ends a list of n+1
	before := make([]int, len(pairs))
	for i, p := range pairs {
		n := sort.Search(len(ends), func(n int) bool { return pairs[ends[n]].y > p.y })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		}
		ends[n] = i
	}

	if len(ends) == 0 {
		return nil
	}

	out := make([]match, 0, len(ends))
	for i := ends[len(ends)-1]; i >= 0; i = before[i] {
		out = append(out, pairs[i])
	}

	slices.Reverse(out)
	return out
}
