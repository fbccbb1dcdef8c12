package review

import (
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// Committed keeps the changes of a file that the user has committed: those that its committed content has as the text has them.
// It returns how many hunks that were.
func (c *Changes) Committed(path string, head Content) int {
	f := c.files[path]
	if f == nil || !f.now.Exists || head.Missing {
		if f != nil && !f.now.Exists && head.Missing && f.Unreviewed() { // its removal was committed
			return c.Keep(path, Pick{}, time.Time{}).Hunks
		}
		return 0
	}

	edits := buffers.Edits(f.text(), head.Lines)
	kept := 0
	for _, h := range f.Hunks() {
		if slices.ContainsFunc(edits, h.contradicts) {
			continue
		}
		kept += c.Keep(path, Pick{Hunk: h.ID}, time.Time{}).Hunks
	}

	if f := c.files[path]; f != nil && f.Unreviewed() && len(f.Hunks()) == 0 {
		kept += c.Keep(path, Pick{}, time.Time{}).Hunks
	}

	return kept
}

// contradicts reports whether an edit that leads from the text to another says that the other has not the hunk.
func (h Hunk) contradicts(e buffers.Edit) bool {
	end := h.Row + len(h.Added)
	if e.Start < end && e.End > h.Row || h.Row < e.Start && e.Start < end {
		return true
	}
	if e.End < h.Row || e.Start > end {
		return false
	}
	return slices.ContainsFunc(e.Lines, func(text string) bool { return slices.Contains(h.Removed, text) })
}
