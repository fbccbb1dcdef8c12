package buffers

import "slices"

// Merged is the outcome of a three-way merge.
type Merged struct {
	Lines     []string
	Conflicts []Conflict // where in Lines both sides are kept, older conflicts included

	// Edits turn ours into Lines, as [Edits] do. The user's side of a new conflict is what the user had there: never are its
	// lines taken for equal ones of the agent's side, to which the cursor of a user who types there would go.
	Edits []Edit
}

// Merge merges two versions of base: ours is the buffer's text, theirs the agent's.
// A line that one side changed is as that side has it, and a change on both sides is applied once. Changes of the same lines
// are a conflict: both sides are kept between marker lines, reduced to the differing lines. The rules for less obvious cases:
//
//   - Changes of neighbouring lines are independent, unless both bring more lines than they take: then each may have
//     inserted at the border, the order is anyone's guess, and they conflict. So do two different insertions at one place.
//   - Lines that a side has inserted among equal ones, or has taken from these, are the last ones that they can be, as in diff3 and Git.
//   - Deletions that overlap are all made.
//   - If one side of an overlap begins and ends as the other and has nothing besides, and that common part stands for at
//     least as many lines as the base had, the longer side is taken: it is the same change, got further.
//   - What both sides have changed identically is no conflict, also beside lines that only one of them has changed. The common part
//     stands for at least as many lines as the base had there: else one may have removed what the other has changed.
//   - A conflict that is still marked in a text is never entered, nor nested: if the other side touches it, the new
//     conflict has the user's side of the old one against the agent's new text, with what each has written into the side of
//     the other; else it stays.
func Merge(base, ours, theirs []string) Merged {
	m := merger{base: base, sides: changes(base, ours, theirs)}
	m.blocks = slices.Concat(markedIn(base, nil), markedIn(ours, m.sides[0]), markedIn(theirs, m.sides[1]))
	out := m.run()
	return Merged{Lines: out, Conflicts: Conflicts(out), Edits: joinEdits(ours, m.script.edits, maxEdits)}
}

// MergeTheirs is [Merge] where changes of the same lines are no conflict: they are as theirs has them.
func MergeTheirs(base, ours, theirs []string) []string {
	m := merger{base: base, sides: changes(base, ours, theirs), theirsWin: true}
	return m.run()
}

// changes returns the hunks of both sides.
func changes(base, ours, theirs []string) [2][]Edit {
	n := numbers{text: base}
	a, b := n.hunks(ours), n.hunks(theirs)
	return [2][]Edit{slide(base, a, b), slide(base, b, a)}
}

// extent is a range of lines of the base.
type extent struct{ lo, hi int }

// merger walks the changes of both sides in the order of the base.
type merger struct {
	base   []string
	sides  [2][]Edit // the hunks of ours and of theirs
	next   [2]int    // the first hunk of each side that is not in the result yet
	blocks []extent  // marked conflicts, as lines of the base; a change at one takes it in whole
	script script    // from ours to the result

	theirsWin bool // nothing is a conflict
}

// region is a part of the base that is merged as one, with the hunks of each side in it.
type region struct {
	extent
	from, to [2]int
}

func (m *merger) run() []string {
	out := make([]string, 0, len(m.base)+growth(m.sides[0])+growth(m.sides[1]))
	at := 0
	for {
		r, ok := m.region(at)
		if !ok {
			return append(out, m.base[at:]...)
		}
		out = append(out, m.base[at:r.lo]...)
		m.script.keep(r.lo - at)
		out = append(out, m.resolve(r)...)
		at = r.hi
	}
}

// region takes the next hunk and everything that cannot be merged apart from it. done is where the region before ended.
func (m *merger) region(done int) (region, bool) {
	s, ok := m.first()
	if !ok {
		return region{}, false
	}
	h := m.sides[s][m.next[s]]
	r := region{extent: extent{h.Start, h.End}, from: m.next, to: m.next}
	m.add(&r, s, done)
	for m.join(&r, done) {
	}
	m.next = r.to
	return r, true
}

// first is the side with the next hunk, ours if both begin at the same line; an insertion goes before a change of the line
// that it was inserted above.
func (m *merger) first() (side int, ok bool) {
	left := [2]bool{m.next[0] < len(m.sides[0]), m.next[1] < len(m.sides[1])}
	if !left[0] || !left[1] {
		return btoi(left[1]), left[0] || left[1]
	}
	a, b := m.sides[0][m.next[0]], m.sides[1][m.next[1]]
	return btoi(b.Start < a.Start || b.Start == a.Start && b.End < a.End), true
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// add takes the next hunk of a side into r, and whole every marked conflict that r then reaches into.
func (m *merger) add(r *region, s, done int) {
	h := m.sides[s][r.to[s]]
	r.to[s]++
	r.hi = max(r.hi, h.End)
	for grown := true; grown; {
		grown = false
		for _, b := range m.blocks {
			inside := b.lo < r.hi && r.lo < b.hi
			atEdge := h.Start == h.End && b.lo <= h.Start && h.Start <= b.hi
			if (inside || atEdge) && (b.lo < r.lo && r.lo > done || b.hi > r.hi) {
				r.lo, r.hi = max(min(r.lo, b.lo), done), max(r.hi, b.hi)
				grown = true
			}
		}
	}
}

// join takes the next hunk of either side into r if it overlaps it or clashes with the other side's last hunk in it.
func (m *merger) join(r *region, done int) bool {
	for s := range m.sides {
		if r.to[s] == len(m.sides[s]) {
			continue
		}
		h := m.sides[s][r.to[s]]
		if h.Start < r.hi || h.Start == r.hi && (m.closes(r, h) || m.clash(r, s, h)) {
			m.add(r, s, done)
			return true
		}
	}
	return false
}

// closes reports whether h inserts right below a marked conflict in r: the end marker, or what may be part of it.
func (m *merger) closes(r *region, h Edit) bool {
	return h.Start == h.End && slices.ContainsFunc(m.blocks, func(b extent) bool { return b.lo >= r.lo && b.hi == h.Start })
}

// clash reports whether h, which begins where r ends, and the last hunk of the other side both insert at that border.
func (m *merger) clash(r *region, s int, h Edit) bool {
	o := 1 - s
	if r.from[o] == r.to[o] {
		return false
	}
	last := m.sides[o][r.to[o]-1]
	return last.End == r.hi && last.grows() && h.grows()
}

// resolve returns the merged text of r, and adds to the script.
func (m *merger) resolve(r region) []string {
	ours, theirs := m.text(r, 0), m.text(r, 1)
	switch {
	case r.from[1] == r.to[1] || slices.Equal(ours, theirs):
		m.script.keep(len(ours))
		return ours
	case r.from[0] == r.to[0]:
		return m.script.change(ours, theirs)
	case m.deletes(r, 0) && m.deletes(r, 1):
		return m.script.change(ours, m.both(r))
	case m.theirsWin:
		return m.reconcile(r, r.hi-r.lo, ours, ours, theirs)
	}

	base := m.base[r.lo:r.hi]
	yours, agents := unmarkBoth(base, ours, theirs)
	return m.reconcile(r, len(Unmark(base)), ours, yours, agents)
}

// text returns a side's version of r.
func (m *merger) text(r region, s int) []string {
	part := slices.Clone(m.sides[s][r.from[s]:r.to[s]])
	for i := range part {
		part[i].Start -= r.lo
		part[i].End -= r.lo
	}
	return Apply(m.base[r.lo:r.hi], part)
}

// deletes reports whether a side only deleted lines in r.
func (m *merger) deletes(r region, s int) bool {
	return !slices.ContainsFunc(m.sides[s][r.from[s]:r.to[s]], func(e Edit) bool { return len(e.Lines) > 0 })
}

// both returns the text of r without the lines that either side deleted.
func (m *merger) both(r region) []string {
	var out []string
	for i := r.lo; i < r.hi; i++ {
		gone := func(e Edit) bool { return e.Start <= i && i < e.End }
		if !slices.ContainsFunc(m.sides[0][r.from[0]:r.to[0]], gone) &&
			!slices.ContainsFunc(m.sides[1][r.from[1]:r.to[1]], gone) {
			out = append(out, m.base[i])
		}
	}
	return out
}

// reconcile merges two versions of the n lines of the base in r, which the buffer has as was.
func (m *merger) reconcile(r region, n int, was, ours, theirs []string) []string {
	head, tail := commonEnds(ours, theirs)
	a, b := ours[head:len(ours)-tail], theirs[head:len(theirs)-tail]
	if len(a) == 0 && head+tail >= n {
		return m.script.change(was, theirs)
	}
	if len(b) == 0 && head+tail >= n {
		return m.script.change(was, ours)
	}
	if !m.marked(r) {
		if merged, ok := aroundShared(m.base[r.lo:r.hi], ours, theirs); ok {
			return m.script.change(was, merged)
		}
	}
	if m.theirsWin {
		return m.script.change(was, theirs)
	}

	both := between(a, b)
	m.script.enclose(was, ours, head, len(a), both)
	return slices.Concat(ours[:head], both, ours[len(ours)-tail:])
}

// marked reports whether either side has a marked conflict in r.
func (m *merger) marked(r region) bool {
	return slices.ContainsFunc(m.blocks, func(b extent) bool { return b.lo <= r.hi && r.lo <= b.hi })
}

// markedIn returns the places in the base of the conflicts marked in lines; edits turn the base into lines.
func markedIn(lines []string, edits []Edit) []extent {
	var found []extent
	for _, c := range Conflicts(lines) {
		lo, _ := toBase(edits, c.Start)
		_, hi := toBase(edits, c.End-1)
		found = append(found, extent{lo, hi})
	}
	return found
}

// toBase maps a line of the edited text back to the lines of the base that it comes from.
func toBase(edits []Edit, line int) (lo, hi int) {
	shift := 0 // the edited text is ahead of the base by this
	for _, e := range edits {
		start := e.Start + shift
		if line < start {
			break
		}
		if line < start+len(e.Lines) {
			return e.Start, e.End
		}
		shift += len(e.Lines) - (e.End - e.Start)
	}
	return line - shift, line - shift + 1
}
