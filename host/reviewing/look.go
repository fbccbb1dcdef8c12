package reviewing

import (
	"context"

	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// pathsArgs name files.
type pathsArgs struct {
	N     int      `msgpack:"n"`
	Paths []string `msgpack:"paths"`
	Names bool     `msgpack:"names"` // without paths: only whether files have other names
}

// look has files looked at: the user has edited them, or their buffers have lost their marks. With none it looks for files that have other
// names by now, and for commits of the user's. It does not wait.
func (r *Review) look(a pathsArgs) {
	if len(a.Paths) > 0 {
		r.Look(a.Paths...)
		return
	}

	if !a.Names {
		r.commits.look(userActs)
	}
	caught.Go(func() { r.moves.Look(context.Background()) }) // ends after a while
}

// Look has files looked at if they have changes. It does not wait, not even for a comparison of large files that another goroutine makes.
func (r *Review) Look(paths ...string) {
	caught.Go(func() { // ends when the ledger is free
		for _, path := range paths {
			if r.ledger.Known(path) {
				r.Poke(path)
			}
		}
	})
}

const luaCompare = `require("nvim-acp.host").compare(...)`

// baseArgs name a file with changes.
type baseArgs struct {
	N       int    `msgpack:"n"`
	Session string `msgpack:"session"`
	Path    string `msgpack:"path"`
}

// base has a file compared with its text without the changes of a session.
func (r *Review) base(a baseArgs) {
	c, ok := r.ledger.Base(a.Session, a.Path)
	if !ok {
		return
	}
	caught.Go(func() { _ = r.host.ExecLua(luaCompare, nil, a.Path, append([]string{}, c.Lines...)) }) // ends when Neovim answers or goes
}
