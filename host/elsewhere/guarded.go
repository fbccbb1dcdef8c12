package elsewhere

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// lookTime is the time between two looks at what is protected in a sandbox.
const lookTime = 500 * time.Millisecond

// socketLooks is how many of these looks there are to one for new sockets.
const socketLooks = 4

// guarded is a file or folder that is mounted read-only in a sandbox.
//
// Once a program outside puts another one in its place, as Git does with each change of a configuration, the kernel drops the mount:
// the agent can write what is there now. Nothing here can prevent that, so it is said. So is any change of its bytes, since one that
// cannot be has another way.
type guarded struct {
	name string // for the user
	path string
	by   string // what runs what it says
	lost bool   // it is no longer read-only
	many bool   // it was said that not all of it is compared

	id    fileID // zero: it is not there
	stamp string // changes with each change
	bytes string // changes with what it holds
}

func newGuarded(cwd, path, by string) *guarded {
	g := &guarded{name: nameIn(cwd, path), path: path, by: by, stamp: stamps(path), bytes: contents(path)}
	if info, err := os.Lstat(path); err == nil { // else it is lost at the first look
		g.id = idOf(info)
	}
	return g
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
	was := *g
	g.id = fileID{}
	if info, err := os.Lstat(g.path); err == nil {
		g.id = idOf(info)
	}
	if g.stamp = stamps(g.path); g.stamp != was.stamp && (isKnown(g.stamp) || !g.many) {
		g.bytes = contents(g.path)
	}

	none := g.id == fileID{}
	switch {
	case g.id != was.id && !g.lost:
		g.lost = true
		return g.name + " is no longer protected (:AcpRestart): it was replaced outside of the sandbox, so that the agent can " +
			"change it, and " +
			g.by + " runs what it says, as you"
	case !isKnown(g.stamp):
		if g.many {
			return ""
		}
		g.many = true
		return manyFiles(g.name, g.by)
	case g.bytes == was.bytes && (g.id == was.id || !none):
		return ""
	}

	return g.name + " was changed, maybe by the agent: look at it before " + g.by + " runs what it says"
}

// The pauses between two looks, and between two searches, are so many times as long as those took: of a processor they need a part that
// nobody notices.
const (
	lookPause   = 20
	searchPause = 50
)

// searchTime is the least time between two searches for what programs outside run.
const searchTime = 5 * time.Second

// watch says of what is protected that it no longer is, of what programs outside run that it was changed, and of sockets that they are
// new, until the place is closed.
func (p *Place) watch() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	caught.Go(func() { // ends with the place
		<-p.over
		stop()
	})
	searched := time.Now().Add(searchTime)
	for i := 0; ; i++ {
		if i%socketLooks == 0 {
			p.sayAll(p.late.look(p))
		}

		began := time.Now()
		for _, g := range p.guarded {
			if text := g.look(); text != "" {
				p.needs.Say(text)
			}
		}

		p.sayAll(p.changes(nil, p.repositories.glance(), false, nil))
		wait := max(lookTime, lookPause*time.Since(began))
		if began = time.Now(); began.After(searched) {
			p.sayAll(p.changes(p.repositories.look(ctx, p.roots())))
			searched = time.Now().Add(max(searchTime, searchPause*time.Since(began)))
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
	}
}

func (p *Place) sayAll(list []string) {
	for _, text := range list {
		p.needs.Say(text)
	}
}
