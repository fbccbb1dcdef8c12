package reviewing

import (
	"sync"

	"github.com/nvim-acp/nvim-acp/internal/poke"
)

// dirty are the files that are to be looked at, and whether the list is. Safe for concurrent use; nothing waits.
type dirty struct {
	wake poke.Chan // there is something

	mu      sync.Mutex      // guards all below
	paths   map[string]bool // of files to be looked at
	drawing map[string]bool // of files that a goroutine looks at
	list    bool            // the list may have changed since Neovim has got it
}

func newDirty() dirty {
	return dirty{wake: poke.New(), paths: map[string]bool{}, drawing: map[string]bool{}}
}

// poke adds files and the list, and wakes the goroutine.
func (d *dirty) poke(paths ...string) {
	d.mu.Lock()
	for _, path := range paths {
		d.paths[path] = true
	}
	d.list = true
	d.mu.Unlock()
	d.wake.Poke()
}

// take returns the files that nobody looks at. Whoever takes one says when it is drawn.
func (d *dirty) take() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []string
	for path := range d.paths {
		if !d.drawing[path] {
			out = append(out, path)
			delete(d.paths, path)
			d.drawing[path] = true
		}
	}
	return out
}

// takeList reports whether the list is to be drawn.
func (d *dirty) takeList() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := d.list
	d.list = false
	return list
}

// drawn notes that nobody looks at a file any more, which may have changed meanwhile.
func (d *dirty) drawn(path string, again bool) {
	d.mu.Lock()
	delete(d.drawing, path)
	if again {
		d.paths[path] = true
	}
	d.list = true
	d.mu.Unlock()
	d.wake.Poke()
}
