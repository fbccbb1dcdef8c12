package edit

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/highlight"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Mark is a part of a diff as it is shown over the lines: lines that go, or lines that come.
type Mark struct {
	Row   int      `msgpack:"row"`             // of the place, from 0
	Gone  int      `msgpack:"gone,omitempty"`  // lines from Row on that go
	Words [][3]int `msgpack:"words,omitempty"` // of these: line from Row, first and last byte
	Code  [][4]any `msgpack:"code,omitempty"`  // their syntax: the same, and its group
	Lines []Line   `msgpack:"lines,omitempty"` // that come above Row
	Joins bool     `msgpack:"joins,omitempty"` // they follow those of the mark before
}

// Line is a line that is shown: pieces of text with their groups, the lowest first.
type Line []Chunk

// Chunk is a piece of a line.
type Chunk struct {
	Text   string `msgpack:"text,array"`
	Groups []string
}

func (m Mark) equal(o Mark) bool {
	return m.Row == o.Row && m.Gone == o.Gone && m.Joins == o.Joins && slices.Equal(m.Words, o.Words) && slices.Equal(m.Code, o.Code) &&
		slices.EqualFunc(m.Lines, o.Lines, func(a, b Line) bool {
			return slices.EqualFunc(a, b, func(c, d Chunk) bool { return c.Text == d.Text && slices.Equal(c.Groups, d.Groups) })
		})
}

// Diff is how a version differs from lines.
type Diff struct {
	Marks          []Mark
	Lines          []string // the text that it would make
	Added, Removed int
	Conflicts      int
}

const (
	slice   = 16      // lines that come, in a mark
	longest = 2 << 10 // bytes of a line that are shown
	maxGone = 200     // marks of words
	maxCode = 2000    // marks of syntax
)

// Differ makes the diffs of one place. It remembers what it has found, so it is used by one goroutine.
type Differ struct {
	align *aligner
	read  []string // by align
	base  []string
}

// Diff returns how the version of a snapshot differs from the lines as they are.
func (d *Differ) Diff(s Snapshot, c *Colours) Diff {
	v := s.Version
	upto := 0
	if v.Cut {
		upto = d.upto(v)
	}

	m := buffers.Merge(v.Base, s.Ours, v.whole(upto))
	out := Diff{Lines: m.Lines, Conflicts: len(m.Conflicts)}

	shift := 0
	for _, e := range buffers.Edits(s.Ours, m.Lines) {
		out.Removed += e.End - e.Start
		out.Added += len(e.Lines)
		if e.End > e.Start {
			out.Marks = append(out.Marks, gone(e, s.Ours, c))
		}
		for i := 0; i < len(e.Lines); i += slice {
			mark := Mark{Row: e.End, Joins: i > 0}
			for j := i; j < min(i+slice, len(e.Lines)); j++ {
				code, words := c.at(e.Start+shift+j, e.Lines[j])
				mark.Lines = append(mark.Lines, lineOf(e.Lines[j], code, words, s.Asked.Tab))
			}
			out.Marks = append(out.Marks, mark)
		}

		shift += len(e.Lines) - (e.End - e.Start)
	}

	return out
}

// upto is that of the aligner, which goes on where it was if the version has grown at its end.
func (d *Differ) upto(v Version) int {
	grown := len(v.Lines) >= len(d.read) && slices.Equal(d.read, v.Lines[:len(d.read)]) && slices.Equal(d.base, v.Base)
	if d.align == nil || !grown {
		d.align, d.base = newAligner(v.Base), v.Base
	}
	d.read = v.Lines
	return d.align.upto(v.Lines)
}

func gone(e buffers.Edit, ours []string, c *Colours) Mark {
	m := Mark{Row: e.Start, Gone: e.End - e.Start}
	for i := e.Start; i < e.End; i++ {
		code, words := c.of(i, ours[i])
		for _, s := range code[:min(len(code), maxCode-len(m.Code))] {
			m.Code = append(m.Code, [4]any{i - e.Start, s.From, s.To, s.Group})
		}
		for _, w := range words {
			if len(m.Words) < maxGone {
				m.Words = append(m.Words, [3]int{i - e.Start, w.From, w.To})
			}
		}
	}
	return m
}

// lineOf returns a line in pieces, with its tabs as spaces.
func lineOf(text string, code, words []highlight.Span, tab int) Line {
	text = plain.Cut(text, longest)
	cuts := []int{0, len(text)}
	for _, list := range [][]highlight.Span{code, words} {
		for _, s := range list {
			cuts = append(cuts, min(s.From, len(text)), min(s.To, len(text)))
		}
	}

	slices.Sort(cuts)
	cuts = slices.Compact(cuts)

	out := Line{} // not nil, which Lua would not take for a list
	col := 0
	for i := 0; i+1 < len(cuts); i++ {
		from, to := cuts[i], cuts[i+1]
		groups := []string{added}
		if g := groupAt(words, from); g != "" {
			groups[0] = g
		}
		if g := groupAt(code, from); g != "" {
			groups = append(groups, g)
		}
		var piece string
		piece, col = expand(text[from:to], col, tab)
		out = append(out, Chunk{Text: piece, Groups: groups})
	}

	return out
}

func groupAt(list []highlight.Span, at int) string {
	for _, s := range list {
		if s.From <= at && at < s.To {
			return s.Group
		}
	}
	return ""
}

// expand returns text with its tabs as spaces, and the column after it. A character takes as many cells as on the screen.
func expand(text string, col, tab int) (string, int) {
	if !strings.Contains(text, "\t") || tab < 1 {
		return text, col + ansi.StringWidth(plain.Visible(text))
	}

	var b strings.Builder
	for i, part := range strings.Split(text, "\t") {
		if i > 0 {
			n := tab - col%tab
			b.WriteString(strings.Repeat(" ", n))
			col += n
		}
		b.WriteString(part)
		col += ansi.StringWidth(plain.Visible(part))
	}

	return b.String(), col
}

// Patch is a part of the marks that are drawn which others take the place of.
type Patch struct {
	From, Drop int // marks from this one on, and so many of them
	Marks      []Mark
}

// Change returns what makes new marks of old ones, which were for lines that are others by now.
func Change(old []Mark, before []string, new []Mark, ours []string) Patch {
	old = moved(old, before, ours)
	from, tail := 0, 0
	for from < len(old) && from < len(new) && old[from].equal(new[from]) {
		from++
	}
	for tail < len(old)-from && tail < len(new)-from && old[len(old)-1-tail].equal(new[len(new)-1-tail]) {
		tail++
	}
	return Patch{from, len(old) - tail - from, new[from : len(new)-tail]}
}

// Made returns what is drawn when parts of a change were made, of marks for lines that are others by now.
func Made(old []Mark, before, ours []string, parts []Patch) []Mark {
	marks := slices.Clone(moved(old, before, ours))
	for _, p := range parts {
		marks = slices.Replace(marks, p.From, p.From+p.Drop, p.Marks...)
	}
	return marks
}

// moved returns marks where they are when lines have become others; Neovim moves them so. A mark at lines that have changed is
// like none.
func moved(marks []Mark, before, ours []string) []Mark {
	edits := buffers.Edits(before, ours)
	if len(edits) == 0 {
		return marks
	}

	out := slices.Clone(marks)
	for i, m := range out {
		shift := 0
		for _, e := range edits {
			if e.Start > m.Row+m.Gone {
				break
			}
			if e.End >= m.Row {
				shift = lost
				break
			}
			shift += len(e.Lines) - (e.End - e.Start)
		}
		out[i].Row += shift
	}

	return out
}

// cost is how many lines and words of lines a mark draws.
func (m Mark) cost() int { return m.Gone + len(m.Lines) + len(m.Words) + len(m.Code) }

// lost makes the row of a mark one that no other has.
const lost = -1 << 30

// Parts returns a patch in parts that are made one after the other, each of one mark or of at most so many lines, gone ones and marks
// of words included. The first lines, which a window may show, are in small parts; a later part has as many as were before it, since
// an editor draws all lines of one place again for each.
func (p Patch) Parts(first, small int) []Patch {
	var parts []Patch
	for all := 0; ; {
		part := Patch{From: p.From}
		size := all
		if all < first {
			size = small
		}

		cost := 0
		for len(p.Marks) > 0 && (cost == 0 || cost+p.Marks[0].cost() <= size) {
			cost += p.Marks[0].cost()
			part.Marks, p.Marks = append(part.Marks, p.Marks[0]), p.Marks[1:]
		}

		all += cost
		part.Drop = min(p.Drop, len(part.Marks))
		if len(p.Marks) == 0 {
			part.Drop = p.Drop
		}

		parts = append(parts, part)
		if len(p.Marks) == 0 {
			return parts
		}

		p.Drop -= part.Drop
		p.From += len(part.Marks)
	}
}
