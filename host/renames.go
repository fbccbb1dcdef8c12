package host

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/rewind"
)

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
	blank := func(i int) bool { return len(bytes.TrimSpace(pairs[i].before.Data)) == 0 }
	moved := same{
		list: list, gone: gone, come: come, blank: blank,
		before: func(i int) string { return string(pairs[i].before.Data) },
		after:  func(i int) string { return string(pairs[i].after.Data) },
	}.find()
	gone = slices.DeleteFunc(gone, func(i int) bool { return blank(i) || taken(moved, i) })
	come = slices.DeleteFunc(come, func(i int) bool { _, same := moved[i]; return same })
	if len(gone) > maxRenames || len(come) > maxRenames {
		return moved
	}
	lines := lineCounts{}
	for _, to := range come {
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

// taken reports whether a file that is gone has been found.
func taken(moved map[int]int, from int) bool {
	for _, other := range moved {
		if other == from {
			return true
		}
	}
	return false
}

// same finds files that have come and are as others were that are gone.
type same struct {
	list          []rewind.Change
	gone, come    []int
	before, after func(int) string // what tells texts apart
	blank         func(int) bool   // the text says nothing: only the name does
}

// find returns the indexes of those that have come, with those that they were: if there are several, the one with the most alike path.
func (s same) find() map[int]int {
	moved := map[int]int{}
	byText := map[string][]int{} // of gone
	for _, from := range s.gone {
		byText[s.before(from)] = append(byText[s.before(from)], from)
	}
	for _, named := range []bool{true, false} { // those that keep their names first
		for _, to := range s.come {
			if _, known := moved[to]; known {
				continue
			}
			text := s.after(to)
			best, most := -1, -1
			for n, from := range byText[text] {
				alike := alikeNames(s.list[from].Path, s.list[to].Path)
				if alike > most && (alike > 0 || !named && !s.blank(from)) {
					best, most = n, alike
				}
			}
			if best >= 0 {
				moved[to] = byText[text][best]
				byText[text] = slices.Delete(byText[text], best, best+1)
			}
		}
	}
	return moved
}

// alikeNames returns how many names at the ends of two paths are the same.
func alikeNames(a, b string) (n int) {
	x, y := strings.Split(a, string(filepath.Separator)), strings.Split(b, string(filepath.Separator))
	for n < min(len(x), len(y)) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n
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
