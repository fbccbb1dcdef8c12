package reviewing

import "sync"

// left are the files that were loaded in a Neovim that has left, and are not looked at since. The zero value has none. Safe for concurrent
// use; nothing waits.
type left struct {
	mu    sync.Mutex // guards paths
	paths map[string]bool
}

// set has these files, and no others.
func (l *left) set(paths []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.paths = map[string]bool{}
	for _, path := range paths {
		l.paths[path] = true
	}
}

// take reports whether a file is among them, and leaves it out.
func (l *left) take(path string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	left := l.paths[path]
	delete(l.paths, path)
	return left
}
