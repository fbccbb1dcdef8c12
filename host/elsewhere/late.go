package elsewhere

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// late are the sockets that programs outside of a sandbox began to listen on after it was opened. Nothing can hide them from what runs
// there already, so they are said; what starts from then on does not have them. It is safe for concurrent use.
type late struct {
	mu     sync.Mutex        // guards all below; held while the disk is read
	known  map[listener]bool // nil before the first look
	hidden map[string]bool   // by path
	said   int
}

// maxSaid bounds how many of them are said.
const maxSaid = 5

// look looks for new ones, and returns what is to be said. It waits for the disk.
func (t *late) look(p *Place) (list []string) {
	t.mu.Lock()
	defer t.mu.Unlock()

	first := t.known == nil
	if first {
		t.known, t.hidden = map[listener]bool{}, map[string]bool{}
	}

	tools, _ := buffers.Real(p.needs.Socket) // "" is none
	for _, l := range listening(p.shown()) {
		if t.known[l] {
			continue
		}

		t.known[l] = true
		seen := p.paths.shows(l.path)
		if first { // then those of before are hidden
			seen = p.paths.Reaches(l.path, false) == nil
		}
		if !seen || l.path == tools || p.named(l.path) || !outside(l.inode) {
			continue
		}

		t.hidden[l.path] = true
		t.said++
		switch name := nameIn(p.needs.Cwd, l.path); {
		case t.said <= maxSaid:
			list = append(list, "the agent can connect to the new socket "+name+" of a program outside (:AcpRestart hides it)")
		case t.said == maxSaid+1:
			list = append(list, "the agent can connect to more new sockets of programs outside (:AcpRestart hides them)")
		}
	}

	return list
}

// binds returns what hides them from a command that starts now.
func (t *late) binds() []bind {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []bind
	for _, path := range slices.Sorted(maps.Keys(t.hidden)) {
		list = append(list, bind{path: path, access: Hidden, kind: fs.ModeSocket})
	}
	return list
}

// shown returns the folders that a sandbox shows beside the system.
func (p *Place) shown() []string {
	var list []string
	for _, b := range p.box.binds {
		if b.access != Hidden && !b.named {
			list = append(list, b.path)
		}
	}
	return list
}

// named reports whether the configuration shows a socket itself.
func (p *Place) named(path string) bool {
	return slices.ContainsFunc(p.box.binds, func(b bind) bool { return b.path == path && b.access != Hidden && !b.named })
}

// outside reports whether a program outside of sandboxes has a socket, by its inode. What runs in one has other mounts; programs of
// other users, whose files are not known, run outside.
func outside(inode string) bool {
	own, err := os.Readlink("/proc/self/ns/mnt")
	if err != nil {
		return true
	}

	entries, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, entry := range entries {
		if target, err := os.Readlink(entry); err != nil || target != "socket:["+inode+"]" {
			continue
		}
		space, err := os.Readlink(filepath.Join(filepath.Dir(filepath.Dir(entry)), "ns/mnt"))
		return err != nil || space == own
	}

	return true
}
