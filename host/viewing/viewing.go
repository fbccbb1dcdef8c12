// Package viewing does what a user asks of a transcript: it opens what a row is about, folds blocks, answers what is behind a row,
// notes which rows are seen, and exports all of it.
//
// It has verbs only; package host does not call it but to close it. What a row is about is known by the state of its session.
package viewing

import (
	"os"
	"strings"
	"sync"

	"github.com/nvim-acp/nvim-acp/host/drawing"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/host/webpage"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// The functions of lua/nvim-acp/host.lua that are called here.
const (
	luaGo   = `require("nvim-acp.host").go(...)`
	luaView = `require("nvim-acp.host").view(...)`
)

// Viewer shows what is in the transcripts of all sessions. It is safe for concurrent use.
type Viewer struct {
	host feature.Host
	find func(real string) string

	mu  sync.Mutex // guards dir; held while the disk is waited for
	dir string     // of the files that the system's viewers were given; "" before the first
}

// New returns a viewer. find returns the path that a file has by now, by its real path of before.
func New(h feature.Host, find func(real string) string) *Viewer { return &Viewer{host: h, find: find} }

// Close removes the files that the system's viewers were given. The host is ending, so there are no more.
func (v *Viewer) Close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.dir != "" {
		_ = os.RemoveAll(v.dir) // it is below the system's folder for such files
	}
}

type (
	blockArgs struct {
		feature.Target
		Block  string `msgpack:"block"`
		Part   string `msgpack:"part"`   // of the block; ""
		Row    int    `msgpack:"row"`    // in the block, from 0
		Text   string `msgpack:"text"`   // of the row
		Before int    `msgpack:"before"` // rows above it in the part that have its text
	}
	sourceArgs struct {
		feature.Target
		Block string `msgpack:"block"`
		Row   int    `msgpack:"row"`  // in the block, from 0
		Col   int    `msgpack:"col"`  // in the row, in bytes from 0
		What  string `msgpack:"what"` // "link", "code" or "markdown"
	}
	pageArgs struct {
		Address string `msgpack:"address"`
	}
	shownArgs struct {
		feature.Target
		From transcript.RowPlace `msgpack:"from"`
		To   transcript.RowPlace `msgpack:"to"`
	}
	exportArgs struct {
		feature.Target
		Path  string `msgpack:"path"` // "": shown in a window
		Force bool   `msgpack:"force"`
	}
)

// Verbs are what a user can ask, by their names.
func (v *Viewer) Verbs() map[string]any {
	return map[string]any{
		"again":      feature.OnSession(v.host, again),
		"toggle":     feature.OnSession(v.host, toggle),
		"shown":      feature.OnSession(v.host, look),
		"jump":       feature.OnSession(v.host, v.jump),
		"source_now": v.sourceNow, // a request, answered from memory
		"page_now":   v.pageNow,   // the same
		"export": feature.OnSession(v.host, func(s feature.Session, a exportArgs) {
			s.Spawn(func() { v.export(s, a) }) // ends when the file is written
		}),
	}
}

// again puts a prompt of the transcript into the prompt buffer, to be changed and sent anew.
func again(s feature.Session, a blockArgs) {
	s.Do(func(st *session.State) {
		if text, ok := st.Log().Blocks().Words(a.Block); ok {
			st.Queue().GiveBack(session.Prompt{Text: text, Context: st.Queue().Attached(st.Log().Blocks().KeyOf(a.Block))})
		}
	})
}

// toggle folds a block or a part of it, or unfolds it.
func toggle(s feature.Session, a blockArgs) {
	s.Do(func(st *session.State) { st.Screen().Toggle(a.Block, a.Part) })
}

// look notes which rows of the transcript a window shows that is not at its end.
func look(s feature.Session, a shownArgs) {
	s.Do(func(st *session.State) { st.Log().Drawing().Look(a.From, a.To) })
	drawing.Refine(s)
}

// jump opens what a row of the transcript is about: what is not text there, the place in a file, or the whole of what it
// shows in part.
func (v *Viewer) jump(s feature.Session, a blockArgs) {
	t := feature.Ask(s, func(st *session.State) session.Target {
		return st.Screen().Target(a.Block, a.Part, a.Row, a.Text, a.Before)
	})
	switch {
	case t.Content != nil:
		v.open(s, t.Content)
	case t.Place != nil:
		v.goTo(paths.Absolute(t.Place.Path, s.Cwd()), t.Place.Line)
	case t.Known:
		v.host.Show("block", t.Whole, "markdown")
	}
}

// pageNow answers what page an address is of, while the editor waits. It is nil if it is of none.
func (v *Viewer) pageNow(a pageArgs) (*webpage.Page, error) {
	page, err := webpage.Read(a.Address)
	if err != nil {
		return nil, nil
	}
	return &page, nil
}

// sourceNow answers what is behind a row of a transcript, while the editor waits: the address of a link, the lines of a block of
// code, or the Markdown of the block. It is "" if there is none.
func (v *Viewer) sourceNow(a sourceArgs) (string, error) {
	s := v.host.Session(a.Session)
	if s == nil {
		return "", nil
	}
	if a.What == "markdown" {
		return feature.Ask(s, func(st *session.State) string { return st.Screen().Target(a.Block, "", a.Row, "", 0).Whole }), nil
	}

	var from transcript.Source
	ok := false
	s.Do(func(st *session.State) { from, ok = st.Log().Blocks().Source(a.Block, a.Row) })
	switch {
	case !ok:
		return "", nil
	case a.What == "link":
		return from.Link(a.Col), nil
	}

	return strings.Join(from.Code(), "\n"), nil
}

// export writes the transcript as Markdown, to a file or into a window. It waits for the disk.
func (v *Viewer) export(s feature.Session, a exportArgs) {
	text := feature.Ask(s, func(st *session.State) string { return st.Markdown(s.Cwd()) })
	if a.Path == "" {
		v.host.Show("export", text, "markdown")
		return
	}

	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if a.Force {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}

	err := regular.WriteText(a.Path, flags, text)
	switch {
	case os.IsExist(err):
		v.host.Say("error", "export: the file exists; :AcpExport! replaces it: "+a.Path)
	case err != nil:
		v.host.Say("error", "export: "+err.Error())
	default:
		v.host.Say("info", "exported to "+a.Path)
	}
}
