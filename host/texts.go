package host

import (
	"slices"
	"sync"
)

const (
	textsBytes = 32 << 20 // of all that is kept
	textsCount = 8
)

// texts keeps what Neovim told last of large buffers, so that an agent's write after its read need not be told again. A
// buffer's changedtick is never the same for two texts, unloaded and loaded again or not. The zero value is ready for use.
type texts struct {
	mu   sync.Mutex // guards list
	list []told     // the newest last
}

type told struct {
	buf, tick int
	text      string // with a final line end
}

func (t *texts) find(snap snapshot) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, k := range t.list {
		if k.buf == snap.Buf && k.tick == snap.Tick {
			return k.text, true
		}
	}
	return "", false
}

// keep takes in what a buffer has now, in place of what it had.
func (t *texts) keep(snap snapshot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list = slices.DeleteFunc(t.list, func(k told) bool { return k.buf == snap.Buf })
	t.list = append(t.list, told{snap.Buf, snap.Tick, snap.ended})
	for size := t.size(); len(t.list) > textsCount || size > textsBytes; size = t.size() {
		t.list = slices.Delete(t.list, 0, 1)
	}
}

func (t *texts) size() (n int) {
	for _, k := range t.list {
		n += len(k.text)
	}
	return n
}
