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
	"maps"
	"slices"
	"time"
)

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

// at returns the turns that ran at some times.
func (c *Changes) at(times []time.Time) (turns []Turn) {
	for _, at := range times {
		i := slices.IndexFunc(c.turns, func(t TurnInfo) bool { return t.Time.After(at) })
		if i < 0 {
			i = len(c.turns)
		}
		if i > 0 {
			turns = append(turns, c.turns[i-1].Turn)
		}
	}
	return turns
}

// Turns returns the turns, the oldest first. The result must not be changed.
func (c *Changes) Turns() []TurnInfo { return c.turns }

// Changed notes that a turn of the agent has changed a file.
func (c *Changes) Changed(turn Turn, path string, before, after Content) {
	c.ChangedBelow(turn, path, before, after, nil)
}

// ChangedBelow is Changed where the disk has something else. A file begins with that: what is not saved is the user's change of it.
func (c *Changes) ChangedBelow(turn Turn, path string, before, after Content, saved *Disk) {
	turn = max(turn, 1)
	f := c.files[path]
	if f == nil {
		f = newFile(path, before.over(saved))
		f.Observe(before)
		f.remember()
		c.files[path] = f
	}
	c.settleKept(path)
	f.Observe(before)
	below := f.removedBelow(turn, saved)
	f.agent(before, after, turn)
	f.hide(turn, below)
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

	at := slices.IndexFunc(f.names, func(n name) bool { return n.Path == from })
	if at < 0 {
		first := name{from, f.made}
		if f.made == turn { // which has been seen to delete it
			first.Turn = user
		}
		f.names, at = []name{first}, 0
	}
	f.names = append(slices.Clip(f.names[:at+1]), name{to, turn})

	f.Path, f.made = to, turn
	if f.From == to {
		f.From = ""
	}

	c.files[to] = f
	c.touch(f)
}

// renamedBack moves the changes of a file that has gone to the name that it has where some turns are undone, and returns that. They are
// forgotten where another file has that name.
func (c *Changes) renamedBack(path string, undone []Turn) string {
	f := c.files[path]
	if f == nil {
		return path
	}
	to := f.nameWithout(undone)
	if to.Path == "" || to.Path == path {
		return path
	}

	delete(c.files, path)
	c.touched[path], c.touched[to.Path] = true, true
	c.settleKept(path)
	if c.files[to.Path] != nil {
		return path
	}
	f.Path, f.From = to.Path, f.names[0].Path
	if f.From == f.Path {
		f.From = ""
	}
	c.files[f.Path] = f
	return f.Path
}

// Observe notes what a file has by now, if it is known here. What differs is a source's doing. Turns that it undoes have not changed what
// the file had when it had this before.
func (c *Changes) Observe(path string, content Content, by source, undone ...Turn) {
	if f := c.files[path]; f != nil && !f.Content().Equal(content) {
		f.observe(content, by, undone...)
		c.touch(f)
	}
}

// File returns a file that has changes, or had some; nil if it is not known. It must not be changed.
func (c *Changes) File(path string) *File { return c.files[path] }

// Known reports whether a file has changes, or had some that may come back.
func (c *Changes) Known(path string) bool { return c.files[path] != nil }

// All returns the paths of the files that are known, sorted.
func (c *Changes) All() []string { return slices.Sorted(maps.Keys(c.files)) }

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
