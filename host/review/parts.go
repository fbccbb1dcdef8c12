package review

import (
	"slices"
	"time"
)

// Part is what a turn, or with 0 a session, has changed in a file.
type Part struct {
	Entry
	Turn Turn

	Shared bool // several sessions know the file

	began time.Time
}

// Parts returns what a revert of some files takes back, in the order in which that is to be done. What several sessions have changed goes
// turn by turn, the newest first: the lines of one may be in place of another's; then what no turn is known of. Files that are new come
// first: one may be in place of a folder, or in a folder in place of one.
func (d *Desk) Parts(list []Entry) []Part {
	d.look()
	defer d.mu.Unlock()

	sessions, created := map[string]int{}, map[string]bool{} // by path
	for _, e := range list {
		if sessions[e.Path] > 0 {
			continue
		}
		for _, c := range d.sessions {
			if f := c.files[e.Path]; f != nil && !f.settled() {
				sessions[e.Path]++
			}
		}
	}
	for _, e := range list {
		created[e.Path] = created[e.Path] || e.Kind == Created
	}

	var parts []Part
	for _, e := range list {
		c := d.sessions[e.Session]
		shared := sessions[e.Path] > 1
		if shared && c != nil && c.files[e.Path] != nil {
			waits := c.files[e.Path].turns()
			for _, t := range slices.Backward(c.turns) {
				if slices.Contains(waits, t.Turn) {
					parts = append(parts, Part{e, t.Turn, shared, t.Time})
				}
			}
		}
		parts = append(parts, Part{Entry: e, Shared: shared})
	}

	slices.SortStableFunc(parts, func(a, b Part) int {
		if created[a.Path] != created[b.Path] {
			return map[bool]int{true: -1, false: 1}[created[a.Path]]
		}
		return b.began.Compare(a.began)
	})
	return parts
}
