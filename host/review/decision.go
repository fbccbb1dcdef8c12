package review

import (
	"maps"
	"slices"
	"time"
)

// Base returns a file without what the agent of a session has changed.
func (d *Desk) Base(session, path string) (Content, bool) {
	d.lock()
	defer d.mu.Unlock()
	if c := d.sessions[session]; c != nil && c.files[path] != nil {
		return c.files[path].Base(), true
	}
	return Content{}, false
}

// Keep makes changes of a session the user's. Unless now is zero that can be undone.
func (d *Desk) Keep(session, path string, p Pick, now time.Time) Outcome {
	d.lock()
	defer d.mu.Unlock()
	c := d.sessions[session]
	if c == nil {
		return Outcome{}
	}
	c.settleBack(path)
	defer d.noteDecided(c, path)()
	out := c.Keep(path, p, now)
	if n := len(c.kept); out.Hunks > 0 && n > 0 && !now.IsZero() {
		c.kept[n-1].order = d.next()
	}
	d.others(session, path, byDecision)
	return out
}

// next returns the number of a decision on a part of what is meant; d.mu is held.
func (d *Desk) next() int {
	d.decisions++
	return d.decisions
}

// noteDecided returns a function that notes what a file has, if nothing of it is left to decide on by then; d.mu is held.
func (d *Desk) noteDecided(c *Changes, path string) func() {
	f := c.files[path]
	if f == nil {
		return func() {}
	}

	has := f.Content()
	return func() {
		if c.files[path] == nil {
			d.decided[path] = decided{textSum(has.Lines, has.form()), time.Now()}
		}
	}
}

// Revert takes changes of a session out of a file, and returns what the file has then.
func (d *Desk) Revert(session, path string, p Pick, reason string, now time.Time) (Content, Outcome) {
	d.lock()
	defer d.mu.Unlock()
	c := d.sessions[session]
	if c == nil || c.files[path] == nil {
		return Content{}, Outcome{}
	}
	f := c.files[path]
	out := c.Revert(path, p, reason, now)
	if out.Revert == 0 {
		return f.Content(), out
	}
	c.reverts[len(c.reverts)-1].Order = d.next()
	d.follow(session, path, out.Path)
	d.others(session, out.Path, byDecision)
	return f.Content(), out
}

// Under returns the lines of a session's changes, by id, that other sessions have replaced by changes which wait for a decision: who takes
// the first ones back alone leaves a text that nobody has written.
func (d *Desk) Under(session, path string) map[int]bool {
	d.look()
	defer d.mu.Unlock()
	c := d.sessions[session]
	if c == nil || c.files[path] == nil {
		return nil
	}

	replaced := map[string][]Hunk{} // by line
	for id, other := range d.sessions {
		if f := other.files[path]; f != nil && id != session {
			for _, h := range d.hunksOf(f) {
				for _, text := range slices.Compact(slices.Sorted(slices.Values(h.Removed))) {
					replaced[text] = append(replaced[text], h)
				}
			}
		}
	}

	row, under := 0, map[int]bool{}
	for _, l := range c.files[path].lines {
		if l.gone == here {
			row++
		} else if l.by != user && l.gone == byOther {
			under[l.id] = slices.ContainsFunc(replaced[l.text], func(h Hunk) bool { return h.Row <= row && row <= h.Row+len(h.Added) })
		}
	}
	return under
}

// follow has the changes of all sessions but one follow a file to the name that a decision on changes of that has given it; d.mu is held.
func (d *Desk) follow(session, from, to string) {
	for id, c := range d.sessions {
		if id != session && from != to {
			c.Moved(from, to)
		}
	}
}

// TryRevert returns what Revert would return, or with content what it would return for a file that has that: what the user has not saved
// is no part of it.
func (d *Desk) TryRevert(session, path string, content *Content, p Pick) (now Content, out Outcome) {
	now = d.try(session, path, content, func(f *File) func(*Changes) {
		chosen, tried := f.choose(p)
		out = tried
		shown := f.clone()
		return func(c *Changes) {
			if out.Stale || out.Hunks == 0 {
				return
			}
			out.Disk = f.onDisk(shown, chosen, p)
			for _, id := range out.Disk.Back {
				chosen[id] = true
			}
			f.take(chosen, p)
			created := f.Kind() == Created
			c.reshape(f, p)
			out.Path, out.Stays = f.Path, created && f.Kind() != Created && f.now.Exists
		}
	})
	if content != nil {
		before := *content
		out.Disk.before, out.Disk.after = &before, &now
	}
	return now, out
}

// TryUndo is TryRevert for Undo. It returns the path after.
func (d *Desk) TryUndo(session, path string, content *Content, r *Revert) (now Content, to string) {
	var was Content
	var known bool
	now = d.try(session, path, content, func(*File) func(*Changes) {
		trial := *r
		was, known = r.hadOnDisk(content)
		if content != nil {
			trial.Lines = r.saved()
		}
		return func(c *Changes) {
			if _, to = c.Undo(&trial); to != "" && content != nil {
				c.files[to].undoBack(&trial)
			}
		}
	})
	if known && to != "" {
		return was, to
	}
	return now, to
}

// try makes a decision on a copy of a file, which may have other content, and returns what it has then. prepare is called before it has
// that content.
func (d *Desk) try(session, path string, content *Content, prepare func(*File) func(*Changes)) Content {
	d.lock()
	defer d.mu.Unlock()

	c := d.sessions[session]
	if c == nil || c.files[path] == nil {
		return Content{}
	}

	f := *c.files[path]
	f.lines = slices.Clone(f.lines)
	f.earlier = slices.Clone(f.earlier)
	trial := NewChanges()
	trial.files[path] = &f
	decide := prepare(&f)
	if content != nil {
		f.observe(*content, byHand)
	}

	decide(trial)
	return f.Content()
}

// Last returns the decision that is undone next, the latest of all sessions, or with redo the one that is redone, the earliest of those
// that are undone. It returns nil if there is none.
func (d *Desk) Last(redo bool) *Decided {
	d.lock()
	defer d.mu.Unlock()
	var last *Decided
	for _, id := range slices.Sorted(maps.Keys(d.sessions)) {
		if of := d.sessions[id].last(redo); of != nil && (last == nil || of.compare(last) > 0 != redo) {
			last = of
			last.Session = id
		}
	}
	return last
}

// Undo undoes a revert, or redoes it if it is undone, and returns what the file has then, and its paths before and after.
func (d *Desk) Undo(session string, r *Revert) (c Content, from, to string) {
	d.lock()
	defer d.mu.Unlock()

	changes := d.sessions[session]
	if changes == nil {
		return Content{}, "", ""
	}

	f := changes.files[r.shape().Path]
	from, to = changes.Undo(r)
	if to == "" {
		return Content{}, "", ""
	}

	d.follow(session, from, to)
	d.others(session, to, byDecision)
	return f.Content(), from, to
}

// Committed keeps what the user has committed of a file.
func (d *Desk) Committed(path string, head Content) int {
	d.lock()
	defer d.mu.Unlock()
	n := 0
	for _, c := range d.sessions {
		c.settleBack(path)
		note := d.noteDecided(c, path)
		n += c.Committed(path, head)
		note()
	}
	return n
}

// Notes returns what the agent of a session is to be told: reverts, and reverts that the user has undone after it was told. It
// counts as told from then on.
func (d *Desk) Notes(session string) []Note {
	d.lock()
	defer d.mu.Unlock()

	c := d.sessions[session]
	if c == nil {
		return nil
	}

	out := c.Untold()
	effects := c.effects()
	for _, r := range c.reverts {
		if r.untold(effects) {
			r.Told = effects[r]
			c.touched[""] = true
		}
	}

	return out
}

// Untold is Notes for another agent that knows the same: the agent of the session is told all the same. It reports false for a session that
// is not open.
func (d *Desk) Untold(session string) ([]Note, bool) {
	d.lock()
	defer d.mu.Unlock()
	c := d.sessions[session]
	if c == nil {
		return nil, false
	}
	return c.Untold(), true
}

// Untold returns what the agent does not know of reverts.
func (c *Changes) Untold() []Note {
	var out []Note
	effects := c.effects()
	for _, r := range c.reverts {
		if r.untold(effects) {
			out = append(out, r.note(effects[r]))
		}
	}
	return out
}

// untold reports whether the agent does not know that a revert is in effect, or that it is no more.
func (r *Revert) untold(effects map[*Revert]bool) bool {
	effect, ok := effects[r]
	return ok && r.Told != effect && r.shows()
}

// RevertsSince returns the reverts of a session that are in effect and were made after a time, of what turns before another time had
// changed: what an agent does not know whose conversation has gone back to between the two.
func (d *Desk) RevertsSince(session string, told, cut time.Time) []Note {
	d.lock()
	defer d.mu.Unlock()

	c := d.sessions[session]
	if c == nil {
		return nil
	}

	forgotten := map[Turn]bool{} // turns that the conversation does not have any more
	for _, t := range c.turns {
		forgotten[t.Turn] = !t.Time.Before(cut)
	}

	var out []Note
	effects := c.effects()
	for _, r := range c.reverts {
		if !effects[r] || !r.shows() || !r.Time.After(told) {
			continue
		}

		whole := len(r.Lines) > 0
		for _, l := range r.Lines {
			by := l.By
			if by == user { // it had removed a line of the user's
				by = Turn(l.Before.Gone)
			}
			whole = whole && forgotten[by]
		}

		if !whole {
			out = append(out, r.note(true))
		}
	}

	return out
}

// shows reports whether a revert has changed what an agent would notice: text, the name of the file, or that it is there.
func (r *Revert) shows() bool {
	return r.Diff != "" || r.Before.Path != r.After.Path || r.Before.Exists != r.After.Exists
}

func (r *Revert) note(effect bool) Note {
	n := Note{Path: r.Path, Diff: r.Diff, Reason: r.Reason, Undone: !effect, Now: r.shape().Path}
	n.Gone = !r.shape().Exists
	return n
}

// Note is what an agent is told of a revert.
type Note struct {
	Path   string // as the agent has it
	Now    string // where the file is …
	Gone   bool   // … unless it is not there any more
	Diff   string // "": its text is the same
	Reason string
	Undone bool // the change that was reverted is there again
}

// Turns returns the turns of a session, the oldest first.
func (d *Desk) Turns(session string) []TurnInfo {
	d.lock()
	defer d.mu.Unlock()
	if c := d.sessions[session]; c != nil {
		return slices.Clone(c.turns)
	}
	return nil
}
