package review

import "slices"

// onDisk returns what a revert of chosen lines means to a file that has what the disk has, and is shown as another.
func (f *File) onDisk(shown *File, chosen map[int]bool, p Pick) (d OnDisk) {
	places := shown.places()
	was := func(l line) line {
		if i, ok := places[l.id]; ok {
			return shown.lines[i]
		}
		return line{}
	}
	for _, l := range f.lines {
		if chosen[l.id] && l.gone != here && l.by != user && was(l).gone == here {
			d.Unsaved = append(d.Unsaved, l.id)
		}
	}

	for _, h := range f.runs() {
		lines := f.lines[h.from:h.to]
		added := slices.ContainsFunc(lines, func(l line) bool { return l.gone == here })
		part := p.Hunk != 0 || p.Rows // it is all of it without the agent's lines there, too: both have removed the same
		taken := func(l line) bool { return chosen[l.id] && was(l).gone == here && (l.gone == here || !added) }
		stays := func(l line) bool { return l.gone == here && !chosen[l.id] }
		if part && !slices.ContainsFunc(lines, taken) || !part && slices.ContainsFunc(lines, stays) {
			continue
		}
		for _, l := range lines {
			if below := was(l).below; below != 0 && l.gone == gone(below) && (p.Turn == 0 || p.Turn == below) {
				d.Back = append(d.Back, l.id)
			}
		}
	}
	return d
}

// saved returns what a revert has changed of lines that the disk had.
func (r *Revert) saved() []change {
	return slices.DeleteFunc(slices.Clone(r.Lines), func(ch change) bool { return slices.Contains(r.Disk.Unsaved, ch.ID) })
}

// hadOnDisk returns what the disk had before a revert, or before that was undone, if it has just what that has left.
func (r *Revert) hadOnDisk(content *Content) (Content, bool) {
	before, after := r.Disk.before, r.Disk.after
	if r.Undone {
		before, after = after, before
	}
	if content == nil || before == nil || !content.Equal(*after) {
		return Content{}, false
	}
	return *before, true
}

// undoBack takes the lines out of the text again that a revert has brought back on the disk alone, or brings them back if it is redone.
func (f *File) undoBack(r *Revert) {
	for i := range f.lines {
		if l := &f.lines[i]; slices.Contains(r.Disk.Back, l.id) {
			l.gone = here
			if r.Undone {
				l.gone = byUser
			}
		}
	}
}
