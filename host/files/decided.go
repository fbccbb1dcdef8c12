package files

import (
	"hash/maphash"
	"sync"
)

// userTexts knows what the user's decisions have left on the disk of files that no buffer has, by hashes: nobody else has written that.
// The zero value knows of none. Safe for concurrent use; nothing waits.
type userTexts struct {
	mu   sync.Mutex // guards sums
	sums map[string]uint64
}

var textSeed = maphash.MakeSeed()

// sum returns a hash of a file.
func (t Text) sum() uint64 {
	if t.Missing {
		return 0
	}
	return maphash.String(textSeed, t.string()) | 1
}

// set notes what a decision has left of a file.
func (u *userTexts) set(path string, t Text) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.sums == nil {
		u.sums = map[string]uint64{}
	}
	u.sums[path] = t.sum()
}

// forget notes that somebody else has written a file.
func (u *userTexts) forget(path string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.sums, path)
}

// has reports whether a file has what a decision has left of it. One that is seen with something else is forgotten.
func (u *userTexts) has(path string, t Text) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	sum, ok := u.sums[path]
	if ok && sum != t.sum() {
		delete(u.sums, path)
		return false
	}
	return ok
}
