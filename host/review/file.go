package review

import (
	"slices"

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

	names []name // those that it has had, the last one last, unless no turn has renamed it
	lines []line
	last  int  // id of the newest line
	along bool // another session changes it: what that does is followed, so that both know the order of all lines
	made  Turn // that has created, deleted or renamed it, last
	base  form // without what the agent has changed
	now   form

	latest Turn // that has changed it

	earlier []earlier // texts that it had since the user has last kept something, the last one last
}

// name is a name of a file, and the turn that has given it or has created the file; user where that is not known.
type name struct {
	Path string `json:"path"`
	Turn Turn   `json:"turn,omitempty"`
}

// nameWithout returns the name that a file has where some turns are undone; zero if no turn has renamed it.
func (f *File) nameWithout(undone []Turn) name {
	for _, n := range slices.Backward(f.names) {
		if !slices.Contains(undone, n.Turn) {
			return n
		}
	}
	return name{}
}

// remade notes which turn has given a file its name, or created it, where some are undone.
func (f *File) remade(undone []Turn) {
	if n := f.nameWithout(undone); n.Path == f.Path && n.Turn != user {
		f.made = n.Turn
	}
}

// first returns the first turn that is known to have changed the lines of a file, user if there is none.
func (f *File) first() (first Turn) {
	for _, l := range f.lines {
		for _, t := range []Turn{l.by, Turn(l.gone)} {
			if t > user && (first == user || t < first) {
				first = t
			}
		}
	}
	return first
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
func (f *File) Observe(c Content) { f.observe(c, byHand) }

// A source is who has changed a file, where that is no turn of the session: of a turn's change it says nothing.
type source int

const (
	byHand     source = iota
	byAgent           // of another session
	byDecision        // on changes of another session
)

// observe is Observe of what a source has done, or of what undoes turns.
func (f *File) observe(c Content, by source, undone ...Turn) {
	now := c.form()
	changed := f.edit(c, user, by) || now != f.now
	if now.Exists != f.now.Exists {
		f.base.Exists = now.Exists
	}
	if now.EOL != f.now.EOL {
		f.base.EOL = now.EOL
	}
	f.now = now
	switch {
	case changed && by == byHand:
		f.showHidden()
		f.recall(undone)
	case changed && by == byDecision && now.Exists: // that it is gone does not tell who has removed it
		f.recallForm()
	}
}

// agent notes that a turn has changed a file.
func (f *File) agent(before, after Content, turn Turn) {
	f.Observe(before)
	f.edit(after, turn, byHand)
	f.latest = turn
	if before.Missing != after.Missing {
		f.made = turn
	}
	f.now = after.form()
}

// edit gives a file other lines, and reports whether they are others.
func (f *File) edit(c Content, by Turn, from source) bool {
	now := f.text()
	if slices.Equal(now, c.Lines) {
		return false
	}
	f.apply(buffers.Edits(now, c.Lines), by, from)
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

// places returns where lines are, by their ids.
func (f *File) places() map[int]int {
	out := make(map[int]int, len(f.lines))
	for i, l := range f.lines {
		out[l.id] = i
	}
	return out
}

// clone returns a copy that shares nothing that changes.
func (f *File) clone() *File {
	g := *f
	g.lines = slices.Clone(f.lines)
	g.earlier = slices.Clone(f.earlier)
	return &g
}
