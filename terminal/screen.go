package terminal

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// maxRows is how many lines can be rewritten (behaviour 237).
const maxRows = 50

// screen turns a terminal stream into plain text for an agent: without escapes, with overwritten text as a terminal would show
// it in the end. Unlike on a terminal lines do not wrap, the last 50 can be reached by cursor movement whatever the height is,
// tabs stay tabs, and what goes to the alternate screen is dropped.
//
// rows is never empty, and y is always one of them. Everything before rows is in done and final. What is kept is bounded by
// the limit of done and by maxRows rows of maxCells.
type screen struct {
	done      tail
	rows      []row
	x, y      int // the cursor: its column, and its place in rows
	saved     struct{ x, y int }
	cols      int // of the pty; for what counts from its edges
	height    int
	region    int  // the last line of the scrolling region on the screen, 1-based; 0 means all
	alternate bool // the alternate screen is shown
	last      rune // the last character, for REP

	line  []byte // room for a line that becomes final
	spare []rune // room for the cells of the next line
}

func newScreen(cols, height, limit int) *screen {
	s := &screen{rows: make([]row, 1), done: tail{limit: limit}}
	s.resize(cols, height)
	return s
}

func (s *screen) resize(cols, height int) {
	s.cols, s.height, s.region = min(max(cols, 1), keepCells), min(max(height, 1), maxRows), 0
}

// gap takes the cursor, which keeps its column from one line to the next, back to where text may begin on this one: at most
// at the right edge of the pty, or at the end of what is there, and not before what is final of it.
func (s *screen) gap() {
	r := &s.rows[s.y]
	s.x = max(min(s.x, max(r.end(), s.cols-1)), r.base)
}

// top is the row that is the first on the screen.
func (s *screen) top() int { return max(len(s.rows)-s.height, 0) }

// position is the cursor as a terminal reports it, from 1.
func (s *screen) position() (line, col int) {
	return max(s.y-s.top(), 0) + 1, min(s.x, s.cols-1) + 1
}

func (s *screen) text(p []byte) {
	if s.alternate {
		return
	}

	s.gap()
	for len(p) > 0 {
		n := 0
		for n < len(p) && n < keepCells && p[n] < utf8.RuneSelf {
			n++
		}

		if n > 0 {
			s.rows[s.y].ascii(s.x, p[:n])
			s.x, s.last = s.x+n, rune(p[n-1])
			s.shorten()
			p = p[n:]
			continue
		}

		r, n := utf8.DecodeRune(p)
		s.put(r)
		p = p[n:]
	}
}

// put writes one character at the cursor.
func (s *screen) put(r rune) {
	s.gap()
	w := width(r)
	if w == 0 {
		if s.rows[s.y].mark(s.x, r) {
			return
		}
		w = 1 // nothing that it could stand on
	}
	s.rows[s.y].write(s.x, r, w)
	s.x, s.last = s.x+w, r
	s.shorten()
}

// width is how many cells a character takes.
func width(r rune) int {
	if r < utf8.RuneSelf {
		return 1
	}
	return ansi.StringWidthWc(string(r))
}

// shorten makes the head of the current row final if it is too long, and with it the rows above. How much that is does not depend on how
// much text came at once.
func (s *screen) shorten() {
	for len(s.rows[s.y].cells) > maxCells {
		for s.y > 0 {
			s.finish()
		}
		s.done.append(s.rows[0].behead(len(s.rows[0].cells) - keepCells))
	}
}

// finish makes the first row final. There must be another.
func (s *screen) finish() {
	s.line = append(s.rows[0].appendTo(s.line[:0]), '\n')
	s.done.append(s.line)
	s.spare = s.rows[0].cells[:0]
	s.rows = s.rows[1:]
	s.y = max(s.y-1, 0)
	s.saved.y = max(s.saved.y-1, 0)
}

// insertRow puts an empty row before rows[at]. If that makes the first row final, the cursor goes with its line.
func (s *screen) insertRow(at int) {
	s.rows = slices.Insert(s.rows, at, row{cells: s.spare})
	s.spare = nil
	if len(s.rows) > maxRows {
		s.finish()
	}
}

func (s *screen) control(b byte) {
	if s.alternate {
		return
	}
	switch b {
	case '\n', '\v', '\f':
		s.linefeed()
	case '\r':
		s.x = 0
	case '\b':
		s.x = max(s.x-1, 0)
	case '\t':
		s.tab()
	}
}

// linefeed goes down a line. At the end of a scrolling region, the line that scrolls out of it stays in the text, and what
// is below the region stays below.
func (s *screen) linefeed() {
	s.y++
	if s.y == len(s.rows) || s.region > 0 && s.y == s.top()+s.region {
		s.insertRow(s.y)
	}
}

// tab goes to the next stop. Where nothing was written yet the text gets the tab itself.
func (s *screen) tab() {
	s.gap()
	stop := s.x/8*8 + 8
	if r := &s.rows[s.y]; s.x >= r.end() {
		r.write(s.x, '\t', stop-s.x)
		s.shorten()
	}
	s.x = stop
}

// down goes n lines down, as far as the screen goes, making rows where there are none.
func (s *screen) down(n int) {
	to := min(s.y+n, max(s.top()+s.height-1, s.y))
	for to >= len(s.rows) {
		s.rows = append(s.rows, row{})
	}
	s.y = to
}

// move goes to a line and column of the screen, both from 1.
func (s *screen) move(line, col int) {
	s.column(col)
	s.y = s.top()
	s.down(min(line, s.height) - 1)
}

// column goes to a column from 1 on. Movement does not leave the pty's width, as only text does.
func (s *screen) column(col int) {
	s.x = max(min(col-1, max(s.cols-1, s.x)), 0)
}

// shown is how many rows have text, or had the cursor.
func (s *screen) shown() int {
	n := len(s.rows)
	for n > s.y+1 && len(s.rows[n-1].cells) == 0 {
		n--
	}
	return n
}

// output returns the last limit bytes of the text, and whether it is truncated.
func (s *screen) output() (string, bool) {
	cut, whole := s.end(s.done.limit)
	return string(cut), s.done.dropped || !whole
}

// truncated returns the second result of output without its cost.
func (s *screen) truncated() bool {
	return s.done.dropped || len(s.done.buf)+len(s.open()) > s.done.limit
}

// open returns the text that is not final yet.
func (s *screen) open() []byte {
	s.line = s.line[:0]
	for i := range s.shown() {
		if i > 0 {
			s.line = append(s.line, '\n')
		}
		s.line = s.rows[i].appendTo(s.line)
	}
	return s.line
}

// end returns the last n bytes of the kept text, and whether that is all of it.
func (s *screen) end(n int) (text []byte, whole bool) {
	open := s.open()
	final := lastBytes(s.done.buf, max(n-len(open), 0))
	return slices.Concat(final, lastBytes(open, n)), len(final) == len(s.done.buf) && len(open) <= n
}

// tail returns the last n lines. A line break at the end begins no line.
func (s *screen) tail(n int) []string {
	for size := 16 << 10; n > 0; size *= 8 {
		text, whole := s.end(min(size, s.done.limit))
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		switch {
		case len(lines) > n:
			return lines[len(lines)-n:]
		case !whole && size < s.done.limit:
			continue
		case len(lines) == 1 && lines[0] == "":
			return nil
		}
		return lines
	}

	return nil
}

// lost notes that text was taken for a part of a title or the like, which has no end: no terminal shows it.
func (s *screen) lost() { s.done.dropped = s.done.dropped || !s.alternate }

func (s *screen) osc(int, []byte)      {}
func (s *screen) dcs(ansi.Cmd, []byte) {}
