package session

import "github.com/nvim-acp/nvim-acp/acp"

// Reads are what was seen of how the agent reads files.
type Reads struct {
	screen *Screen
	disk   bool            // a call has read the saved version of a file with unsaved changes
	served bool            // a call that reads was served by the editor
	editor bool            // the agent has read through the editor, which some do only before they edit
	files  map[string]bool // by real path, those that it has read in this session
}

func (r *Reads) add(real string) {
	if r.files == nil {
		r.files = map[string]bool{}
	}
	r.files[real] = true
}

// Here notes that the agent reads a file through the editor, in a turn unless that is nil.
func (r *Reads) Here(real string, t *Turn) {
	r.editor = true
	r.add(real)
	if t == nil {
		return
	}
	if t.read == nil {
		t.read = map[string]bool{}
	}
	t.read[real] = t.read[real] || r.screen.log.Calls().Runs(acp.ToolKindRead)
}

// ByTool notes that the agent has read a file through a tool of the editor, which does not show how it reads itself.
func (r *Reads) ByTool(real string) { r.add(real) }

// Saved notes that a call has read a file as it is saved, while the editor had unsaved changes of it.
func (r *Reads) Saved(call string) {
	r.disk = true
	r.screen.log.Calls().ReadSaved(call)
	r.screen.Refresh()
}

// InTurn notes that a call in a turn has read a file, through the editor or past it.
func (r *Reads) InTurn(t *Turn, real string) {
	r.add(real)
	r.served = r.served || t.read[real]
}

// Has reports whether the agent has read a file in this session.
func (r *Reads) Has(real string) bool { return r.files[real] }

// FromDisk reports whether the agent reads files on the disk, as far as that was seen. Preset is what its preset says: "disk",
// "editor" or "", which counts as long as nothing was seen.
func (r *Reads) FromDisk(preset string) bool {
	switch {
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
