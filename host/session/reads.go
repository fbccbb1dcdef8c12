package session

import (
	"maps"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/host/unsaved"
)

// reads are what was seen of how the agent reads files. The zero value is ready for use.
type reads struct {
	disk   bool            // a call has read the saved version of a file with unsaved changes
	served bool            // a call that reads was served by the editor
	editor bool            // the agent has read through the editor, which some do only before they edit
	files  map[string]bool // by real path, those that it has read in this session
}

func (r *reads) add(real string) {
	if r.files == nil {
		r.files = map[string]bool{}
	}
	r.files[real] = true
}

// ReadHere notes that the agent reads a file through the editor in the running turn.
func (s *State) ReadHere(real string) {
	s.reads.editor = true
	s.reads.add(real)
	t := s.turn
	if t == nil {
		return
	}
	if t.read == nil {
		t.read = map[string]bool{}
	}
	t.read[real] = t.read[real] || s.log.Runs(acp.ToolKindRead)
}

// ReadByTool notes that the agent has read a file through a tool of the editor, which does not show how it reads itself.
func (s *State) ReadByTool(real string) { s.reads.add(real) }

// HasReadHere reports whether the agent has read a file through the editor in a turn.
func (s *State) HasReadHere(t *Turn, real string) bool {
	_, ok := t.read[real]
	return ok
}

// DiskRead returns the running turn and a copy of a call in it that has read files, if it is one; else nil.
func (s *State) DiskRead(call string) (*Turn, *transcript.Call) {
	c := s.log.Call(call)
	if s.turn == nil || s.replay.log != nil || c == nil || c.Kind != acp.ToolKindRead || c.Status != string(acp.ToolCallCompleted) {
		return nil, nil
	}
	return s.turn, c.Clone()
}

// EditCall returns a copy of a call of the running turn that has ended with diffs, if it is one; else nil.
func (s *State) EditCall(call string) *transcript.Call {
	c := s.log.Call(call)
	works := s.turn != nil || s.ChildrenWork()
	if !works || s.replay.log != nil || c == nil || c.Status != string(acp.ToolCallCompleted) || len(c.Diffs()) == 0 {
		return nil
	}
	return c.Clone()
}

// ReadSaved notes that a call has read a file as it is saved, while the editor had unsaved changes of it.
func (s *State) ReadSaved(call string) {
	s.reads.disk = true
	s.log.ReadSaved(call)
	s.changed()
}

// HasRead notes that a call in a turn has read a file, through the editor or past it.
func (s *State) HasRead(t *Turn, real string) {
	s.reads.add(real)
	s.reads.served = s.reads.served || t.read[real]
}

// WasRead reports whether the agent has read a file in this session.
func (s *State) WasRead(real string) bool { return s.reads.files[real] }

// ReadsDisk reports whether the agent reads files on the disk, as far as that was seen. Preset is what its preset says: "disk",
// "editor" or "", which counts as long as nothing was seen.
func (s *State) ReadsDisk(preset string) bool {
	switch r := &s.reads; {
	case r.disk:
		return true
	case r.served:
		return false
	case preset == "disk":
		return true
	default:
		return preset != "editor" && !r.editor
	}
}

// IsCommand reports whether a prompt calls a command of the agent's, which takes no further text.
func (s *State) IsCommand(text string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	name, ok := strings.CutPrefix(word, "/")
	return ok && slices.ContainsFunc(s.offers.commands, func(c acp.AvailableCommand) bool { return c.Name == name })
}

// Told returns what the agent knows of unsaved text.
func (s *State) Told() unsaved.Told { return maps.Clone(s.briefing.unsaved) }

// ToldUnsaved notes that the agent is sent a message on unsaved text, and shows that.
func (s *State) ToldUnsaved(m unsaved.Message) {
	if m.Told == nil {
		return
	}
	s.briefing.unsaved = m.Told
	if m.Text != "" {
		s.log.Told(m.Summary, m.Text)
		s.draw(Soon)
	}
}
