package files

import (
	"slices"
	"strings"
	"sync"
)

// The bounds of a textCache.
const (
	maxCacheBytes = 32 << 20
	maxCacheTexts = 8
	minCached     = 64 << 10 // bytes: less comes with the answer to one call
)

// textCache keeps the last texts of large buffers, so that what follows a read or a write need not fetch the text again. Two
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
func (c *textCache) add(snap Snapshot) { c.keep(cachedText{snap.Buf, snap.Tick, snap.ended}) }

// made keeps the text that an edit has made of a large buffer.
func (c *textCache) made(e *Edit, got Edited) {
	if got.Result == "ok" && got.Exact && got.Conflicts == 0 && len(e.after) > 0 {
		if text := strings.Join(e.after, "\n") + "\n"; len(text) > minCached {
			c.keep(cachedText{e.Buf, got.Tick, text})
		}
	}
}

func (c *textCache) keep(text cachedText) {
	c.mu.Lock()
	defer c.mu.Unlock()

	c.list = slices.DeleteFunc(c.list, func(t cachedText) bool { return t.buf == text.buf })
	c.list = append(c.list, text)

	size := 0
	for _, t := range c.list {
		size += len(t.text)
	}

	for len(c.list) > maxCacheTexts || size > maxCacheBytes {
		size -= len(c.list[0].text)
		c.list = slices.Delete(c.list, 0, 1)
	}
}
