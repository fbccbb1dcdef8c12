package transcript

import "github.com/nvim-acp/nvim-acp/acp"

// EditedPaths returns the paths that the calls of the last turn have edited, as their agent names them.
func (t *Transcript) EditedPaths() []string {
	var paths []string
	for _, it := range t.calls {
		c := it.call
		if it.turn != t.running.turns || c.Kind != acp.ToolKindEdit || c.Status != string(acp.ToolCallCompleted) {
			continue
		}
		for _, d := range c.Diffs() {
			paths = append(paths, d.Path)
		}
		for _, l := range c.Locations {
			paths = append(paths, l.Path)
		}
	}

	return paths
}
