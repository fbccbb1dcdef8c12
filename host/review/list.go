package review

import "slices"

// Entry is a file with changes of a session.
type Entry struct {
	Session string
	Path    string
	From    string
	Kind    Kind
	Counts
	Last    Counts   // of the last turn
	Unknown bool     // another session may have made some of them
	Rows    []int    // of the hunks
	Heads   []string // how much of each hunk was added and removed, and its first line
	IDs     []int    // of the hunks
	Sums    []string
	Recent  []bool // whether the last turn has made some of each hunk
}

// List returns the files with changes that wait for a decision: of one session, or with "" of all.
func (d *Desk) List(session string) []Entry { return d.list(session, "") }

// At returns what waits for a decision in a file.
func (d *Desk) At(path string) []Entry { return d.list("", path) }

func (d *Desk) list(session, file string) []Entry {
	d.look()
	defer d.mu.Unlock()

	var out []Entry
	for _, id := range d.order {
		if session != "" && session != id {
			continue
		}

		c := d.sessions[id]
		for _, path := range c.Paths() {
			if file != "" && file != path {
				continue
			}
			f := c.files[path]
			hunks := d.hunksOf(f)
			e := Entry{Session: id, Path: path, From: f.From, Kind: f.Kind(), Counts: f.counts(hunks), Last: f.of(c.Turn(), hunks)}
			for _, h := range hunks {
				e.Rows, e.Heads = append(e.Rows, h.Row), append(e.Heads, h.head())
				e.IDs, e.Sums = append(e.IDs, h.ID), append(e.Sums, h.Sum)
				e.Recent = append(e.Recent, slices.Contains(h.Turns, c.Turn()))
				e.Unknown = e.Unknown || h.Unknown()
			}
			out = append(out, e)
		}
	}

	return out
}
