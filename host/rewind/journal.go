package rewind

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// Entry is a turn, or a rewind, with what it has changed in files.
type Entry struct {
	ID      int       `json:"id"`             // counts the entries of a session, from 1
	Turn    string    `json:"turn,omitempty"` // id of its prompt in the record
	Time    time.Time `json:"time"`           // of its beginning
	Prompt  string    `json:"prompt"`         // of a turn, its first line
	Agent   string    `json:"agent"`          // shown name
	Changes []Change  `json:"changes,omitempty"`
	Notes   []string  `json:"notes,omitempty"` // what is not known of its changes, for the user

	Folders []checkpoint.Folder `json:"folders,omitempty"` // that it has removed, and that do not come back as they were by their files
}

// Rewind reports whether the entry is one that takes others back.
func (e Entry) Rewind() bool {
	return slices.ContainsFunc(e.Changes, func(c Change) bool { return len(c.Back) > 0 })
}

// Empty reports whether the entry says nothing: it is of a rewind in which no file could be written.
func (e Entry) Empty() bool { return len(e.Changes)+len(e.Notes)+len(e.Folders) == 0 }

// Change is one change of one file. The zero version is no file.
type Change struct {
	Path   string             `json:"path"`
	Before checkpoint.Version `json:"before,omitzero"`
	After  checkpoint.Version `json:"after,omitzero"`
	Disk   *Versions          `json:"disk,omitempty"` // as that of a step
	Back   []int              `json:"back,omitempty"` // of a rewind, the entries whose changes of the file it has taken back

	Program bool `json:"-"` // the checkpoints have told it: no buffer had the file

	Added   int `json:"added,omitempty"` // lines
	Removed int `json:"removed,omitempty"`
}

// Versions are what a file had before and after a change.
type Versions struct {
	Before checkpoint.Version `json:"before,omitzero"`
	After  checkpoint.Version `json:"after,omitzero"`
}

// Taken is a change that is to be taken back.
type Taken struct {
	Change
	Entry int  // its id
	New   bool // as that of a step
}

// Journal is the entries of one session, the oldest first, in a file with a line for each. The zero value has none and no
// file. A journal is not safe for concurrent use.
type Journal struct {
	Entries []Entry // with the paths that files had when they were written
	moves   []moved
	path    string
}

// Open reads the journal at path, which need not exist. Lines that cannot be read are left out, and named in the error; the
// journal is of use nevertheless. It waits for the disk.
func Open(path string) (*Journal, error) {
	j := &Journal{path: path}
	data, err := regular.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return j, nil
	} else if err != nil {
		return j, err
	}

	var errs []error
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for n := 1; lines.Scan(); n++ {
		var line struct {
			Entry
			Moved *Move `json:"moved"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", path, n, err))
			continue
		}
		if line.Moved != nil {
			j.moves = append(j.moves, moved{*line.Moved, len(j.Entries)})
			continue
		}

		e := line.Entry
		if n := len(j.Entries); n > 0 && j.Entries[n-1].ID == e.ID {
			j.Entries[n-1] = e
			continue
		}

		j.Entries = append(j.Entries, e)
	}

	return j, errors.Join(append(errs, lines.Err())...)
}

// Append gives an entry its id, adds it and writes it to the file. It waits for the disk.
func (j *Journal) Append(e Entry) (id int, err error) {
	e.ID = 1
	if n := len(j.Entries); n > 0 {
		e.ID = j.Entries[n-1].ID + 1
	}
	j.Entries = append(j.Entries, e)
	return e.ID, j.write(e)
}

// Correct replaces the last entry, of which more is known by now. It waits for the disk.
func (j *Journal) Correct(e Entry) error {
	n := len(j.Entries)
	e.ID = j.Entries[n-1].ID
	j.Entries[n-1] = e
	return j.write(e)
}

// write adds a line for an entry, or a move, to the file.
func (j *Journal) write(what any) error {
	if j.path == "" {
		return nil
	}

	line, err := json.Marshal(what)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return err
	}

	f, err := regular.OpenFile(j.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}

	line = append(line, '\n')
	if cut(f) { // the last line is what a killed host has left of one
		line = append([]byte{'\n'}, line...)
	}

	_, err = f.Write(line)
	return errors.Join(err, f.Close())
}

// cut reports whether a file does not end with a line end.
func cut(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return err == nil && last[0] != '\n'
}

// change names one change of an entry.
type change struct {
	entry int
	path  string
}

// Back returns the changes to be taken back so that files are as before the entry with an id, in order. A rewind among them and
// what it has taken back cancel each other out.
func (j *Journal) Back(id int) []Taken {
	off := map[change]bool{}
	j.rewinds(func(e Entry, c Change) {
		if slices.Min(c.Back) < id || off[change{e.ID, c.Path}] {
			return
		}
		off[change{e.ID, c.Path}] = true
		for _, other := range c.Back {
			off[change{other, c.Path}] = true
		}
	})
	return j.pick(func(e Entry) bool { return e.ID >= id }, off)
}

// Only returns the changes of one entry that no rewind has taken back already, in order.
func (j *Journal) Only(id int) []Taken {
	return j.pick(func(e Entry) bool { return e.ID == id }, j.takenBack())
}

// Undone returns when the turns began whose changes of a file are taken back, the oldest first.
func (j *Journal) Undone(path string) (began []time.Time) {
	gone := j.takenBack()
	for _, e := range j.Entries {
		if !e.Rewind() && gone[change{e.ID, path}] {
			began = append(began, e.Time)
		}
	}
	return began
}

// takenBack returns the changes that rewinds have taken back which are in effect themselves.
func (j *Journal) takenBack() map[change]bool {
	gone := map[change]bool{}
	j.rewinds(func(e Entry, c Change) {
		if gone[change{e.ID, c.Path}] {
			return
		}
		for _, other := range c.Back {
			gone[change{other, c.Path}] = true
		}
	})
	return gone
}

// rewinds visits all changes that have taken others back, the newest first.
func (j *Journal) rewinds(visit func(Entry, Change)) {
	for _, e := range slices.Backward(j.now()) {
		for _, c := range e.Changes {
			if len(c.Back) > 0 {
				visit(e, c)
			}
		}
	}
}

// pick returns the changes of the entries that are wanted, without those that are off.
func (j *Journal) pick(wanted func(Entry) bool, off map[change]bool) []Taken {
	var out []Taken
	gone, made := j.takenBack(), map[string]bool{} // made: by path, whether what has made the file is taken back
	for _, e := range j.now() {
		for _, c := range e.Changes {
			if _, known := made[c.Path]; !known {
				made[c.Path] = c.Before == checkpoint.Version{} && gone[change{e.ID, c.Path}]
			}
			if wanted(e) && !off[change{e.ID, c.Path}] {
				out = append(out, Taken{c, e.ID, made[c.Path]})
			}
		}
	}
	return out
}

// Entries returns the ids of the entries that changes of a path are of.
func Entries(taken []Taken, path string) []int {
	var ids []int
	for _, t := range taken {
		if t.Path == path {
			ids = append(ids, t.Entry)
		}
	}
	return ids
}
