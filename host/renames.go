package host

import "github.com/nvim-acp/nvim-acp/host/rewind"

// maxRenames is how many files that have appeared are compared with those that are gone.
const maxRenames = 100

// renames returns the indexes of files that a turn has created, with those of the files that they were before: of those that are
// gone, the one that has the most lines of it, at least half of them.
func renames(list []rewind.Change, pairs []pair) map[int]int {
	var gone, come []int
	for i, p := range pairs {
		switch {
		case !p.before.Text() || !p.after.Text() || max(len(p.before.Data), len(p.after.Data)) > maxReviewedBytes:
		case p.after.Missing && len(p.before.Data) > 0:
			gone = append(gone, i)
		case p.before.Missing && len(p.after.Data) > 0 && list[i].Program:
			come = append(come, i)
		}
	}
	moved := map[int]int{}
	if len(gone) > maxRenames || len(come) > maxRenames {
		return moved
	}
	lines := lineCounts{}
	takeSame(moved, gone, come, pairs)
	for _, to := range come {
		if _, same := moved[to]; same {
			continue
		}
		best, most := -1, 0
		for n, from := range gone {
			if from < 0 {
				continue
			}
			before, after := pairs[from].before, pairs[to].after
			now, then := lines.of(after), lines.of(before)
			if bound := now.common(then); bound <= most || 2*bound < max(now.total, then.total) {
				continue // no need to compare them
			}
			added, removed := rewind.Count(before, after)
			if same := now.total - added; same > most && 2*same >= now.total && 2*same >= same+removed {
				best, most = n, same
			}
		}
		if best >= 0 {
			moved[to] = gone[best]
			gone[best] = -1
		}
	}
	return moved
}

// takeSame finds the files that are as they were, and takes them out of those that are gone.
func takeSame(moved map[int]int, gone, come []int, pairs []pair) {
	byText := map[string][]int{} // indexes of gone
	for n, from := range gone {
		text := string(pairs[from].before.Data)
		byText[text] = append(byText[text], n)
	}
	for _, to := range come {
		text := string(pairs[to].after.Data)
		if list := byText[text]; len(list) > 0 {
			moved[to] = gone[list[0]]
			gone[list[0]], byText[text] = -1, list[1:]
		}
	}
}

// lineCount is how often each line is in a text.
type lineCount struct {
	total int
	of    map[string]int
}

// lineCounts are those of texts, by the address of their bytes.
type lineCounts map[*byte]lineCount

func (c lineCounts) of(content rewind.Content) lineCount {
	key := &content.Data[0]
	if known, ok := c[key]; ok {
		return known
	}
	count := lineCount{of: map[string]int{}}
	for _, line := range textOf(content).Lines {
		count.total++
		count.of[line]++
	}
	c[key] = count
	return count
}

// common returns how many lines two texts have in common, in any order: at most so many stay between the two.
func (c lineCount) common(other lineCount) (n int) {
	for line, count := range c.of {
		n += min(count, other.of[line])
	}
	return n
}
