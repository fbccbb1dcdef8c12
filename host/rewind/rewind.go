// Package rewind takes back what the turns of an agent have changed in files, also long ago, and keeps what others have changed
// since. It works on plain values: package host reads the files, asks the user and carries out what is planned.
package rewind

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// Content is a file at one moment. The zero value is an empty file.
type Content struct {
	Missing bool // there is no file
	Link    bool // a symbolic link, and Data is its target
	Exec    bool // everyone may execute it
	Own     bool // only its owner may read it, if it is made anew; not compared
	Data    []byte
}

// Equal reports whether two contents are the same.
func (c Content) Equal(o Content) bool {
	if c.Missing || o.Missing {
		return c.Missing == o.Missing
	}
	return c.Link == o.Link && c.Exec == o.Exec && bytes.Equal(c.Data, o.Data)
}

// Text reports whether the file has lines, in any encoding, that can be merged and that an editor shows. A missing file has none, which
// is text as well.
func (c Content) Text() bool {
	if c.Missing || c.Link {
		return c.Missing
	}
	_, err := buffers.Decode(c.Data)
	return err == nil
}

// Lines returns the text of the file in UTF-8, if it has one.
func (c Content) Lines() buffers.Text {
	if utf8.Valid(c.Data) {
		return buffers.Parse(string(c.Data)) // with its byte order mark
	}
	text, err := buffers.Decode(c.Data)
	if err != nil {
		return buffers.Text{}
	}
	return buffers.Parse(text)
}

// bytes returns the lines of the file as they are.
func (c Content) bytes() buffers.Text { return buffers.Parse(string(c.Data)) }

// mixed reports whether the file has characters in UTF-8, and bytes that are none.
func (c Content) mixed() bool {
	return buffers.IsLatin1(c.Data) && bytes.ContainsFunc(c.Data, func(r rune) bool { return r >= utf8.RuneSelf && r != utf8.RuneError })
}

// Step is one change of one file.
type Step struct {
	Path   string // absolute
	Before Content
	After  Content
	Disk   *Sides // what it has made of the disk, where the text that is shown has the markers of a conflict; nil: the same
	New    bool   // the turn that has made the file is taken back: without what others have made of it, it is not there
}

// Sides are what a file had before and after a step.
type Sides struct{ Before, After Content }

func (s Step) size() int {
	n := len(s.Before.Data) + len(s.After.Data)
	if s.Disk != nil {
		n += len(s.Disk.Before.Data) + len(s.Disk.After.Data)
	}
	return n
}

// Then returns a step and what a later one has made of the file, as one step.
func (s Step) Then(later Step) Step {
	if s.Disk != nil || later.Disk != nil {
		s.Disk = &Sides{s.onDisk().Before, later.onDisk().After}
	}
	s.After = later.After
	return s
}

// onDisk returns what a step has made of the disk.
func (s Step) onDisk() Step {
	if s.Disk != nil {
		return Step{Path: s.Path, Before: s.Disk.Before, After: s.Disk.After, New: s.New}
	}
	return s
}

// OnDisk returns what steps have made of the disk.
func OnDisk(steps []Step) []Step {
	out := make([]Step, len(steps))
	for i, s := range steps {
		out[i] = s.onDisk()
	}
	return out
}

// Diverge returns what a step has made of the disk if it has made, or taken back, a conflict in the text that is shown; nil if not.
func Diverge(before, after Content, disk Sides) *Sides {
	if len(buffers.Conflicts(before.Lines().Lines)) == len(buffers.Conflicts(after.Lines().Lines)) {
		return nil
	}
	return &disk
}

// Action is what is to be done to one file so that steps are taken back.
type Action struct {
	Path    string
	Now     Content // what the file has
	Then    Content // what it is to have
	Disk    *Sides  // as that of a step
	Refused string  // why nothing is done, for the user; "" if something is
	Added   int     // lines that come
	Removed int     // lines that go
}

// Step returns the action as the step that it is, so that it can be taken back as well.
func (a Action) Step() Step { return Step{Path: a.Path, Before: a.Now, After: a.Then, Disk: a.Disk} }

// Plan returns by path what takes steps back, which are in the order in which they were made. Now returns what a file has; its
// error refuses the file. A file that already is as it was is left out.
func Plan(steps []Step, now func(path string) (Content, error)) []Action {
	byPath := map[string][]Step{}
	for _, s := range steps {
		byPath[s.Path] = append(byPath[s.Path], s)
	}

	var actions []Action
	for path, list := range byPath {
		a := Action{Path: path}
		current, err := now(path)
		if err != nil {
			a.Refused = err.Error()
			actions = append(actions, a)
			continue
		}

		a.Now, a.Then = current, current
		for len(list) > 0 {
			var s Step
			s, list = last(list, a.Then)
			if a.Then, a.Refused = back(a.Then, s); a.Refused != "" {
				a.Then = current
				break
			}
		}

		empty := !a.Then.Missing && !a.Then.Link && len(a.Then.Data) == 0
		if first := byPath[path][0]; a.Refused == "" && empty && first.New && len(first.Before.Data) > 0 {
			a.Then = Content{Missing: true}
		}
		if a.Refused == "" && a.Now.Equal(a.Then) {
			continue
		}

		a.count()
		actions = append(actions, a)
	}

	slices.SortFunc(actions, func(a, b Action) int { return cmp.Compare(a.Path, b.Path) })
	return actions
}

// last returns the last step of a file that has something now, and those before it. One that deletes a file is none if that was there again
// before the next, as a buffer has it that was open; with the next, which makes it again, it is one if others have changed it since: what
// they have is not in the way of what was deleted.
func last(steps []Step, now Content) (s Step, before []Step) {
	n := len(steps) - 1
	s, before = steps[n], steps[:n]
	if n == 0 || !steps[n-1].After.Missing {
		return s, before
	}
	switch {
	case !s.Before.Missing:
		before = steps[:n-1]
	case !now.Missing && !now.Equal(s.After):
		s.Before, before = steps[n-1].Before, steps[:n-1]
	}
	return s, before
}

// The reasons of a refusal.
const (
	deletedSince = "deleted since"
	createdSince = "created again since"
	overlaps     = "the same lines were changed since"
	notText      = "changed since, and not text"
	conflict     = "it made a conflict there: :AcpRevert takes it back"
)

// back takes one step back from what a file has. It returns why it cannot, or "".
func back(now Content, s Step) (then Content, refused string) {
	switch {
	case now.Equal(s.After):
		return s.Before, ""
	case now.Equal(s.Before):
		return now, "" // somebody has taken it back already
	case now.Missing:
		return now, deletedSince
	case s.After.Missing:
		return now, createdSince
	}

	then = now
	if !s.Before.Missing {
		then.Exec = unlessChanged(now.Exec, s.After.Exec, s.Before.Exec)
	}
	if now.Link == s.After.Link && bytes.Equal(now.Data, s.After.Data) { // only its mode was changed since
		then.Link, then.Data, then.Missing = s.Before.Link, s.Before.Data, s.Before.Missing
		return then, ""
	}
	if now.Link == s.Before.Link && bytes.Equal(now.Data, s.Before.Data) {
		return then, ""
	}
	if !now.Text() || !s.After.Text() || !s.Before.Text() {
		return now, notText
	}

	// What buffers had is in UTF-8 here, what the disk had is as it was.
	lines, encode := Content.Lines, buffers.EncodeLike
	if s.After.mixed() || now.mixed() || s.Before.mixed() {
		lines, encode = Content.bytes, func(text string, _ []byte) ([]byte, error) { return []byte(text), nil }
	}
	base, ours, theirs := lines(s.After), lines(now), lines(s.Before)
	marked := len(buffers.Conflicts(base.Lines))
	if marked > len(buffers.Conflicts(theirs.Lines)) && marked > len(buffers.Conflicts(ours.Lines)) {
		return now, conflict // what was replaced on the disk is in neither
	}
	merged := buffers.Merge(base.Lines, ours.Lines, theirs.Lines)
	if len(merged.Conflicts) > len(buffers.Conflicts(ours.Lines)) {
		return now, overlaps
	}
	if !s.Before.Missing {
		ours.EOL = unlessChanged(ours.EOL, base.EOL, theirs.EOL)
		ours.CRLF = unlessChanged(ours.CRLF, base.CRLF, theirs.CRLF)
		ours.BOM = unlessChanged(ours.BOM, base.BOM, theirs.BOM)
	}

	ours.Lines = merged.Lines
	like := now.Data
	if utf8.Valid(like) && !buffers.IsUTF8(like) {
		like = s.Before.Data
	}
	data, err := encode(ours.String(), like)
	if err != nil {
		return now, err.Error()
	}
	then.Data = data
	then.Missing = s.Before.Missing && len(merged.Lines) == 0
	return then, ""
}

// unlessChanged returns what was before, unless it is not what the step has made of it.
func unlessChanged(now, after, before bool) bool {
	if now == after {
		return before
	}
	return now
}

// count fills in how many lines come and go.
func (a *Action) count() {
	if a.Refused != "" {
		return
	}
	a.Added, a.Removed = Count(a.Now, a.Then)
}

// Count returns how many lines come and go from one content to another; none if either is not text.
func Count(before, after Content) (added, removed int) {
	if !before.Text() || !after.Text() {
		return 0, 0
	}
	for _, e := range buffers.Edits(before.Lines().Lines, after.Lines().Lines) {
		added += len(e.Lines)
		removed += e.End - e.Start
	}
	return added, removed
}
