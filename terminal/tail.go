package terminal

import (
	"slices"
	"unicode/utf8"
)

// tail keeps the last bytes of what is appended to it.
type tail struct {
	buf     []byte
	limit   int
	dropped bool // something is gone
}

// append adds p. It costs a copy of limit bytes only once for as many that come in.
func (t *tail) append(p []byte) {
	if len(p) > t.limit {
		t.dropped = true
		t.buf = append(t.buf[:0], p[len(p)-t.limit:]...)
		return
	}
	t.buf = append(t.buf, p...)
	if len(t.buf) > t.limit {
		t.dropped = true
	}
	if len(t.buf) > 2*t.limit+4096 {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-t.limit:]...)
	}
}

// shrink lowers the limit, and gives back the room.
func (t *tail) shrink(n int) {
	if n < t.limit {
		t.dropped = t.dropped || len(t.buf) > n
		t.limit = n
	}
	t.buf = slices.Clone(t.buf[max(len(t.buf)-t.limit, 0):])
}

// lastBytes is the end of p: at most limit bytes, beginning with a whole character.
func lastBytes(p []byte, limit int) []byte {
	if len(p) <= limit {
		return p
	}
	p = p[len(p)-limit:]
	for len(p) > 0 && !utf8.RuneStart(p[0]) {
		p = p[1:]
	}
	return p
}
