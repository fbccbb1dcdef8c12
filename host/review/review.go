// Package review keeps what agents have changed in files and the user has not decided on: whose each line is, so that every
// change can be kept or taken back, alone and in any order, while both go on writing.
//
// [Changes] are those of one session, as a plain value without a lock. A [Desk] has those of all sessions and is safe for
// concurrent use; package host calls it. Nothing here waits, except where files of the desk itself are read and written.
//
// Each file is a sequence of all lines that it has, had before the agent, or has lost since. A line says who added it and why
// it is gone. The text is the lines that are not gone; what the agent has changed are the lines that one of its turns has added
// or removed. The user's own edits add and remove lines that belong to no turn, so they are neither shown nor taken back.
// Another session's edits are the user's as far as this session is concerned.
package review

import (
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// Turn numbers the turns of a session, from 1.
type Turn int

const (
	user Turn = 0 // the user, and whatever is no turn of the session

	// Unknown is a change that several sessions may have made. No turn's revert touches it.
	Unknown Turn = 1 << 30
)

// Content is a file at one moment.
type Content struct {
	Lines   []string // without line ends
	EOL     bool     // the last line ends with a line end
	Missing bool     // there is no such file
}

// Parse returns the content of a file with a text in UTF-8.
func Parse(text string) Content {
	t := buffers.Parse(text)
	return Content{Lines: t.Lines, EOL: t.EOL}
}

// Equal reports whether two contents are the same.
func (c Content) Equal(o Content) bool {
	return c.form() == o.form() && slices.Equal(c.Lines, o.Lines)
}

func (c Content) form() form {
	return form{Exists: !c.Missing, EOL: c.EOL || len(c.Lines) == 0}
}

// form is what a file has beside its lines.
type form struct {
	Exists bool
	EOL    bool
}

// File is what one session has changed in a file.
type File struct {
	Path string // real path
	From string // the path before a turn has renamed it, ""

	lines []line
	last  int  // id of the newest line
	along bool // another session changes it: what that does is followed, so that both know the order of all lines
	made  Turn // that has created, deleted or renamed it, last
	base  form // without what the agent has changed
	now   form

	earlier []earlier // texts that it had since the user has last kept something, the last one last
}

// newFile returns a file that no agent has changed.
func newFile(path string, c Content) *File {
	f := &File{Path: path, base: c.form(), now: c.form()}
	for _, text := range c.Lines {
		f.lines = append(f.lines, f.line(text, user))
	}
	return f
}

// Content returns the file as it was last observed.
func (f *File) Content() Content {
	c := Content{Lines: f.text(), EOL: f.now.EOL, Missing: !f.now.Exists}
	if len(c.Lines) == 0 {
		c.EOL = false
	}
	return c
}

// Base returns the file without what the agent has changed: the user's text.
func (f *File) Base() Content {
	c := Content{Lines: []string{}, EOL: f.base.EOL, Missing: !f.base.Exists}
	for _, l := range f.lines {
		if l.by == user && (l.gone == here || l.gone > 0) {
			c.Lines = append(c.Lines, l.text)
		}
	}
	if len(c.Lines) == 0 {
		c.EOL = false
	}
	return c
}

// Observe notes what a file has by now. What differs is the user's doing.
func (f *File) Observe(c Content) { f.observe(c, false) }

// observe is Observe, also where another session has changed the file.
func (f *File) observe(c Content, other bool) {
	changed := f.edit(c, user, other)
	now := c.form()
	if now.Exists != f.now.Exists {
		f.base.Exists = now.Exists
	}
	if now.EOL != f.now.EOL {
		f.base.EOL = now.EOL
	}
	f.now = now
	if changed && !other {
		f.recall()
	}
}

// agent notes that a turn has changed a file.
func (f *File) agent(before, after Content, turn Turn) {
	f.Observe(before)
	f.edit(after, turn, false)
	if before.Missing != after.Missing {
		f.made = turn
	}
	f.now = after.form()
}

// edit gives a file other lines, and reports whether they are others.
func (f *File) edit(c Content, by Turn, other bool) bool {
	now := f.text()
	if slices.Equal(now, c.Lines) {
		return false
	}
	f.apply(buffers.Edits(now, c.Lines), by, other)
	return true
}

// text returns the lines that are there.
func (f *File) text() []string {
	out := make([]string, 0, len(f.lines))
	for _, l := range f.lines {
		if l.gone == here {
			out = append(out, l.text)
		}
	}
	return out
}

// Changes are the changes of one session that wait for a decision, and what was decided lately.
type Changes struct {
	turns   []TurnInfo
	files   map[string]*File
	reverts []*Revert
	kept    []*kept         // what was decided to be kept lately, the last one last
	touched map[string]bool // paths of files that are to be saved
	offered offer           // what was to be saved last
}

// TurnInfo is a turn that may have changed files.
type TurnInfo struct {
	Turn   Turn      `json:"turn"`
	Prompt string    `json:"prompt"` // its first line
	Time   time.Time `json:"time"`
}

// NewChanges returns changes of a session that has made none.
func NewChanges() *Changes {
	return &Changes{files: map[string]*File{}, touched: map[string]bool{}}
}

// maxTurns is how many turns are remembered by their prompts.
const maxTurns = 1000

// Begin notes that a turn begins, and returns its number.
func (c *Changes) Begin(prompt string, now time.Time) Turn {
	t := c.Turn() + 1
	c.turns = append(c.turns, TurnInfo{Turn: t, Prompt: prompt, Time: now})
	if len(c.turns) > maxTurns {
		c.turns = slices.Delete(c.turns, 0, len(c.turns)-maxTurns)
	}
	c.touched[""] = true
	return t
}

// Turn returns the number of the last turn, 0 before the first.
func (c *Changes) Turn() Turn {
	if len(c.turns) == 0 {
		return 0
	}
	return c.turns[len(c.turns)-1].Turn
}

// Turns returns the turns, the oldest first. The result must not be changed.
func (c *Changes) Turns() []TurnInfo { return c.turns }

// Changed notes that a turn of the agent has changed a file.
func (c *Changes) Changed(turn Turn, path string, before, after Content) {
	f := c.files[path]
	if f == nil {
		f = newFile(path, before)
		c.files[path] = f
	}
	c.settleKept(path)
	f.agent(before, after, max(turn, 1))
	c.touch(f)
}

// Follow notes that another session is about to change a file, which is followed until Settle.
func (c *Changes) Follow(path string, before Content) {
	if f := c.files[path]; f != nil {
		f.along = true
		return
	}
	f := newFile(path, before)
	f.along = true
	c.files[path] = f
	c.touched[path] = true
}

// Settled reports whether nothing of a file waits for a decision, nor may come back.
func (c *Changes) Settled(path string) bool {
	f := c.files[path]
	return f == nil || f.settled()
}

// Settle ends the following of a file that no session has changes of.
func (c *Changes) Settle(path string) {
	if f := c.files[path]; f != nil && f.along {
		f.along = false
		c.touch(f)
	}
}

// Renamed notes that a turn has moved a file. Its changes move with it.
func (c *Changes) Renamed(turn Turn, from, to string, content Content) {
	f := c.files[from]
	if f == nil {
		f = newFile(from, content)
	}

	delete(c.files, from)
	c.touched[from] = true
	c.settleKept(from)
	c.settleKept(to)
	if f.From == "" {
		f.From = from
	}

	f.Path, f.made = to, max(turn, 1)
	if f.From == to {
		f.From = ""
	}

	c.files[to] = f
	c.touch(f)
}

// Observe notes what a file has by now, if it is known here. What differs is the user's doing, or with other that of another
// session's agent, or of a decision on its changes.
func (c *Changes) Observe(path string, content Content, other bool) {
	if f := c.files[path]; f != nil && !f.Content().Equal(content) {
		f.observe(content, other)
		c.touch(f)
	}
}

// File returns a file that has changes, or had some; nil if it is not known. It must not be changed.
func (c *Changes) File(path string) *File { return c.files[path] }

// Known reports whether a file has changes, or had some that may come back.
func (c *Changes) Known(path string) bool { return c.files[path] != nil }

// Paths returns the paths of the files with changes that wait for a decision, sorted.
func (c *Changes) Paths() []string {
	var out []string
	for path, f := range c.files {
		if f.Unreviewed() {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// touch notes that a file has changed, and forgets it if nothing of it is worth remembering.
func (c *Changes) touch(f *File) {
	c.touched[f.Path] = true
	f.prune()
	f.remember()
	if f.settled() && !f.along {
		delete(c.files, f.Path)
	}
}
