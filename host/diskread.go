package host

import (
	"context"
	"path/filepath"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// noteDiskRead marks a call that has read files on the disk, past the editor, of which a buffer has unsaved changes: what the agent
// knows of them is the saved version.
func (s *Session) noteDiskRead(id string) {
	var t *session.Turn
	var c *transcript.Call
	s.do(func(st *session.State) { t, c = st.DiskRead(id) })
	if t == nil {
		return
	}
	paths := c.Input().Paths()
	for _, l := range c.Locations {
		paths = append(paths, l.Path)
	}
	s.spawn(func() { // ends when Neovim answers or goes away
		for _, path := range paths {
			if !filepath.IsAbs(path) {
				path = filepath.Join(s.cwd, path)
			}
			real, err := buffers.Real(path)
			if err != nil {
				continue
			}
			s.do(func(st *session.State) { st.HasRead(t, real) })
			if s.unsavedElse(t, real) {
				s.do(func(st *session.State) { st.ReadSaved(id) })
				return
			}
		}
	})
}

// unsavedElse reports whether a file that the agent has not read through the editor in a turn has unsaved changes there.
func (s *Session) unsavedElse(t *session.Turn, real string) bool {
	if ask(s, func(st *session.State) bool { return st.HasReadHere(t, real) }) {
		return false
	}
	return s.host.files.Unsaved(context.Background(), real)
}
