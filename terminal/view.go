package terminal

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/nvim-acp/nvim-acp/internal/poke"
)

const (
	// history is how much of the stream is kept for a view that begins later (behaviour 236).
	history = 1 << 20
	// backlog is how far a view may be behind before it skips, and keepBacklog how far it is behind after.
	backlog     = 256 << 10
	keepBacklog = 128 << 10
)

// log is the end of the stream that views read: whole characters and sequences. Its owner serialises the calls.
type log struct {
	buf   []byte
	start int64 // the place of buf[0] in the whole stream, always between units
	modes modes // as they were there
	views []*View
}

// add appends one or more units.
func (l *log) add(units []byte) {
	l.buf = append(l.buf, units...)
	if len(l.buf) > history+backlog {
		l.buf = append(l.buf[:0], l.drop(history)...)
	}
}

// drop forgets all but about the last n bytes, and returns those.
func (l *log) drop(n int) []byte {
	n = l.modes.scan(l.buf, len(l.buf)-n)
	l.start += int64(n)
	return l.buf[n:]
}

// shrink keeps about the last n bytes, and gives back the room.
func (l *log) shrink(n int) {
	if len(l.buf) > n {
		l.buf = l.drop(n)
	}
	l.buf = slices.Clone(l.buf)
}

// end is the place after the last byte.
func (l *log) end() int64 { return l.start + int64(len(l.buf)) }

// poke tells the views that there is more.
func (l *log) poke() {
	for _, v := range l.views {
		v.poke.Poke()
	}
}

// View is a reader of a terminal's filtered stream. It begins with the kept history, at most 1 MiB. It is not safe for
// concurrent use.
type View struct {
	mu   *sync.Mutex // the terminal's, guards all below
	log  *log
	at   int64 // the place in the stream
	born int64 // up to here it is the past, which is not skipped
	poke poke.Chan
}

// Poke receives when there may be more to read, or the command has ended.
func (v *View) Poke() <-chan struct{} { return v.poke }

// Close ends the view. Nothing is sent to Poke after it.
func (v *View) Close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.log.views = slices.DeleteFunc(v.log.views, func(o *View) bool { return o == v })
}

// Next returns up to max bytes to show, nil if there are none now, and never blocks. A chunk ends between characters and
// sequences; it is longer than max only if the first one alone is.
//
// A view that is more than 256 KiB behind goes to the last 128 KiB, and skipped is true: the chunk then begins on a new
// line, with the attributes reset and the modes set that the skipped part had left.
func (v *View) Next(max int) (chunk []byte, skipped bool) {
	v.mu.Lock()
	defer v.mu.Unlock()

	l := v.log
	var lead []byte
	if v.at < l.start || v.at >= v.born && l.end()-v.at > backlog {
		lead, skipped = v.skip(), true
	}

	rest := l.buf[v.at-l.start:]
	if len(rest) > 0 {
		n := fits(rest, max-len(lead))
		chunk = append(lead, rest[:n]...)
		v.at += int64(n)
	}
	if v.at < l.end() {
		v.poke.Poke()
	}

	return chunk, skipped
}

// skip goes to the last keepBacklog bytes, there to the next line if it is near, and returns what must be shown first.
func (v *View) skip() []byte {
	l := v.log
	m := l.modes.clone()
	n := m.scan(l.buf, len(l.buf)-keepBacklog)
	if i := bytes.IndexByte(l.buf[n:min(n+4096, len(l.buf))], '\n'); i >= 0 {
		n += m.scan(l.buf[n:], i+1)
	}
	v.at = l.start + int64(n)
	return append([]byte("\x1b]8;;\x1b\\\x1b[m\x1b[r\r\n"), m.sequences()...)
}

// fits is how many bytes of p are whole units and at most max; at least the first unit.
func fits(p []byte, max int) int {
	if len(p) <= max {
		return len(p)
	}
	n := 0
	for n < len(p) {
		u := unitLen(p[n:])
		if n > 0 && n+u > max {
			break
		}
		n += u
	}
	return n
}

// unitLen is the length of the first unit of p, which is not empty. A run of ASCII text is cut into single characters.
func unitLen(p []byte) int {
	if p[0] != ansi.ESC {
		_, n := utf8.DecodeRune(p)
		return n
	}
	if len(p) < 2 {
		return len(p)
	}
	switch p[1] {
	case '[':
		for i := 2; i < len(p); i++ {
			if p[i] >= 0x40 && p[i] <= 0x7e {
				return i + 1
			}
		}
		return len(p)
	case ']':
		if i := bytes.Index(p, []byte("\x1b\\")); i >= 0 {
			return i + 2
		}
		return len(p)
	}

	n := 1
	for n < len(p)-1 && p[n] >= 0x20 && p[n] <= 0x2f {
		n++
	}

	return n + 1
}

// modes are the private modes of a stream at one place, in the order in which they were last set or reset.
type modes []mode

type mode struct {
	number int
	on     bool
}

// maxModes is how many are kept; programs use a dozen.
const maxModes = 64

func (m modes) clone() modes { return slices.Clone(m) }

// scan applies the modes in p up to the first border between units at or after n, and returns that place.
func (m *modes) scan(p []byte, n int) int {
	at := 0
	for at < n {
		i := bytes.IndexByte(p[at:n], ansi.ESC)
		if i < 0 {
			at = n
			for at < len(p) && !utf8.RuneStart(p[at]) {
				at++
			}
			break
		}
		at += i
		u := unitLen(p[at:])
		m.apply(p[at : at+u])
		at += u
	}

	return at
}

// apply applies a sequence that sets or resets modes.
func (m *modes) apply(seq []byte) {
	last := seq[len(seq)-1]
	if !bytes.HasPrefix(seq, []byte("\x1b[?")) || last != 'h' && last != 'l' {
		return
	}
	for _, p := range bytes.Split(seq[3:len(seq)-1], []byte(";")) {
		n := 0
		if _, err := fmt.Sscan(string(p), &n); err != nil || n == 1048 { // which is none: it saves or restores the cursor
			continue
		}
		*m = slices.DeleteFunc(*m, func(o mode) bool { return o.number == n })
		*m = append(*m, mode{n, last == 'h'})
		if len(*m) > maxModes {
			*m = (*m)[1:]
		}
	}
}

// sequences sets the modes again.
func (m modes) sequences() []byte {
	var out []byte
	for _, o := range m {
		final := 'l'
		if o.on {
			final = 'h'
		}
		out = fmt.Appendf(out, "\x1b[?%d%c", o.number, final)
	}
	return out
}
