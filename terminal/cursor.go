package terminal

import (
	"slices"

	"github.com/charmbracelet/x/ansi"
)

// maxCount bounds the number in a control function; no screen is larger.
const maxCount = 4096

// count is parameter i of a control function, at least 1.
func count(p ansi.Params, i int) int {
	n, _, ok := p.Param(i, 1)
	if !ok {
		return 1
	}
	return min(max(n, 1), maxCount)
}

// which is the first parameter of a control function that erases.
func which(p ansi.Params) int {
	n, _, _ := p.Param(0, 0)
	return n
}

// functions are the control functions that change where text goes, by final byte. They come without prefix or
// intermediate byte.
var functions = map[byte]func(s *screen, p ansi.Params){
	'A': func(s *screen, p ansi.Params) { s.y = max(s.y-count(p, 0), 0) },
	'B': func(s *screen, p ansi.Params) { s.down(count(p, 0)) },
	'e': func(s *screen, p ansi.Params) { s.down(count(p, 0)) },
	'C': func(s *screen, p ansi.Params) { s.column(s.x + 1 + count(p, 0)) },
	'a': func(s *screen, p ansi.Params) { s.column(s.x + 1 + count(p, 0)) },
	'D': func(s *screen, p ansi.Params) { s.column(s.x + 1 - count(p, 0)) },
	'E': func(s *screen, p ansi.Params) { s.x = 0; s.down(count(p, 0)) },
	'F': func(s *screen, p ansi.Params) { s.x, s.y = 0, max(s.y-count(p, 0), 0) },
	'G': func(s *screen, p ansi.Params) { s.column(count(p, 0)) },
	'`': func(s *screen, p ansi.Params) { s.column(count(p, 0)) },
	'H': func(s *screen, p ansi.Params) { s.move(count(p, 0), count(p, 1)) },
	'f': func(s *screen, p ansi.Params) { s.move(count(p, 0), count(p, 1)) },
	'd': func(s *screen, p ansi.Params) { s.move(count(p, 0), s.x+1) },
	'I': func(s *screen, p ansi.Params) { s.column((s.x/8+count(p, 0))*8 + 1) },
	'Z': func(s *screen, p ansi.Params) { s.column((max(s.x-1, 0)/8+1-count(p, 0))*8 + 1) },
	'J': func(s *screen, p ansi.Params) { s.eraseScreen(which(p)) },
	'K': func(s *screen, p ansi.Params) { s.eraseLine(which(p)) },
	'X': func(s *screen, p ansi.Params) { s.rows[s.y].blank(s.x, s.x+count(p, 0)) },
	'@': func(s *screen, p ansi.Params) { s.rows[s.y].insert(s.x, count(p, 0)); s.shorten() },
	'P': func(s *screen, p ansi.Params) { s.rows[s.y].remove(s.x, count(p, 0)) },
	'L': func(s *screen, p ansi.Params) { s.insertLines(s.y, count(p, 0)) },
	'M': func(s *screen, p ansi.Params) { s.deleteLines(count(p, 0)) },
	'S': func(s *screen, p ansi.Params) { s.scroll(count(p, 0)) },
	'T': func(s *screen, p ansi.Params) { s.insertLines(s.top(), count(p, 0)) },
	'b': func(s *screen, p ansi.Params) { s.repeat(count(p, 0)) },
	's': func(s *screen, p ansi.Params) { s.save() },
	'u': func(s *screen, p ansi.Params) { s.restore() },
	'r': func(s *screen, p ansi.Params) { s.setRegion(p) },
}

func (s *screen) csi(_ []byte, cmd ansi.Cmd, p ansi.Params) {
	if cmd.Prefix() == '?' && cmd.Intermediate() == 0 && (cmd.Final() == 'h' || cmd.Final() == 'l') {
		s.setModes(p, cmd.Final() == 'h')
		return
	}
	f := functions[cmd.Final()]
	if s.alternate || f == nil || cmd.Prefix() != 0 || cmd.Intermediate() != 0 {
		return
	}
	f(s, p)
}

func (s *screen) esc(_ []byte, cmd ansi.Cmd) {
	if cmd.Final() == 'c' && cmd.Intermediate() == 0 {
		s.alternate = false
		s.eraseScreen(2)
		s.move(1, 1)
	}
	if s.alternate || cmd.Intermediate() != 0 {
		return
	}
	switch cmd.Final() {
	case '7':
		s.save()
	case '8':
		s.restore()
	case 'D':
		s.linefeed()
	case 'E':
		s.x = 0
		s.linefeed()
	case 'M':
		s.reverseLinefeed()
	}
}

// setModes looks for the modes that change screens: the alternate one is nothing for the text.
func (s *screen) setModes(p ansi.Params, on bool) {
	for i := range p {
		switch m, _, _ := p.Param(i, 0); m {
		case 47, 1047, 1049:
			s.alternate = on
		}
	}
}

func (s *screen) save() { s.saved.x, s.saved.y = s.x, s.y }

func (s *screen) restore() { s.x, s.y = s.saved.x, min(s.saved.y, len(s.rows)-1) }

// setRegion keeps the end of a scrolling region that begins at the top; any other would lose text, and is ignored.
func (s *screen) setRegion(p ansi.Params) {
	s.region = 0
	if end, _, ok := p.Param(1, 0); ok && count(p, 0) == 1 && end < s.height {
		s.region = end
	}
	s.move(1, 1)
}

// eraseScreen erases below the cursor (0), above it (1) or all that is on the screen (2 and 3).
func (s *screen) eraseScreen(what int) {
	switch what {
	case 0:
		s.rows[s.y].cut(s.x)
		for i := s.y + 1; i < len(s.rows); i++ {
			s.rows[i].cut(0)
		}
	case 1:
		s.eraseLine(1)
		for i := s.top(); i < s.y; i++ {
			s.rows[i].cut(0)
		}
	case 2, 3:
		for i := s.top(); i < len(s.rows); i++ {
			s.rows[i].cut(0)
		}
	}
}

// eraseLine erases from the cursor on (0), up to it (1) or the whole line (2).
func (s *screen) eraseLine(what int) {
	r := &s.rows[s.y]
	switch what {
	case 0:
		r.cut(s.x)
	case 1:
		r.blank(0, s.x+1)
	case 2:
		r.cut(0)
	}
}

// insertLines puts n empty lines before rows[at]; what they push off the screen is gone.
func (s *screen) insertLines(at, n int) {
	bottom := s.top() + s.height
	n = min(n, bottom-at)
	if n <= 0 {
		return
	}
	s.rows = slices.Insert(s.rows, at, make([]row, n)...)
	s.rows = s.rows[:min(len(s.rows), max(bottom, s.y+1))]
}

// deleteLines takes n lines from the cursor on away.
func (s *screen) deleteLines(n int) {
	n = min(n, len(s.rows)-s.y)
	s.rows = slices.Delete(s.rows, s.y, s.y+n)
	s.rows = append(s.rows, make([]row, n)...) // so that the top of the screen stays where it is
}

// scroll moves what is on the screen n lines up; the text keeps it.
func (s *screen) scroll(n int) {
	line := s.y - s.top()
	for range max(s.height-len(s.rows), 0) + min(n, s.height) { // what is empty below the text goes up with it
		s.insertRow(len(s.rows))
	}
	s.y = s.top() + line
}

// reverseLinefeed goes up a line, and at the top of the screen makes room there.
func (s *screen) reverseLinefeed() {
	if s.y > s.top() {
		s.y--
		return
	}
	s.insertLines(s.y, 1)
}

// repeat writes the last character n more times.
func (s *screen) repeat(n int) {
	for range n {
		if s.last != 0 {
			s.put(s.last)
		}
	}
}
