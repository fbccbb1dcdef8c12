package reviewing

import (
	"maps"
	"slices"
	"sync"

	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/poke"
)

// dirty are the files that are to be looked at, and whether the list is. Safe for concurrent use; nothing waits.
type dirty struct {
	wake poke.Chan // there is something

	mu      sync.Mutex      // guards all below
	paths   map[string]bool // of files to be looked at
	drawing map[string]bool // of files that a goroutine looks at
	list    bool            // the list may have changed since Neovim has got it
	turns   []settling
}

// settling is a turn that is over. All that it has changed is known when some files have been looked at.
type settling struct {
	session feature.Session
	turn    *session.Turn
	paths   map[string]bool
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

// takeList reports whether the list is to be drawn, and returns the turns of which it then has all changes.
func (d *dirty) takeList() (list bool, turns []settling) {
	d.mu.Lock()
	defer d.mu.Unlock()
	list, d.list = d.list, false
	d.turns = slices.DeleteFunc(d.turns, func(t settling) bool {
		if len(t.paths) == 0 {
			turns = append(turns, t)
		}
		return len(t.paths) == 0
	})
	return list, turns
}

// settle notes a turn that is over: what is to be looked at by now may be its doing.
func (d *dirty) settle(t settling) {
	d.mu.Lock()
	t.paths = maps.Clone(d.paths)
	maps.Copy(t.paths, d.drawing)
	d.turns = append(d.turns, t)
	d.mu.Unlock()
	d.wake.Poke()
}

// drawn notes that nobody looks at a file any more, which may have changed meanwhile.
func (d *dirty) drawn(path string, again bool) {
	d.mu.Lock()
	delete(d.drawing, path)
	if again {
		d.paths[path] = true
	}
	if !d.paths[path] {
		for _, t := range d.turns {
			delete(t.paths, path)
		}
	}
	d.list = true
	d.mu.Unlock()
	d.wake.Poke()
}
