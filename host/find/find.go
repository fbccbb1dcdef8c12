// Package find finds files that a prompt can name, as they are typed.
package find

import (
	"sync"

	"github.com/nvim-acp/nvim-acp/host/feature"
)

const luaFound = `require("nvim-acp.host").found(...)`

// Files answers questions for the files of sessions' folders. It is safe for concurrent use.
type Files struct {
	host feature.Host

	mu      sync.Mutex        // guards indexes
	indexes map[string]*index // by folder
}

// New returns a Files that has looked at no folder.
func New(h feature.Host) *Files { return &Files{host: h, indexes: map[string]*index{}} }

type findArgs struct {
	feature.Target
	Query string `msgpack:"query"`
	Token int    `msgpack:"token"` // of the answer
}

// Verbs are what Neovim can ask, by their names.
func (f *Files) Verbs() map[string]any {
	return map[string]any{
		"find":     feature.OnSession(f.host, f.find),
		"find_now": f.findNow, // a request, answered from memory
	}
}

// Closed forgets the folder of a session, unless another one has it.
func (f *Files) Closed(s feature.Session) {
	for _, other := range f.host.Sessions() {
		if other != s && other.Cwd() == s.Cwd() {
			return
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.indexes, s.Cwd())
}

// index returns that of a folder.
func (f *Files) index(root string) *index {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.indexes[root] == nil {
		f.indexes[root] = &index{root: root}
	}
	return f.indexes[root]
}

// find answers the editor's question for paths when there is a list.
func (f *Files) find(s feature.Session, a findArgs) {
	x := f.index(s.Cwd())
	s.Spawn(func() { // ends when the list is made and Neovim answers or goes away
		if made := x.refresh(); made != nil {
			<-made
		}
		_ = f.host.ExecLua(luaFound, nil, a.Token, x.there(x.find(a.Query)))
	})
}

// findNow answers from the list that is there, while the editor waits.
func (f *Files) findNow(a findArgs) ([]string, error) {
	s := f.host.Session(a.Session)
	if s == nil {
		return []string{}, nil
	}
	x := f.index(s.Cwd())
	x.refresh()
	return x.find(a.Query), nil
}
