package reviewing

import (
	"sync"

	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/history"
)

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

// heard is a report, with what a turn had heard of the file before.
type heard struct {
	files.Report
	history.Heard
}

// reports are what buffers have read and the user has saved while agents were at work, and what is not looked at since. The zero value has
// none. Safe for concurrent use; nothing waits.
type reports struct {
	mu     sync.Mutex         // guards byPath
	byPath map[string][]heard // in order
}

func (l *reports) add(r heard) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byPath == nil {
		l.byPath = map[string][]heard{}
	}
	l.byPath[r.Path] = append(l.byPath[r.Path], r)
}

// take returns those of a file, and leaves them out.
func (l *reports) take(path string) []heard {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.byPath[path]
	delete(l.byPath, path)
	return list
}

// glance is what the disk had of a file that could not be looked at since something was editing it.
type glance struct {
	view     files.View
	sessions []string // whose agents may have changed it before
}

// glances are taken in before anything else of their files is. The zero value has none. Safe for concurrent use; nothing waits.
type glances struct {
	mu     sync.Mutex          // guards byPath
	byPath map[string][]glance // in order
}

func (l *glances) add(path string, g glance) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byPath == nil {
		l.byPath = map[string][]glance{}
	}
	l.byPath[path] = append(l.byPath[path], g)
}

// take returns those of a file, and leaves them out.
func (l *glances) take(path string) []glance {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.byPath[path]
	delete(l.byPath, path)
	return list
}
