package review

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// leaving returns the lines that edits take from their places, as far as that is sure.
func (f *File) leaving(edits []buffers.Edit) map[int]bool {
	out := map[int]bool{}
	i, row := 0, 0
	for _, e := range edits {
		comes := map[string]bool{}
		for _, text := range e.Lines {
			comes[text] = true
		}

		for ; row < e.End; i++ {
			l := f.lines[i]
			if l.gone != here {
				continue
			}
			if row >= e.Start && l.by != user && !comes[l.text] {
				out[l.id] = true
			}
			row++
		}
	}

	return out
}

// weaver replaces the lines of a region that are there by others.
type weaver struct {
	file     *File
	by       Turn
	from     source       // only where by is the user
	region   []line       // between two lines that stay
	moved    map[int]bool // lines that have come back at another place
	stays    map[int]bool // lines that are in the text by what was done so far
	leaves   map[int]bool // lines that leave their place
	index    *map[string][]int
	restored bool // the user has brought lines of the agent back
}

// weave returns the region with the new lines. Lines that come back are the lines that they were.
func (w *weaver) weave(lines []string) []line {
	back := w.matchRestored(lines)
	for i, l := range w.region {
		if back[i] >= 0 {
			w.stays[l.id] = true
		} else {
			w.leaves[l.id] = true
		}
	}

	var out []line
	from, done := 0, 0
	for i := range w.region {
		at := back[i]
		if at < 0 {
			continue
		}
		out = append(out, w.fillGap(w.region[from:i], lines[done:at])...)
		out = append(out, w.back(w.region[i], lines[at]))
		from, done = i+1, at+1
	}

	return append(out, w.fillGap(w.region[from:], lines[done:])...)
}

// matchRestored returns for each line of the region the new line that it is, -1 for none. A turn brings back only what it, another
// turn or another session has removed: where it writes again what the user has refused, that is a new change.
func (w *weaver) matchRestored(lines []string) []int {
	var places []int
	var texts []string
	for i, l := range w.region {
		if w.moved[l.id] {
			continue // it has come back at another place
		}
		if w.by == user || l.gone == here || l.gone > 0 || l.gone == byOther {
			places = append(places, i)
			texts = append(texts, w.textOf(l, lines))
		}
	}

	back := make([]int, len(w.region))
	for i := range back {
		back[i] = -1
	}

	at, to := 0, 0
	match := func(end int) {
		for ; at < end; at, to = at+1, to+1 {
			back[places[at]] = to
		}
	}
	for _, e := range buffers.Edits(texts, lines) {
		match(e.Start)
		at, to = e.End, to+len(e.Lines)
	}

	match(len(texts))

	if w.by == user {
		w.forgetChance(back)
	}

	return back
}

// forgetChance takes back matches with lines of the agent that mean nothing: a blank line or a bracket that the user has typed. A decision
// on what another session has done brings back what that has removed.
func (w *weaver) forgetChance(back []int) {
	for i := 0; i < len(back); {
		j, meant := i, false
		for ; j < len(back) && back[j] >= 0 && w.region[j].by != user && w.region[j].gone != here; j++ {
			meant = meant || significant(w.region[j].text) || w.from == byDecision && w.region[j].gone == byOther
		}
		if !meant {
			for k := i; k < j; k++ {
				back[k] = -1
			}
		} else {
			w.restored = w.from == byHand
		}
		i = max(j, i+1)
	}
}

// textOf returns the text by which a line of the region may come back: where the user goes back to before they had edited a line
// of the agent, that is the agent's.
func (w *weaver) textOf(l line, lines []string) string {
	if w.by == user && l.ours && l.gone != here && !slices.Contains(lines, l.text) {
		return l.own
	}
	return l.text
}

// back returns a line of the region that is, or is again, in the text.
func (w *weaver) back(l line, text string) line {
	if l.text != text {
		l = l.edited(text)
	}
	if l.gone > 0 && w.by == user {
		l.was, l.lent = Turn(l.gone), w.from == byAgent
	}
	l.gone = here
	return l
}

// fillGap returns lines of the region, of which none is in the text any more, and among them the new lines. These come where
// lines were removed, else before all that are gone: in every session's view of the file the order is the same.
func (w *weaver) fillGap(region []line, lines []string) []line {
	at := 0
	for i, l := range region {
		if l.gone == here {
			at = i + 1
		}
	}

	made := w.matchEdited(region, lines)

	var out []line
	done := 0
	add := func(to int) {
		for ; done < to; done++ {
			out = append(out, w.new(lines[done]))
		}
	}
	for i, l := range region {
		if i == at {
			add(len(lines))
		}
		if k := made[i]; k >= 0 {
			add(k)
			done++
			if w.by == user && w.from == byHand && l.by != user && similar(l.text, lines[k]) {
				w.stays[l.id] = true
				out = append(out, l.edited(lines[k]))
			} else {
				out = append(out, w.removed(l), w.new(lines[k]))
			}
			continue
		}
		if w.by != user && l.gone < here && l.by != user && slices.Contains(lines, l.text) {
			continue // it was taken back, and is a new change now
		}

		out = append(out, w.removed(l))
	}

	add(len(lines))
	return out
}

// new returns a line that is new at its place, which holds nothing else of the text that it came with. A line of the agent that the user
// moves stays the agent's.
func (w *weaver) new(text string) line {
	l := w.file.line(strings.Clone(text), w.by)
	if w.by != user || !significant(text) {
		return l
	}
	for _, i := range w.lost()[text] {
		old := w.file.lines[i]
		if w.moved[old.id] || w.stays[old.id] || old.gone == here && !w.leaves[old.id] {
			continue
		}
		w.moved[old.id] = true
		l.by, l.own, l.ours = old.by, old.own, old.ours
		w.restored = w.from == byHand
		return l
	}

	removed := func(old line) bool {
		return old.gone > here && old.text == text && !w.moved[old.id] && !w.stays[old.id]
	}
	if i := slices.IndexFunc(w.region, removed); i >= 0 {
		w.moved[w.region[i].id] = true
	}

	return l
}

// lost returns the places of the agent's lines in the file as it was, by their texts.
func (w *weaver) lost() map[string][]int {
	if *w.index == nil {
		*w.index = map[string][]int{}
		for i, l := range w.file.lines {
			if l.by != user && significant(l.text) {
				(*w.index)[l.text] = append((*w.index)[l.text], i)
			}
		}
	}
	return *w.index
}

// significant reports whether a line has enough text that another one with the same is not so by chance.
func significant(text string) bool { return len(strings.TrimSpace(text)) >= 4 }

// edited returns a line of the agent as the user has edited it.
func (l line) edited(text string) line {
	if !l.ours {
		l.own, l.ours = l.text, true
	}
	l.text = strings.Clone(text) // see [weaver.new]
	if l.text == l.own {
		l.own, l.ours = "", false
	}
	return l
}

// removed returns a line of the region as one that is not in the text any more.
func (w *weaver) removed(l line) line {
	switch {
	case l.gone != here:
	case w.by != user:
		l.gone, l.was, l.lent = gone(w.by), 0, false
	case l.was != 0 && (w.restored || w.from == byDecision && l.lent): // the user goes back to what the agent has made
		l.gone, l.was, l.lent = gone(l.was), 0, false
	case w.from != byHand:
		l.gone = byOther
	default:
		l.gone = byUser
	}
	return l
}

// How many pairs of lines are compared to find those that the user has edited: of a few lines each with each, of more those that
// have the same place. Nobody edits more lines than that by hand.
const (
	maxPairs = 400
	maxMade  = 2000
)

// matchEdited returns for each line of a region the new line that was made of it and comes in its place, -1 for none: similar lines in
// their order, or without any all of them, if they are as many.
func (w *weaver) matchEdited(region []line, lines []string) []int {
	made := make([]int, len(region))
	var removed []int
	for i, l := range region {
		made[i] = -1
		if l.gone == here && !w.moved[l.id] {
			removed = append(removed, i)
		}
	}

	alike := false
	few := len(removed)*len(lines) <= maxPairs
	if !few && (len(removed) != len(lines) || len(lines) > maxMade) {
		return made
	}

	next := 0
	for n, i := range removed {
		from, to := next, len(lines)
		if !few {
			from, to = n, n+1
		}
		for k := from; k < to; k++ {
			if similar(region[i].text, lines[k]) {
				made[i], next, alike = k, k+1, true
				break
			}
		}
	}

	if !alike && len(removed) == len(lines) { // one by one, as far as the order goes
		for k, i := range removed {
			made[i] = k
		}
	}

	return made
}
