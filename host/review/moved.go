package review

import "slices"

// Moved notes that the user has renamed a file: what is known of it goes with it. What was known of a file that it has replaced is
// dropped. The name counts as the user's, so that no revert takes it back. It reports whether the file is known.
func (d *Desk) Moved(from, to string) (known bool) {
	d.lock()
	defer d.mu.Unlock()
	d.left(from, to, d.sum(from))
	d.leftDeleted(from)
	kept, ok := d.decided[from]
	delete(d.decided, from)
	delete(d.decided, to)
	if ok {
		d.decided[to] = kept
	}
	for _, c := range d.sessions {
		known = c.Moved(from, to) || known
	}
	return known
}

// left is what is known of a name that a file has no more.
type left struct {
	sum uint64 // of what the file had, 0 if that is not known
	to  string // its name since

	deleted   map[string]*File // by session, what was known of it, if it had seemed to be deleted
	decisions int              // that were made by then
}

// left notes that a file has another name, and a sum of what it had. That the one before is gone is found on the disk, too, perhaps later;
// d.mu is held.
func (d *Desk) left(from, to string, had uint64) {
	d.moved[from] = left{sum: had, to: to}
	delete(d.moved, to)
}

// leftDeleted notes what is known of a file that has left, if it seems to be deleted; d.mu is held.
func (d *Desk) leftDeleted(from string) {
	was := d.moved[from]
	was.deleted, was.decisions = map[string]*File{}, d.decisions
	for id, c := range d.sessions {
		if f := c.files[from]; f != nil && !f.now.Exists {
			was.deleted[id] = f.clone()
		}
	}
	d.moved[from] = was
}

// back takes back that the user has moved a file, where that was found before the turn of a session that has moved it was compared, and
// what was seen of the file since; d.mu is held.
func (d *Desk) back(session, from, to string) {
	was := d.moved[from]
	for id, c := range d.sessions {
		if was.to != to || c.files[from] != nil {
			continue
		}
		c.Moved(to, from)
		if f := was.deleted[id]; f != nil && c.files[from] != nil && was.decisions == d.decisions {
			c.files[from] = f
		}
	}
	d.adopt(session, from)
}

// adopt lists what is known of a file with a session whose turn has moved it, and not with another that may have changed it, if nothing
// else is known of either in the file; d.mu is held.
func (d *Desk) adopt(session, path string) {
	c := d.of(session)
	own := c.files[path]
	if own == nil || !own.settled() || c.decidedOn(path) {
		return
	}
	for _, id := range d.order {
		other := d.sessions[id]
		f := other.files[path]
		if id == session || f == nil || !slices.Equal(f.turns(), []Turn{Unknown}) || other.decidedOn(path) {
			continue
		}
		c.files[path], other.files[path] = f, own
		f.along, own.along = own.along, true
		c.touched[path], other.touched[path] = true, true
		return
	}
}

// decidedOn reports whether a decision on changes of a file can be undone.
func (c *Changes) decidedOn(path string) bool {
	return slices.ContainsFunc(c.kept, func(k *kept) bool { return k.path == path }) ||
		slices.ContainsFunc(c.reverts, func(r *Revert) bool { return r.At() == path })
}

// sum returns a sum of what a file has, 0 if no session knows it; d.mu is held.
func (d *Desk) sum(path string) uint64 {
	for _, c := range d.sessions {
		if f := c.files[path]; f != nil {
			now := f.Content()
			return textSum(now.Lines, now.form())
		}
	}
	return 0
}

// hasLeft reports whether a change says no more than that a file has another name by now; d.mu is held.
func (d *Desk) hasLeft(ch report) bool {
	was, ok := d.moved[ch.path]
	return ok && ch.after.Missing && (was.sum == 0 || was.sum == textSum(ch.before.Lines, ch.before.form()))
}

// Moved is [Desk.Moved] for the changes of one session.
func (c *Changes) Moved(from, to string) (known bool) {
	c.settleKept(from)
	c.settleKept(to)
	f := c.files[from]
	if f != nil {
		delete(c.files, from)
		c.touched[from], c.touched[to] = true, true
		f.Path, f.From = to, ""
		for i := range f.names {
			if f.names[i].Path == from {
				f.names[i].Path = to
			}
		}
		c.files[to] = f
	}
	if f == nil && !slices.ContainsFunc(c.reverts, func(r *Revert) bool { return r.At() == from }) {
		return false // of a file that it has replaced, the new text is the user's
	}

	c.reverts = slices.DeleteFunc(c.reverts, func(r *Revert) bool { return r.At() == to })
	for _, r := range c.reverts {
		if r.At() == from {
			r.moved(to)
		}
	}

	c.touched[""] = true
	if f != nil {
		c.touch(f)
	}

	return true
}

// moved notes that the file of a revert has another path by now. Where the revert has renamed it as well, the other name stays.
func (r *Revert) moved(to string) {
	from := r.At()
	for _, s := range []*shape{&r.Before, &r.After} {
		if s.Path == from {
			s.Path, s.From = to, ""
		}
	}
}

// Existing returns the paths of the files that are known and were there when they were last observed, sorted.
func (d *Desk) Existing() []string {
	d.lock()
	defer d.mu.Unlock()
	var paths []string
	for _, c := range d.sessions {
		for path, f := range c.files {
			if f.now.Exists {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// All returns the paths of the files of which a session has changes, or had some that may come back, sorted; with "" of all sessions.
func (d *Desk) All(session string) []string {
	d.look()
	defer d.mu.Unlock()
	var paths []string
	for id, c := range d.sessions {
		if session == "" || session == id {
			paths = append(paths, c.All()...)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
