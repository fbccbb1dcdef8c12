package reviewing

import (
	"context"

	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// The functions of lua/nvim-acp/host.lua that draw.
const (
	luaMarks  = `return require("nvim-acp.host").marks(...)`
	luaReview = `require("nvim-acp.host").review(...)`
)

// draw marks the changes in the buffer of a file. A buffer that has changed meanwhile is looked at again.
func (r *Review) draw(path string) {
	again := false
	err := r.files.Look(context.Background(), path, func(v files.View) error {
		if !r.observe(path, v) {
			return nil
		}
		r.moves.Saw(path)
		if v.Buf == 0 {
			return nil
		}

		hunks := r.ledger.Hunks(path)
		if r.ledger.Gone(path) {
			hunks = nil
		}

		for first := true; first || len(hunks) > 0; first = false {
			part := []mark{} // Lua has a list, not nil
			for lines := 0; len(hunks) > 0 && lines < maxPart; hunks = hunks[1:] {
				m := marked(hunks[0])
				lines += m.Added + len(m.Removed) + 1
				part = append(part, m)
			}

			var current bool
			if err := r.host.ExecLua(luaMarks, &current, v.Buf, v.Tick, part, first, len(hunks) == 0); err != nil {
				return err
			}
			if !current {
				again = true
				return nil
			}
		}

		return nil
	})

	r.dirty.drawn(path, again && err == nil)
}

// list gives Neovim the list of files, if it may have changed, and then says which turns it has all changes of.
func (r *Review) list() {
	changed, settled := r.dirty.takeList()
	if changed {
		r.drawList()
	}
	for _, t := range settled {
		if r.host.Session(t.session.LocalID()) != t.session {
			continue // it is closed, and may be open again
		}
		t.session.Do(func(st *session.State) {
			if st.Checks().Checkable(t.turn) {
				st.Screen().Emit("AcpTurnSettled", nil)
			}
		})
	}
}

func (r *Review) drawList() {
	out := []entry{}
	for _, e := range r.ledger.List("") {
		out = append(out, entry{
			Session: e.Session, Path: e.Path, From: e.From, Kind: string(e.Kind), All: e.Counts, Turn: e.Last,
			Unknown: e.Unknown, Rows: append([]int{}, e.Rows...), Heads: append([]string{}, e.Heads...),
			IDs: append([]int{}, e.IDs...), Sums: append([]string{}, e.Sums...),
			Recent: append([]bool{}, e.Recent...),
		})
	}

	_ = r.host.ExecLua(luaReview, nil, out) // Neovim goes
	r.gates.look()
}
