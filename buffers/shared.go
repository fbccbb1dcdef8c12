package buffers

// aroundShared merges two versions of base that have changes in common: where they differ, one of them has lines of the base, and the
// result has what the other made of them. It reports false if they cannot be merged so.
func aroundShared(base, ours, theirs []string) (merged []string, ok bool) {
	fromBase := [2][]Edit{hunks(base, ours), hunks(base, theirs)}
	var picked []Edit           // from ours to the result
	done, end, shift := 0, 0, 0 // of base and of ours; theirs is ahead of ours by shift
	for _, e := range hunks(ours, theirs) {
		at := e.Start + shift
		a, kept := unchanged(fromBase[0], e.Start, e.End)
		b, theyKept := unchanged(fromBase[1], at, at+len(e.Lines))
		switch {
		case theyKept && (!kept || a.lo == a.hi):
			a = b
		case kept && (!theyKept || b.lo == b.hi):
			picked = append(picked, e)
		default:
			return nil, false
		}

		if shared := e.Start - end; a.lo < done || shared < a.lo-done {
			return nil, false
		}
		done, end = a.hi, e.End
		shift += len(e.Lines) - (e.End - e.Start)
	}

	if shared := len(ours) - end; shared < len(base)-done {
		return nil, false
	}
	return Apply(ours, picked), true
}

// unchanged returns which lines of the base the lines from to to of the edited text are. It reports false if some of them are not, or were
// not in a row.
func unchanged(edits []Edit, from, to int) (e extent, ok bool) {
	shift := 0 // the edited text is ahead of the base by this
	for _, h := range edits {
		start, end := h.Start+shift, h.Start+shift+len(h.Lines)
		if to <= start {
			break
		}
		if from < end {
			return extent{}, false
		}
		shift = end - h.End
	}
	return extent{from - shift, to - shift}, true
}
