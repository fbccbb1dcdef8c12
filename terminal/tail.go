package terminal

import (
	"slices"
	"unicode/utf8"
)

// tail keeps the last bytes of what is appended to it, from a whole character on.
type tail struct {
	buf     []byte
	limit   int
	dropped bool // something is gone
}

// append adds p. It costs a copy of limit bytes only once for as many that come in.
func (t *tail) append(p []byte) {
	if len(p) > t.limit {
		t.dropped = true
		t.buf = append(t.buf[:0], lastBytes(p, t.limit)...)
		return
	}
	t.buf = append(t.buf, p...)
	if len(t.buf) > t.limit {
		t.dropped = true
	}
	if len(t.buf) > 2*t.limit+4096 {
		t.buf = append(t.buf[:0], lastBytes(t.buf, t.limit)...)
	}
}

// shrink lowers the limit, and gives back the room.
func (t *tail) shrink(n int) {
	if n < t.limit {
		t.dropped = t.dropped || len(t.buf) > n
		t.limit = n
	}
	t.buf = slices.Clone(lastBytes(t.buf, t.limit))
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
