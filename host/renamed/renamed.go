// Package renamed finds which of the files that have appeared are which of those that are gone. It is pure.
package renamed

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/rewind"
)

// Of larger files the texts are not compared, and of more than so many changes none are looked at.
const (
	MaxBytes = 1 << 20
	MaxFiles = 500
)

// Pair is both sides of a change.
type Pair struct{ Before, After rewind.Content }

// maxRenames is how many files that have appeared are compared with those that are gone.
const maxRenames = 100

// Find returns the indexes of files that a turn has created, with those of the files that they were before: of those that are
// gone, the one that has the most lines of it, at least half of them.
func Find(list []rewind.Change, pairs []Pair) map[int]int {
	last := map[string]int{} // by path, its last change: what was gone may be there again
	for i, c := range list {
		last[c.Path] = i
	}

	var gone, come []int
	for i, p := range pairs {
		switch {
		case last[list[i].Path] != i:
		case !p.Before.Text() || !p.After.Text() || max(len(p.Before.Data), len(p.After.Data)) > MaxBytes:
		case p.After.Missing && len(p.Before.Data) > 0:
			gone = append(gone, i)
		case p.Before.Missing && len(p.After.Data) > 0 && list[i].Program:
			come = append(come, i)
		}
	}

	blank := func(i int) bool { return len(bytes.TrimSpace(pairs[i].Before.Data)) == 0 }
	moved := Same{
		List: list, Gone: gone, Come: come, Blank: blank,
		Before: func(i int) string { return string(pairs[i].Before.Data) },
		After:  func(i int) string { return string(pairs[i].After.Data) },
	}.Find()

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
			before, after := pairs[from].Before, pairs[to].After
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

// Same finds files that have come and are as others were that are gone.
type Same struct {
	List          []rewind.Change
	Gone, Come    []int
	Before, After func(int) string // what tells texts apart
	Blank         func(int) bool   // the text says nothing: only the name does
}

// Find returns the indexes of those that have come, with those that they were: if there are several, the one with the most alike path.
func (s Same) Find() map[int]int {
	moved := map[int]int{}
	byText := map[string][]int{} // of gone
	for _, from := range s.Gone {
		byText[s.Before(from)] = append(byText[s.Before(from)], from)
	}

	for _, named := range []bool{true, false} { // those that keep their names first
		for _, to := range s.Come {
			if _, known := moved[to]; known {
				continue
			}

			text := s.After(to)
			best, most := -1, -1
			for n, from := range byText[text] {
				alike := alikeNames(s.List[from].Path, s.List[to].Path)
				if alike > most && (alike > 0 || !named && !s.Blank(from)) {
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
	for _, line := range buffers.Parse(string(content.Data)).Lines {
		count.total++
		count.of[line]++
	}
	c[key] = count
	return count
}

// Alike reports whether two texts have half of the lines of the shorter one in common. Lines of a few characters tell nothing, unless there
// are no others. What is no text, or has none, is not compared: it is alike.
func Alike(a, b rewind.Content) bool {
	if !a.Text() || !b.Text() || max(len(a.Data), len(b.Data)) > MaxBytes {
		return true
	}

	x, y := telling(a), telling(b)
	common := x.common(y)
	return x.total == 0 || common > 0 && 2*common >= min(x.total, y.total)
}

// telling counts the lines of a text that tell it from others.
func telling(content rewind.Content) lineCount {
	all, long := lineCount{of: map[string]int{}}, lineCount{of: map[string]int{}}
	for _, line := range buffers.Parse(string(content.Data)).Lines {
		all.total++
		all.of[line]++
		if len(strings.TrimSpace(line)) > 3 {
			long.total++
			long.of[line]++
		}
	}
	if long.total == 0 {
		return all
	}
	return long
}

// common returns how many lines two texts have in common, in any order: at most so many stay between the two.
func (c lineCount) common(other lineCount) (n int) {
	for line, count := range c.of {
		n += min(count, other.of[line])
	}
	return n
}
