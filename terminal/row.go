package terminal

import (
	"maps"
	"slices"
	"unicode/utf8"
)

const (
	// filler stands in the cells that a wide character or a tab takes besides its first.
	filler rune = -1
	// maxMarks is how many bytes of combining characters a cell takes.
	maxMarks = 64
	// maxCells is how many cells of a line can be rewritten; of a longer one the head is final.
	maxCells  = 8192
	keepCells = maxCells / 2
)

// row is a line of the screen. It has no right edge.
type row struct {
	cells []rune
	marks map[int]string // combining characters, by column
	base  int            // the column of cells[0]; what was before it is final
}

// end is the column after the last cell.
func (r *row) end() int { return r.base + len(r.cells) }

// write puts c into w cells from column col on.
func (r *row) write(col int, c rune, w int) {
	i := r.open(col, w)
	r.cells[i] = c
	for j := i + 1; j < i+w; j++ {
		r.cells[j] = filler
	}
}

// ascii puts one character of p into each cell from column col on.
func (r *row) ascii(col int, p []byte) {
	i := r.open(col, len(p))
	for j, b := range p {
		r.cells[i+j] = rune(b)
	}
}

// open makes w cells from column col on ready to be overwritten and returns the index of the first.
func (r *row) open(col, w int) int {
	i := max(col-r.base, 0)
	if i == len(r.cells) && r.marks == nil {
		r.cells = append(r.cells, make([]rune, w)...)
		return i
	}
	for len(r.cells) < i+w {
		r.cells = append(r.cells, ' ')
	}
	r.split(i)
	r.split(i + w)
	r.unmark(r.base+i, r.base+i+w)
	return i
}

// split makes blanks of a wide character or tab that lies across the border before cell i.
func (r *row) split(i int) {
	if i <= 0 || i >= len(r.cells) || r.cells[i] != filler {
		return
	}

	from, to := i, i
	for from > 0 && r.cells[from] == filler {
		from--
	}

	for to < len(r.cells) && r.cells[to] == filler {
		to++
	}

	r.unmark(r.base+from, r.base+from+1)
	for ; from < to; from++ {
		r.cells[from] = ' '
	}
}

// unmark takes the combining characters off the columns from to to.
func (r *row) unmark(from, to int) {
	if to-from > len(r.marks) {
		maps.DeleteFunc(r.marks, func(col int, _ string) bool { return from <= col && col < to })
		return
	}
	for col := from; col < to; col++ {
		delete(r.marks, col)
	}
}

// mark adds a combining character to the character before col, and reports whether it found place.
func (r *row) mark(col int, c rune) bool {
	i := min(col-r.base, len(r.cells)) - 1
	for i > 0 && r.cells[i] == filler {
		i--
	}
	if i < 0 || r.cells[i] == '\t' || len(r.marks[r.base+i])+utf8.RuneLen(c) > maxMarks {
		return false
	}
	if r.marks == nil {
		r.marks = make(map[int]string)
	}
	r.marks[r.base+i] += string(c)
	return true
}

// cut ends the row before column col.
func (r *row) cut(col int) {
	i := max(col-r.base, 0)
	if i >= len(r.cells) {
		return
	}
	r.split(i)
	r.unmark(r.base+i, r.end())
	r.cells = r.cells[:i]
}

// blank makes blanks of the columns from to to, as far as there are cells.
func (r *row) blank(from, to int) {
	to = min(to, r.end())
	if from = max(from, r.base); from < to {
		i := r.open(from, to-from)
		for j := i; j < i+to-from; j++ {
			r.cells[j] = ' '
		}
	}
}

// insert moves the cells from column col on n to the right.
func (r *row) insert(col, n int) {
	i := max(col-r.base, 0)
	if i >= len(r.cells) {
		return
	}
	r.split(i)
	r.cells = slices.Insert(r.cells, i, slices.Repeat([]rune{' '}, n)...)
	r.shift(r.base+i, n)
}

// remove takes n cells from column col on away.
func (r *row) remove(col, n int) {
	i := max(col-r.base, 0)
	if i >= len(r.cells) {
		return
	}
	n = min(n, len(r.cells)-i)
	r.split(i)
	r.split(i + n)
	r.unmark(r.base+i, r.base+i+n)
	r.cells = slices.Delete(r.cells, i, i+n)
	r.shift(r.base+i, -n)
}

// shift moves the combining characters from column col on by n columns.
func (r *row) shift(col, n int) {
	if len(r.marks) == 0 {
		return
	}
	moved := make(map[int]string, len(r.marks))
	for c, m := range r.marks {
		if c >= col {
			c += n
		}
		moved[c] = m
	}
	r.marks = moved
}

// behead makes all but the last keep cells final: it returns their text and forgets them.
func (r *row) behead(keep int) []byte {
	n := len(r.cells) - keep
	for n > 0 && r.cells[n] == filler {
		n--
	}
	text := r.appendCells(nil, n)
	r.unmark(r.base, r.base+n)
	r.cells = append(r.cells[:0], r.cells[n:]...)
	r.base += n
	return text
}

// appendTo appends the text of the row to p.
func (r *row) appendTo(p []byte) []byte { return r.appendCells(p, len(r.cells)) }

func (r *row) appendCells(p []byte, n int) []byte {
	for i, c := range r.cells[:n] {
		if c != filler {
			p = utf8.AppendRune(p, c)
		}
		if len(r.marks) > 0 {
			p = append(p, r.marks[r.base+i]...)
		}
	}
	return p
}
