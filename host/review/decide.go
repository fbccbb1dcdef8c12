package review

import (
	"slices"
	"time"
)

// Pick says which changes of a file are meant. The zero value means all of them.
type Pick struct {
	Hunk int    // with this id …
	Sum  string // … if it is still the hunk of this sum; "" for whatever it is by now

	Rows        bool // the hunks at these rows, and of their added lines only those
	First, Last int  // rows of the text, from 0

	Turn Turn // of this turn only

	// Edited includes hunks with lines that the user has edited. Without it they are left as they are.
	Edited bool

	Under map[int]bool // lines that others have replaced, as [Desk.Under] returns them: the hunks of those are left as they are
	Disk  OnDisk       // of a revert, as [Desk.TryRevert] has told it
}

// whole reports whether all of a file is meant.
func (p Pick) whole() bool { return p.Hunk == 0 && !p.Rows && p.Turn == 0 }

// moves reports whether what is meant includes that a file was renamed.
func (p Pick) moves(f *File) bool { return p.whole() || p.Turn != 0 && p.Turn == f.made }

// Outcome is what came of a decision.
type Outcome struct {
	Path   string // of the file by now
	Hunks  int    // that were decided
	Left   int    // that were left, since the user has edited lines of them
	Under  int    // that were left, since other agents have replaced lines of them
	Stale  bool   // the hunk is not the one that was meant any more
	Revert int    // id of what was reverted, 0 if nothing was
	Stays  bool   // a file that was created is not deleted, since it has lines of the user's
	Disk   OnDisk // of what TryRevert was given
}

// Keep makes changes the user's. Unless now is zero that can be undone.
func (c *Changes) Keep(path string, p Pick, now time.Time) Outcome {
	f := c.files[path]
	if f == nil {
		return Outcome{}
	}

	p.Edited = true
	chosen, out := f.choose(p)
	if out.Stale || out.Hunks == 0 {
		return out
	}
	if now.IsZero() {
		c.settleKept(path)
	} else {
		c.settleUndone()
		c.noteKept(f.clone(), now)
	}

	f.lines = slices.DeleteFunc(f.lines, func(l line) bool {
		if !chosen[l.id] || l.gone <= here {
			return false
		}
		// A line of an earlier turn that the user has not decided on goes with a decision on the later one, but not the
		// other way round: with the earlier one it becomes a line that was removed from the user's text.
		return p.Turn == 0 || l.gone == gone(p.Turn)
	})
	for i := range f.lines {
		if l := &f.lines[i]; chosen[l.id] && l.gone >= here && l.by != user && (p.Turn == 0 || l.by == p.Turn) {
			l.by, l.own, l.ours = user, "", false
		}
	}

	f.keepForm(p)
	f.earlier = nil // no way leads back behind what the user has decided
	c.touch(f)
	return out
}

// keepForm makes what the agent has done with the whole file the user's: one who keeps a part of a new file keeps the file.
func (f *File) keepForm(p Pick) {
	f.base.Exists = f.now.Exists
	if p.Hunk == 0 && !p.Rows {
		f.From = ""
	}
	if !slices.ContainsFunc(f.lines, line.changed) {
		f.base = f.now
	}
}

// Revert is a revert that can be undone, and redone.
type Revert struct {
	ID     int       `json:"id"`
	Path   string    `json:"path"`
	Time   time.Time `json:"time"`
	Order  int       `json:"order,omitempty"` // of those of one decision
	Undone bool      `json:"undone,omitempty"`
	Final  bool      `json:"final,omitempty"`  // it is undone and something was decided since: it cannot be redone
	Reason string    `json:"reason,omitempty"` // the user's
	Diff   string    `json:"diff"`             // what was reverted, as the agent had made it
	Disk   OnDisk    `json:"disk,omitzero"`
	Told   bool      `json:"told,omitempty"` // the agent has been told that it is reverted

	Lines  []change `json:"lines"`
	Before shape    `json:"before"`
	After  shape    `json:"after"`
}

// OnDisk is what a revert means to the disk alone, where that differs from what the user sees: ids of lines.
type OnDisk struct {
	Unsaved []int `json:"unsaved,omitempty"` // that it takes out of the text, and that the disk does not have
	Back    []int `json:"back,omitempty"`    // that come back on the disk, and in the text are there or were removed by the user

	before, after *Content // what the disk has without the revert, and with it; nil: that is the text, or not known any more
}

// shape returns what the file was like as a whole after the revert, or after that was undone.
func (r *Revert) shape() shape {
	if r.Undone {
		return r.Before
	}
	return r.After
}

// At returns the path of the file as it is by now.
func (r *Revert) At() string { return r.shape().Path }

// change is what a revert has done to a line.
type change struct {
	ID     int   `json:"id"`
	By     Turn  `json:"by,omitempty"` // who added it
	Before state `json:"before"`
	After  state `json:"after"`
}

// state is what a decision changes of a line.
type state struct {
	Gone gone `json:"gone,omitempty"`
	Was  Turn `json:"was,omitempty"`
}

// shape is what a decision changes of a file as a whole.
type shape struct {
	Exists bool   `json:"exists"`
	EOL    bool   `json:"eol"`
	Path   string `json:"path"`
	From   string `json:"from,omitempty"`
}

func (f *File) shape() shape { return shape{f.now.Exists, f.now.EOL, f.Path, f.From} }

// maxReverts is how many reverts can be undone.
const maxReverts = 200

// Revert takes changes out of the text; the file then has what File returns. The user's lines among them stay.
func (c *Changes) Revert(path string, p Pick, reason string, now time.Time) Outcome {
	f := c.files[path]
	if f == nil {
		return Outcome{}
	}

	chosen, out := f.choose(p)
	if out.Stale || out.Hunks == 0 {
		return out
	}

	c.settleUndone()
	r := &Revert{ID: c.nextRevert(), Path: path, Time: now, Reason: reason, Diff: f.diff(chosen), Before: f.shape(), Disk: p.Disk}
	r.Lines = f.take(chosen, p)
	created := f.Kind() == Created
	c.reshape(f, p)
	out.Path = f.Path
	out.Stays = created && f.Kind() != Created && f.now.Exists
	r.After = f.shape()
	c.reverts = append(c.reverts, r)
	if len(c.reverts) > maxReverts {
		c.reverts = slices.Delete(c.reverts, 0, len(c.reverts)-maxReverts)
	}

	c.touch(f)
	out.Revert = r.ID
	return out
}

// take reverts the chosen lines, and returns what that has changed.
func (f *File) take(chosen map[int]bool, p Pick) []change {
	var out []change
	for i := range f.lines {
		l := &f.lines[i]
		if !chosen[l.id] {
			continue
		}
		before := state{l.gone, l.was}
		l.revert(p)
		if after := (state{l.gone, l.was}); after != before {
			out = append(out, change{l.id, l.by, before, after})
		}
	}

	return out
}

// revert takes what a decision means of a line out of the text, or brings it back.
func (l *line) revert(p Pick) {
	added, removed := l.by != user, l.gone > here
	if p.Turn != 0 {
		added, removed = l.by == p.Turn, l.gone == gone(p.Turn)
	}
	switch {
	case l.gone < here:
	case added && (l.gone == here || p.Turn != 0):
		if l.ours && !p.Edited {
			l.gone = here // the agent has overwritten what the user had made of its line
			return
		}
		l.gone = byReverted
	case removed && l.by == user, removed && p.Turn != 0:
		l.gone, l.was, l.lent = here, Turn(l.gone), false
	case removed && l.ours && !p.Edited:
		l.gone = here
	}
}

// reshape gives a file the form that its lines ask for after a revert.
func (c *Changes) reshape(f *File, p Pick) {
	whole := p.moves(f)
	pending := slices.ContainsFunc(f.lines, line.changed)
	text := slices.ContainsFunc(f.lines, func(l line) bool { return l.gone == here })
	switch {
	case text:
		f.now.Exists = true
	case !pending:
		f.now.Exists = f.base.Exists
	}

	if pending {
		return
	}
	switch first := f.first(); {
	case p.Turn != 0 && !f.base.Exists && f.now.Exists && user < first && first < p.Turn:
		f.made = first // which has created it, and is not reverted with the turn that has made it anew
	case p.Turn == 0 || whole:
		f.base.Exists = f.now.Exists // what is left of a created file is the user's
	}
	f.now.EOL = f.base.EOL
	if f.From != "" && whole {
		c.move(f, f.From)
	}
}

// move gives a file another path.
func (c *Changes) move(f *File, path string) {
	delete(c.files, f.Path)
	c.touched[f.Path] = true
	if f.From == "" {
		f.From = f.Path
	}
	f.Path = path
	if f.From == path {
		f.From = ""
	}
	c.files[path] = f
}

func (c *Changes) nextRevert() int {
	if n := len(c.reverts); n > 0 {
		return c.reverts[n-1].ID + 1
	}
	return 1
}

// Undo brings what a revert has taken back into the text, or takes it out again if that was undone. Lines that were changed
// since stay as they are. It returns the paths of the file before and after; "" if nothing can be undone.
func (c *Changes) Undo(r *Revert) (from, to string) {
	before, after := r.After, r.Before
	if r.Undone {
		before, after = after, before
	}

	f := c.files[r.shape().Path]
	if f == nil {
		return "", ""
	}

	places := f.places()
	for _, ch := range r.Lines {
		was, now := ch.After, ch.Before
		if r.Undone {
			was, now = now, was
		}
		i, ok := places[ch.ID]
		if !ok {
			continue
		}
		if l := &f.lines[i]; l.gone == was.Gone && l.by == ch.By { // else it was changed, or kept
			l.gone, l.was = now.Gone, now.Was
		}
	}

	from = f.Path
	if f.now.Exists == before.Exists {
		f.now.Exists = after.Exists || slices.ContainsFunc(f.lines, func(l line) bool { return l.gone == here })
	}
	if f.now.EOL == before.EOL {
		f.now.EOL = after.EOL
	}
	if after.Path != f.Path {
		c.move(f, after.Path)
	}

	r.Undone = !r.Undone
	c.touch(f)
	return from, f.Path
}

// choose returns the ids of the lines that are meant. Those of a hunk that nothing is to be done with are among them, so that
// they go with it.
func (f *File) choose(p Pick) (map[int]bool, Outcome) {
	chosen, out := map[int]bool{}, Outcome{Stale: p.Hunk != 0}
	for _, h := range f.runs() {
		if h.ID == 0 && p.Turn == 0 {
			continue // nothing of it is there or missing; a turn may have had a part in that
		}
		if p.Hunk != 0 {
			if h.ID != p.Hunk {
				continue
			}
			if out.Stale = p.Sum != "" && h.Sum != p.Sum; out.Stale {
				return nil, out
			}
		}

		lines := f.lines[h.from:h.to]
		if p.Turn != 0 &&
			!slices.ContainsFunc(lines, func(l line) bool { return l.gone == here && l.by == p.Turn || l.gone == gone(p.Turn) }) {
			continue
		}
		if p.Rows {
			lines = f.at(h, p.First, p.Last)
		}
		if len(lines) == 0 {
			continue
		}
		switch {
		case !p.Edited && slices.ContainsFunc(lines, func(l line) bool { return l.gone == here && l.ours }):
			out.Left++
			continue
		case slices.ContainsFunc(lines, func(l line) bool { return p.Under[l.id] && (p.Turn == 0 || l.by == p.Turn) }):
			out.Under++
			continue
		}

		out.Hunks++
		for _, l := range lines {
			chosen[l.id] = true
		}
	}

	if out.Hunks == 0 && out.Left == 0 && out.Under == 0 && p.moves(f) && f.Unreviewed() {
		out.Hunks = 1 // it was created, deleted or renamed
	}

	return chosen, out
}

// at returns the lines of a hunk at some rows of the text. Removed lines go with the added one after them, so that the order of
// lines stays; the last ones with the last.
func (f *File) at(h Hunk, first, last int) []line {
	if len(h.Added) == 0 {
		if first <= h.Row && h.Row <= last || last == h.Row-1 {
			return f.lines[h.from:h.to]
		}
		return nil
	}

	var out, before []line // before: lines that are gone, since the last one that is there
	row, chosen := h.Row, false
	for _, l := range f.lines[h.from:h.to] {
		if l.gone != here {
			before = append(before, l)
			continue
		}
		if chosen = first <= row && row <= last; chosen {
			out = append(append(out, before...), l)
		}
		before = nil
		row++
	}

	if chosen {
		out = append(out, before...)
	}
	if !slices.ContainsFunc(out, line.changed) {
		return nil
	}

	return out
}
