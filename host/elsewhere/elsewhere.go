// Package elsewhere runs agents, and the commands that they ask for, in sandboxes, in containers and on other machines, and maps
// paths between those and here.
//
// Package agents opens a [Place] for each agent process whose spec names one, and closes it when that process has ended. A place
// that is no sandbox of this machine has a goroutine for its line and one that reads what that says; both end with Close. A place
// sees all messages of its agent's connection ([Place.Outgoing], [Place.Incoming]), so nobody else knows paths of the other side.
package elsewhere

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// Needs is what a place must have of its owner.
type Needs struct {
	Run     string            // marks the processes of this host
	Cwd     string            // the folder of the sessions that it is for …
	Dirs    []string          // … and their further ones
	Program []string          // of the agent, with its arguments
	Env     map[string]string // configured for the agent
	Tools   string            // the program that serves the editor's tools, "" if there are none …
	Socket  string            // … and the folder of its socket
	Watch   Watcher
	Say     func(text string) // what the user should know, one sentence
}

// Place is where an agent runs. It is safe for concurrent use.
type Place struct {
	spec     Spec
	needs    Needs
	paths    *Map
	messages messages
	mark     string  // of the agent's processes; those of its commands have it as a prefix
	box      box     // of a sandbox
	private  *folder // for what goes with the place; nil before it is open
	master   *master // the connection that it shares, nil if it has none
	line     *line   // nil if it has none
	scripts  atomic.Int64

	repositories repositories // of a sandbox
	limits       []string     // what is to be said of their protection
	guarded      []*guarded   // used by one goroutine once the place is open
	late         late
	refused      sync.Map      // by text, why a command got no sandbox: the user has been told
	over         chan struct{} // closed with the place
	ended        sync.Once
}

// places counts them, for their marks.
var places atomic.Int64

// fill puts what is known of the session into a word.
func (p *Place) fill(word string) string {
	word = paths.Expand(word)
	return strings.NewReplacer(
		"{here}", p.needs.Cwd, "{name}", filepath.Base(p.needs.Cwd), "{socket}", p.socket(),
	).Replace(word)
}

// socket is the path of the socket of the connection that the place shares, else of its own.
func (p *Place) socket() string {
	if p.master != nil {
		return p.master.socket()
	}
	return p.private.join("s")
}

// expand fills all words of a command line; dir is the folder there.
func (p *Place) expand(words []string, dir string) []string {
	if dir == "" {
		dir, _ = p.paths.There(p.needs.Cwd) // it was seen to have one
	}
	var list []string
	for _, w := range words {
		list = append(list, strings.ReplaceAll(p.fill(w), "{cwd}", dir))
	}
	return list
}

// Title names the place for the user.
func (p *Place) Title() string {
	if p == nil {
		return ""
	}
	return cmp.Or(p.spec.Title, p.spec.Kind)
}

// Outgoing is for [acp.Options].
func (p *Place) Outgoing(message any) (any, error) { return p.messages.outgoing(message) }

// Incoming is for [acp.Options].
func (p *Place) Incoming(message any) error { return p.messages.incoming(message) }

// Reaches returns an error unless the agent may read, or write, a real path here, see [Map.Reaches]. Without a place it may.
func (p *Place) Reaches(real string, write bool) error {
	if p == nil {
		return nil
	}
	return p.paths.Reaches(real, write)
}

// ReachesAll returns an error unless the agent sees a real path here with all that is in it but sockets. Without a place it does.
func (p *Place) ReachesAll(real string) error {
	if p == nil {
		return nil
	}
	return p.paths.ReachesAll(real)
}

// There returns the agent's path of a file, for words that are meant for it; the same where there is none.
func (p *Place) There(here string) string {
	if p == nil {
		return here
	}
	if there, err := p.paths.There(here); err == nil {
		return there
	}
	return here
}

// Note says what does not work in the place, "" if all does.
func (p *Place) Note() string {
	if p == nil {
		return ""
	}
	if p.Shared() {
		return strings.Join(p.limits, ". ")
	}
	return fmt.Sprintf("the files are only on %s, in %s: the agent sees no unsaved text, and what it changes there is neither merged nor "+
		"reviewed nor undone here. For that, mount the folder and give `paths`: :help nvim-acp-elsewhere",
		p.Title(), p.fill(p.spec.Folder))
}

// Shared reports whether the files of here are there too.
func (p *Place) Shared() bool { return p == nil || p.paths.Shared() }

// Tools reports whether programs there can reach the editor's tools.
func (p *Place) Tools() bool { return p == nil || p.spec.Sandbox }

// Loopback reports whether programs there reach what listens on 127.0.0.1 of this machine.
func (p *Place) Loopback() bool { return p == nil || p.spec.Sandbox && p.spec.Network }

// Close ends all that still runs there, and removes what was made for the place. It waits for the other side, some seconds at most.
func (p *Place) Close() {
	if p == nil {
		return
	}
	p.end()
	if p.line != nil {
		p.line.close()
	}
	p.master.release((*line).close)
	p.private.remove()
	p.box.letGo()
}

// end ends what looks after the place.
func (p *Place) end() {
	if p.over != nil {
		p.ended.Do(func() { close(p.over) })
	}
}

// leaveTime is how long Leave waits for the disk.
const leaveTime = 200 * time.Millisecond

// Leave ends what Close would, without waiting for the other side: the host leaves. A folder that takes longer to remove is
// removed when the next place is made.
func (p *Place) Leave() {
	if p == nil {
		return
	}

	p.end()
	if p.line != nil {
		p.line.leave()
	}

	done := make(chan struct{})
	caught.Go(func() { // ends with the folders, or the process
		p.master.release((*line).leave)
		p.private.remove()
		p.box.letGo()
		close(done)
	})
	select {
	case <-done:
	case <-time.After(leaveTime):
	}
}
