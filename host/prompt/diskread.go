package prompt

import (
	"context"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// NoteRead marks a call, by its id, that has read files on the disk, past the editor, of which a buffer has unsaved changes: what the agent
// knows of them is the saved version. It does not wait.
func (ps *Prompts) NoteRead(s feature.Session, call string) {
	var t *session.Turn
	var c *transcript.Call
	s.Do(func(st *session.State) {
		of := st.Call(call)
		if of != nil && st.Turn() != nil && of.Kind == acp.ToolKindRead && of.Status == string(acp.ToolCallCompleted) {
			t, c = st.Turn(), of.Clone()
		}
	})
	if t == nil {
		return
	}

	list := c.Input().Paths()
	for _, l := range c.Locations {
		list = append(list, l.Path)
	}

	s.Spawn(func() { // ends when Neovim answers or goes away
		for _, path := range list {
			real, err := buffers.Real(paths.Absolute(path, s.Cwd()))
			if err != nil {
				continue
			}
			s.Do(func(st *session.State) { st.Reads().InTurn(t, real) })
			if ps.lacksUnsaved(s, t, real) {
				s.Do(func(st *session.State) { st.Reads().Saved(call) })
				return
			}
		}
	})
}

// lacksUnsaved reports whether a file that the agent has not read through the editor in a turn has unsaved changes there. It waits for
// Neovim.
func (ps *Prompts) lacksUnsaved(s feature.Session, t *session.Turn, real string) bool {
	readHere := feature.Ask(s, func(*session.State) bool { return t.HasReadHere(real) })
	return !readHere && ps.files.Unsaved(context.Background(), real)
}
