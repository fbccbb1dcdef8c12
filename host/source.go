package host

import (
	"strings"

	"github.com/nvim-acp/nvim-acp/host/drawing"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// setWidth notes how wide the rows of a transcript are.
func (s *Session) setWidth(a widthArgs) {
	s.width.Store(int32(a.Width)) // of a transcript that is loaded later
	s.do(func(st *session.State) { st.SetWidth(a.Width) })
	drawing.Refine(featured{s})
}

// look notes which rows of the transcript a window shows that is not at its end.
func (s *Session) look(a shownArgs) {
	s.do(func(st *session.State) { st.Look(a.From, a.To) })
	drawing.Refine(featured{s})
}

// sourceNow answers what is behind a row of a transcript, while the editor waits: the address of a link, the lines of a block of
// code, or the Markdown of the block. It is "" if there is none.
func (h *Host) sourceNow(a sourceArgs) (string, error) {
	s := h.session(a.Session)
	if s == nil {
		return "", nil
	}
	if a.What == "markdown" {
		return ask(s, func(st *session.State) string { return st.Target(a.Block, "", a.Row, "").Whole }), nil
	}

	var from transcript.Source
	ok := false
	s.do(func(st *session.State) { from, ok = st.Source(a.Block, a.Row) })
	switch {
	case !ok:
		return "", nil
	case a.What == "link":
		return from.Link(a.Col), nil
	}
	return strings.Join(from.Code(), "\n"), nil
}
