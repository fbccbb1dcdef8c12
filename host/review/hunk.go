package review

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Hunk is a change of the agent's that waits for a decision: lines that follow each other, none of them the user's.
type Hunk struct {
	ID      int      // of its first line; stays while the hunk is there
	Sum     string   // of its lines: another one says that the hunk is not the one that the user has seen
	Row     int      // of its first line in the text, from 0; without one, of the line after what was removed
	Added   []string // lines of the text
	Removed []string // lines that the agent has removed
	Turns   []Turn   // that have made it, in order
	Edited  bool     // the user has edited lines of it

	from, to int // lines of the file
}

// Unknown reports whether another session may have made the hunk.
func (h Hunk) Unknown() bool { return slices.Contains(h.Turns, Unknown) }

// maxHead is how long the line in the head of a hunk is, in bytes.
const maxHead = 200

// head returns how much of the hunk was added and removed, and its first line.
func (h Hunk) head() string {
	seen := func(text string) bool { return strings.TrimSpace(text) != "" }
	first := ""
	if i := slices.IndexFunc(h.Added, seen); i >= 0 {
		first = h.Added[i]
	} else if i := slices.IndexFunc(h.Removed, seen); i >= 0 {
		first = h.Removed[i]
	}
	return fmt.Sprintf("+%d -%d  %s", len(h.Added), len(h.Removed), plain.Cut(strings.TrimSpace(first), maxHead))
}

// Hunks returns what waits for a decision, in the order of the text.
func (f *File) Hunks() []Hunk {
	return slices.DeleteFunc(f.runs(), func(h Hunk) bool { return h.ID == 0 })
}

// runs returns the parts of the file between lines that are the user's. Those without an ID have only lines that are gone.
func (f *File) runs() []Hunk {
	var out []Hunk
	row, start, first := 0, -1, 0
	end := func(to int) {
		if start >= 0 {
			out = append(out, f.run(start, to, first))
		}
		start = -1
	}
	for i, l := range f.lines {
		switch {
		case l.plain():
			end(i)
		case start < 0:
			start, first = i, row
		}
		if l.gone == here {
			row++
		}
	}

	end(len(f.lines))
	return out
}

// seed is that of the sums of hunks, which are compared while this process lives.
var seed = maphash.MakeSeed()

// run returns the hunk that some lines make, which begin at a row of the text.
func (f *File) run(from, to, row int) Hunk {
	h := Hunk{Row: row, from: from, to: to}
	var sum maphash.Hash
	sum.SetSeed(seed)
	note := func(t Turn) {
		if !slices.Contains(h.Turns, t) {
			h.Turns = append(h.Turns, t)
		}
	}
	added := 0
	for _, l := range f.lines[from:to] {
		if l.gone == here {
			added++
		}
	}
	h.Added, h.Removed = slices.Grow(h.Added, added), slices.Grow(h.Removed, to-from-added)

	for _, l := range f.lines[from:to] {
		if !l.changed() {
			continue
		}
		if h.ID == 0 {
			h.ID = l.id
		}
		if l.gone == here {
			h.Added = append(h.Added, l.text)
			h.Edited = h.Edited || l.ours
			note(l.by)
			_ = sum.WriteByte('+')
		} else {
			h.Removed = append(h.Removed, l.text)
			note(Turn(l.gone))
			_ = sum.WriteByte('-')
		}
		_, _ = sum.WriteString(l.text)
		_ = sum.WriteByte('\n')
	}

	slices.Sort(h.Turns)
	h.Sum = strconv.FormatUint(sum.Sum64(), 36)
	return h
}

// Kind says what the agent has done with a file as a whole.
type Kind string

// The kinds.
const (
	Modified Kind = "modified"
	Created  Kind = "created"
	Deleted  Kind = "deleted"
	Renamed  Kind = "renamed"
)

// Kind returns what the agent has done with the file.
func (f *File) Kind() Kind {
	switch {
	case !f.base.Exists && f.now.Exists:
		return Created
	case f.base.Exists && !f.now.Exists:
		return Deleted
	case f.From != "":
		return Renamed
	}
	return Modified
}

// Unreviewed reports whether something of the file waits for a decision.
func (f *File) Unreviewed() bool {
	return f.Kind() != Modified || slices.ContainsFunc(f.lines, line.changed)
}

// settled reports whether nothing of the agent is left, nor may come back.
func (f *File) settled() bool {
	return f.Kind() == Modified && !slices.ContainsFunc(f.lines, func(l line) bool {
		return l.by != user || l.was != 0 || l.gone != here && l.gone != byUser && l.gone != byOther
	}) && !slices.ContainsFunc(f.earlier, func(e earlier) bool { return len(e.turns) > 0 })
}

// Counts are how many lines and hunks wait for a decision.
type Counts struct {
	Hunks   int `msgpack:"hunks"`
	Added   int `msgpack:"added"`
	Removed int `msgpack:"removed"`
}

// counts returns what waits for a decision in a file, which has some hunks. A file that is only created, deleted or renamed counts as one.
func (f *File) counts(hunks []Hunk) Counts {
	var n Counts
	for _, h := range hunks {
		n.Hunks++
		n.Added += len(h.Added)
		n.Removed += len(h.Removed)
	}
	if n.Hunks == 0 && f.Kind() != Modified {
		n.Hunks = 1
	}
	return n
}

// of is counts for what a turn has changed.
func (f *File) of(t Turn, hunks []Hunk) Counts {
	var n Counts
	if f.made == t && f.Kind() != Modified && !slices.ContainsFunc(f.lines, line.changed) {
		n.Hunks = 1
	}
	for _, h := range hunks {
		if !slices.Contains(h.Turns, t) {
			continue
		}
		n.Hunks++
		for _, l := range f.lines[h.from:h.to] {
			switch {
			case l.gone == here && l.by == t:
				n.Added++
			case l.gone == gone(t) && l.by == user:
				n.Removed++
			}
		}
	}

	return n
}
