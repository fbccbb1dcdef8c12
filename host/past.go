package host

import (
	"context"
	"path/filepath"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
)

// readHere notes that the agent reads a file through the editor in this turn.
func (s *Session) readHere(real string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn == nil {
		return
	}
	if s.turn.read == nil {
		s.turn.read = map[string]bool{}
	}
	s.turn.read[real] = true
}

// readPast marks a call that has read files on the disk, past the editor, of which a buffer has unsaved changes: what the agent
// knows of them is the saved version.
func (s *Session) readPast(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.log.Call(id)
	if s.turn == nil || s.replay != nil || c == nil || c.Kind != acp.ToolKindRead || c.Status != string(acp.ToolCallCompleted) {
		return
	}
	paths := inputPaths(c.RawInput)
	for _, l := range c.Locations {
		paths = append(paths, l.Path)
	}
	t := s.turn
	go func() { // ends when Neovim answers or goes away
		for _, path := range paths {
			if !filepath.IsAbs(path) {
				path = filepath.Join(s.cwd, path)
			}
			if real, err := buffers.Real(path); err == nil && s.unsavedElse(t, real) {
				s.change(func() { s.log.ReadSaved(id) })
				return
			}
		}
	}()
}

// unsavedElse reports whether a file that the agent has not read through the editor in a turn has unsaved changes there.
func (s *Session) unsavedElse(t *turn, real string) bool {
	s.mu.Lock()
	here := t.read[real]
	s.mu.Unlock()
	if here {
		return false
	}
	snap, err := call[snapshot](context.Background(), s.host.ed, luaSnapshot, real, false)
	return err == nil && snap.Buf != 0 && snap.Modified
}
