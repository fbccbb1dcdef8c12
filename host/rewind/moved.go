package rewind

import (
	"maps"
	"slices"

	"github.com/nvim-acp/nvim-acp/host/checkpoint"
)

// Move is a file that the user has renamed.
type Move struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// follow returns the path that a file has after some moves, oldest first. It reports false if another file has replaced it.
func follow(path string, moves []Move) (string, bool) {
	for _, m := range moves {
		switch path {
		case m.From:
			path = m.To
		case m.To:
			return "", false
		}
	}
	return path, true
}

// Move notes that the user has renamed a file while the turn runs, and what it has: what the turn has done to it was done to the file of
// the new name. It may have seemed to be deleted by the turn.
func (t *Turn) Move(m Move, now Content) {
	t.moves = append(t.moves, m)
	for _, set := range []map[string]bool{t.loaded, t.saved, t.named, t.shared} {
		if set[m.From] {
			set[m.To] = true
			delete(set, m.From)
		}
	}

	if c, ok := t.opened[m.From]; ok {
		t.opened[m.To] = c
		delete(t.opened, m.From)
	}
	replace(t.had, m)
	replace(t.kept, m)

	t.edits = slices.DeleteFunc(t.edits, func(e edit) bool { return e.Path == m.To })
	for i := range t.edits {
		if t.edits[i].Path == m.From {
			t.edits[i].Path = m.To
			if t.edits[i].After.Missing {
				t.edits[i].After = now
			}
		}
	}
}

// replace moves what is known of a file in the place of what was known of the one that it has replaced.
func replace[V any](known map[string]V, m Move) {
	v, ok := known[m.From]
	delete(known, m.From)
	delete(known, m.To)
	if ok {
		known[m.To] = v
	}
}

// moved returns what differs between the checkpoints of the turn with each file that the user has renamed as one file.
func (t *Turn) moved(changes []checkpoint.Change) []checkpoint.Change {
	if len(t.moves) == 0 {
		return changes
	}

	byPath := map[string]checkpoint.Change{}
	for _, c := range changes {
		byPath[c.Path] = c
	}

	for _, m := range t.moves {
		from, ok := byPath[m.From]
		if !ok {
			continue // it came and went within the turn, or is not in the checkpoints
		}
		to := byPath[m.To]
		byPath[m.To] = checkpoint.Change{Path: m.To, Old: from.Old, New: to.New}
		if from.Old, from.Path = (checkpoint.Version{}), m.From; from.New == (checkpoint.Version{}) {
			delete(byPath, m.From)
		} else {
			byPath[m.From] = from // there is another file of that name
		}
	}

	var out []checkpoint.Change
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		if c := byPath[path]; c.Old.Blob != c.New.Blob || c.Old.Mode != c.New.Mode {
			out = append(out, c)
		}
	}

	return out
}

// moved is a move with the number of entries that were written before it.
type moved struct {
	Move
	after int
}

// Moved notes that the user has renamed a file, if an entry has it. It waits for the disk.
func (j *Journal) Moved(m Move) error {
	if _, has := j.Files()[m.From]; !has {
		return nil
	}
	j.moves = append(j.moves, moved{m, len(j.Entries)})
	return j.write(struct {
		Moved Move `json:"moved"`
	}{m})
}

// Where returns the path by which a file is known now that the entries name, "" if another one has replaced it.
func (j *Journal) Where(path string) string { return j.where(-1, path) }

// where is Where for a file of the entry at an index.
func (j *Journal) where(i int, path string) string {
	var later []Move
	for _, m := range j.moves {
		if m.after > i {
			later = append(later, m.Move)
		}
	}
	now, _ := follow(path, later)
	return now
}

// now returns the entries with the paths that their files have by now, without changes of files that others have replaced.
func (j *Journal) now() []Entry {
	if len(j.moves) == 0 {
		return j.Entries
	}

	list := slices.Clone(j.Entries)
	for i := range list {
		var changes []Change
		for _, c := range list[i].Changes {
			if c.Path = j.where(i, c.Path); c.Path != "" {
				changes = append(changes, c)
			}
		}
		list[i].Changes = changes
	}

	return list
}

// Files returns by path the files that are there as the entries leave them.
func (j *Journal) Files() map[string]checkpoint.Version {
	files := map[string]checkpoint.Version{}
	for _, e := range j.now() {
		for _, c := range e.Changes {
			files[c.Path] = c.After
		}
	}
	maps.DeleteFunc(files, func(_ string, v checkpoint.Version) bool { return v == checkpoint.Version{} })
	return files
}
