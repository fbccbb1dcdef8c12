package review

import "github.com/nvim-acp/nvim-acp/buffers"

// replaced returns, by the id of the last line of each conflict whose agent's side is chosen, which lines the user has removed there.
// Where the disk does not have the conflict, the user's side is not saved, and it is the agent's that has replaced them.
func (f *File) replaced(chosen map[int]bool) map[int][]int {
	var text []int // indexes of the lines of the text
	for i, l := range f.lines {
		if l.gone == here {
			text = append(text, i)
		}
	}

	found := map[int][]int{}
	for _, c := range buffers.Conflicts(f.text()) {
		first, last := text[c.Start], text[c.End-1]
		id := f.lines[last].id
		if !chosen[id] {
			continue
		}
		for first > 0 && f.lines[first-1].gone != here {
			first--
		}
		for last < len(f.lines)-1 && f.lines[last+1].gone != here {
			last++
		}
		for _, l := range f.lines[first : last+1] {
			if l.gone == byUser && l.by == user {
				found[id] = append(found[id], l.id)
			}
		}
	}
	return found
}

// restore brings back what was replaced, where the conflict is not in the text any more.
func (f *File) restore(replaced map[int][]int) {
	back := map[int]bool{}
	for _, l := range f.lines {
		if l.gone != here {
			for _, id := range replaced[l.id] {
				back[id] = true
			}
		}
	}
	for i := range f.lines {
		if l := &f.lines[i]; back[l.id] && l.gone == byUser {
			l.gone = here
		}
	}
}
