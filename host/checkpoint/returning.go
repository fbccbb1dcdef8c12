package checkpoint

import "sync"

// returning are files that come back, by path, and how often: until that is done, their modes are not theirs. It is safe for
// concurrent use.
type returning struct {
	mu    sync.Mutex // guards all below
	paths map[string]int
}

func (r *returning) has(path string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.paths[path] > 0
}

func (r *returning) add(path string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.paths == nil {
		r.paths = map[string]int{}
	}
	if r.paths[path] += n; r.paths[path] == 0 {
		delete(r.paths, path)
	}
}
