package moves

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// renamedArgs say that a buffer has got another name, or that an explorer has renamed a file or folder. With To the same as From a
// buffer has that name again: what was said before was a copy.
type renamedArgs struct {
	N    int    `msgpack:"n"`
	From string `msgpack:"from"`
	To   string `msgpack:"to"`
}

// say notes what Neovim knows of a rename. The new file may be written, or the old one removed, later. It does not wait.
func (m *Moves) say(a renamedArgs) {
	m.mu.Lock()
	apply(m.renamed, a.From, a.To)
	m.mu.Unlock()
	if a.From == a.To {
		return
	}
	caught.Go(func() { // ends when the disk has answered
		m.sayFolder(a)
		for _, pause := range []time.Duration{0, 200 * time.Millisecond, time.Second} {
			select {
			case <-time.After(pause): // who renames by a copy removes the old file a moment later
			case <-m.host.Done():
				return
			}
			m.Look(context.Background())
		}
	})
}

// apply notes one name among others, by old path.
func apply(names map[string]string, from, to string) {
	delete(names, from)
	if from != to {
		names[from] = to
	}
}

// sayFolder notes where the files of a folder are by now that was renamed.
func (m *Moves) sayFolder(a renamedArgs) {
	if info, err := os.Stat(a.To); err != nil || !info.IsDir() {
		return
	}
	for path := range m.known() {
		if rest, ok := strings.CutPrefix(path, a.From+"/"); ok {
			m.mu.Lock()
			m.renamed[path] = filepath.Join(a.To, rest)
			m.mu.Unlock()
		}
	}
}

// last follows a path from one to the next, and returns the last one that is wanted; the path itself if none is.
func last(next map[string]string, path string, wanted func(string) bool) string {
	found, met := path, map[string]bool{path: true}
	for to, ok := next[path]; ok && !met[to]; to, ok = next[to] {
		if met[to] = true; wanted(to) {
			found = to
		}
	}
	return found
}

// Awaited reports whether a buffer has another name for a file, under which it is not written yet. It waits for Neovim.
func (m *Moves) Awaited(ctx context.Context, path string) bool {
	return m.awaited(ctx, m.ask(ctx), path)
}

func (m *Moves) awaited(ctx context.Context, names map[string]string, path string) bool {
	to := last(names, path, func(string) bool { return true })
	return to != path && m.files.IsLoaded(ctx, to)
}

const luaNames = `return require("nvim-acp.host").names()`

// ask returns what Neovim has said of renames, by old path, and what it is about to say: a file may be seen to be gone
// before that has come. It waits for Neovim; while that does not answer, or there is none, what it has said counts.
func (m *Moves) ask(ctx context.Context) map[string]string {
	told, _ := feature.Call[map[string]string](ctx, m.host, luaNames)
	names := m.names()
	for from, to := range told {
		apply(names, from, to)
	}
	return names
}

// names returns what Neovim has said of renames, by old path.
func (m *Moves) names() map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.renamed)
}

// byName returns where files are that Neovim has renamed, by their old paths.
func byName(lost []string, names map[string]string) map[string]string {
	found := map[string]string{}
	for _, path := range lost {
		if to := last(names, path, regular.Exists); to != path {
			found[path] = to
		}
	}
	return found
}
