package files

import (
	"slices"
	"sync"
)

// The bounds of a textCache.
const (
	maxCacheBytes = 32 << 20
	maxCacheTexts = 8
)

// textCache keeps the last texts of large buffers, so that an agent's write after its read need not fetch the text again. Two
// texts of a buffer never have the same changedtick, whether or not it was unloaded in between. The zero value is ready for
// use. It is safe for concurrent use.
type textCache struct {
	mu   sync.Mutex   // guards list
	list []cachedText // the newest last
}

// cachedText is the text of a buffer at a changedtick.
type cachedText struct {
	buf, tick int
	text      string // with a final line end
}

func (c *textCache) find(snap Snapshot) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.list {
		if t.buf == snap.Buf && t.tick == snap.Tick {
			return t.text, true
		}
	}
	return "", false
}

// add keeps the text of a buffer in place of an earlier one.
func (c *textCache) add(snap Snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()

	c.list = slices.DeleteFunc(c.list, func(t cachedText) bool { return t.buf == snap.Buf })
	c.list = append(c.list, cachedText{snap.Buf, snap.Tick, snap.ended})

	size := 0
	for _, t := range c.list {
		size += len(t.text)
	}

	for len(c.list) > maxCacheTexts || size > maxCacheBytes {
		size -= len(c.list[0].text)
		c.list = slices.Delete(c.list, 0, 1)
	}
}
