package elsewhere

import (
	"os"
	"path/filepath"
	"time"

	"github.com/nvim-acp/nvim-acp/host/plain"
)

// lookTime is the time between two looks at what is protected in a sandbox.
const lookTime = 500 * time.Millisecond

// socketLooks is how many of these looks there are to one for new sockets.
const socketLooks = 4

// guarded is a file or folder that is mounted read-only in a sandbox.
//
// Once a program outside puts another one in its place, as Git does with each change of a configuration, the kernel drops the mount:
// the agent can write what is there now. Nothing here can prevent that, so it is said.
type guarded struct {
	name string // for the user
	path string
	info os.FileInfo // nil: it is not there
	lost bool        // it is no longer read-only
}

func newGuarded(cwd, path string) *guarded {
	info, _ := os.Lstat(path) // else it is lost at the first look
	return &guarded{name: nameIn(cwd, path), path: path, info: info}
}

// nameIn names a file for the user, by its path in a folder if it is there.
func nameIn(cwd, path string) string {
	name, err := filepath.Rel(cwd, path)
	if err != nil || !filepath.IsLocal(name) {
		name = path
	}
	return plain.OneLine(name)
}

// look returns what the user should know of a change since the last time, "" if nothing.
func (g *guarded) look() string {
	info, _ := os.Lstat(g.path)
	was := g.info
	g.info = info
	gone := was == nil || info == nil
	switch {
	case gone && was == nil && info == nil, !gone && os.SameFile(was, info) && !g.lost:
		return "" // what is changed in place is still read-only in the sandbox
	case !g.lost:
		g.lost = true
		return g.name + " is no longer protected (:AcpRestart): it was replaced outside of the sandbox, so that the agent can change it, and Git " +
			"runs what it says, as you"
	case !gone && os.SameFile(was, info) && was.Size() == info.Size() && was.ModTime().Equal(info.ModTime()):
		return ""
	}
	return g.name + " was changed, maybe by the agent: look at it before you use Git"
}

// watch says of what is protected that it no longer is, and of sockets that they are new, until the place is closed.
func (p *Place) watch() {
	ticker := time.NewTicker(lookTime)
	defer ticker.Stop()
	for i := 0; ; i++ {
		if i%socketLooks == 0 {
			p.sayAll(p.late.look(p))
		}
		select {
		case <-ticker.C:
		case <-p.over:
			return
		}
		for _, g := range p.guarded {
			if text := g.look(); text != "" {
				p.needs.Say(text)
			}
		}
	}
}

func (p *Place) sayAll(list []string) {
	for _, text := range list {
		p.needs.Say(text)
	}
}
