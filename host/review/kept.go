package review

import (
	"cmp"
	"slices"
	"time"
)

// kept is a decision to keep changes of a file. It can be undone until an agent changes the file again.
type kept struct {
	path   string
	time   time.Time
	order  int // of those of one decision
	undone bool
	other  *File // the file before the decision, or after it where that is undone; nil: it was not known then
}

// maxKept is how many decisions to keep something can be undone.
const maxKept = 50

// noteKept notes a decision about a file that has been made; before is the file as it was.
func (c *Changes) noteKept(before *File, now time.Time) {
	c.kept = append(c.kept, &kept{path: before.Path, time: now, other: before})
	if len(c.kept) > maxKept {
		c.kept = slices.Delete(c.kept, 0, len(c.kept)-maxKept)
	}
}

// settleKept makes all decisions to keep changes of a file final.
func (c *Changes) settleKept(path string) {
	c.kept = slices.DeleteFunc(c.kept, func(k *kept) bool { return k.path == path })
}

// settleUndone makes final what was undone, since something else is decided.
func (c *Changes) settleUndone() {
	c.kept = slices.DeleteFunc(c.kept, func(k *kept) bool { return k.undone })
	for _, r := range c.reverts {
		r.Final = r.Final || r.Undone
	}
}

// swap undoes a decision, or redoes it if it is undone. The file has some content by now: what the user has changed since stays theirs.
func (k *kept) swap(c *Changes, content Content) {
	f := c.files[k.path]
	var now *File
	if f != nil {
		now = f.clone()
	}

	delete(c.files, k.path)
	c.touched[k.path] = true
	if k.other != nil {
		g := k.other.clone()
		g.along = f != nil && f.along
		c.files[k.path] = g
		if !g.Content().Equal(content) {
			g.observe(content, byHand)
		}
		c.touch(g)
	}

	k.other, k.undone = now, !k.undone
}

// Decided is a decision that can be undone or redone.
type Decided struct {
	Session string
	Path    string // of the file by now
	Time    time.Time
	Revert  *Revert // nil: it has kept changes

	order int // of those of one time

	kept *kept
}

// compare compares when decisions were made.
func (d *Decided) compare(o *Decided) int {
	return cmp.Or(d.Time.Compare(o.Time), cmp.Compare(d.order, o.order))
}

// Gone reports whether it has kept that a file was deleted, and is undone next.
func (d *Decided) Gone() bool {
	return d.kept != nil && d.kept.other != nil && !d.kept.other.now.Exists
}

// last returns the decision to undo next, or with undone the one to redo.
func (c *Changes) last(undone bool) *Decided {
	var all []*Decided
	for _, r := range c.reverts {
		if r.Final {
			continue
		}
		all = append(all, &Decided{Path: r.At(), Time: r.Time, Revert: r, order: r.Order})
	}

	for _, k := range c.kept {
		all = append(all, &Decided{Path: k.path, Time: k.time, kept: k, order: k.order})
	}

	slices.SortStableFunc(all, func(a, b *Decided) int { return a.compare(b) })
	last := -1
	for i, d := range all {
		if !d.undone() {
			last = i
		}
	}

	switch {
	case undone && last+1 < len(all):
		return all[last+1]
	case !undone && last >= 0:
		return all[last]
	}

	return nil
}

func (d *Decided) undone() bool {
	if d.Revert != nil {
		return d.Revert.Undone
	}
	return d.kept.undone
}
