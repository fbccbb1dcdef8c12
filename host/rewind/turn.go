package rewind

import (
	"cmp"
	"maps"
	"slices"

	"github.com/nvim-acp/nvim-acp/host/checkpoint"
)

// Turn gathers what happens to files while a turn runs. It is not safe for concurrent use.
type Turn struct {
	loaded map[string]bool     // files that buffers have or had: what they do to the disk is known, and may be the user's
	opened map[string]Content  // what the disk had of those that were opened while the turn ran
	saved  map[string]bool     // files that the user has saved
	had    map[string]*Content // what the disk had of files when they were last heard of; nil: that is not known
	kept   map[string]bool     // files of which the user has kept changes
	edits  []edit              // the agent's, through buffers and through the editor's file methods, in order
	named  map[string]bool     // files that the calls of the turn name
	others []*Turn             // of other sessions, which run at the same time below the same folders
	shared map[string]bool     // files that a turn of the others may as well have changed
	moves  []Move              // files that the user has renamed while the turn runs
	size   int                 // bytes of the edits
}

// edit is a step of a turn.
type edit struct {
	Step
	apart bool // it cannot be joined with the one before of its file
}

// maxEdits is how many bytes the edits of a turn may have before they are joined. Only tests change it.
var maxEdits = 32 << 20

// NewTurn returns a turn that begins, with the paths of the loaded files.
func NewTurn(loaded []string) *Turn {
	t := &Turn{
		loaded: map[string]bool{}, saved: map[string]bool{}, opened: map[string]Content{}, named: map[string]bool{},
		shared: map[string]bool{}, had: map[string]*Content{}, kept: map[string]bool{},
	}
	for _, path := range loaded {
		t.loaded[path] = true
	}
	return t
}

// Beside notes that two turns run at the same time below the same folders.
func Beside(a, b *Turn) {
	a.others, b.others = append(a.others, b), append(b.others, a)
}

// Name notes that a call of the turn names a file.
func (t *Turn) Name(path string) { t.named[path] = true }

// Knows reports whether a file is known to be loaded.
func (t *Turn) Knows(path string) bool { return t.loaded[path] }

// Open notes that a buffer has read a file, and what the disk had then.
func (t *Turn) Open(path string, c Content) {
	if !t.loaded[path] {
		t.loaded[path], t.opened[path] = true, c
	}
}

// Meet notes what the disk has of a file that no buffer has, or had until now. What differs from what it had when it was last heard of is
// the turn's doing; of a file that a buffer had as the turn began, and that nothing was heard of, what differs from then. It reports
// whether the turn has made it from something that the disk was heard to have.
func (t *Turn) Meet(path string, c Content) (made bool) {
	had, heard := t.had[path]
	made = heard && had != nil && !had.Equal(c) && t.Alone(path)
	switch {
	case made:
		t.Edit(Step{Path: path, Before: *had, After: c})
	case !heard && t.loaded[path]:
		if _, opened := t.opened[path]; !opened {
			t.opened[path] = c
		}
	}
	t.had[path] = &c
	return made
}

// Save notes that the user has saved a file, or has had it changed back: what differs there is theirs, unless an edit has it.
func (t *Turn) Save(path string) { t.loaded[path], t.saved[path] = true, true }

// Keep notes that the user keeps what the disk has of a file.
func (t *Turn) Keep(path string, c Content) { t.kept[path], t.had[path] = true, &c }

// Kept returns the files of which the user has kept changes.
func (t *Turn) Kept() []string { return slices.Sorted(maps.Keys(t.kept)) }

// May reports whether the turn, as far as is known, has made what differs in a file on the disk: the user has not saved it, and no turn
// beside it may as well have changed it.
func (t *Turn) May(path string) bool {
	return !t.saved[path] && t.Alone(path)
}

// Alone reports whether no turn beside it may have changed a file as well.
func (t *Turn) Alone(path string) bool {
	named := slices.ContainsFunc(t.others, func(o *Turn) bool { return o.named[path] })
	return len(t.others) == 0 || t.named[path] && !named
}

// Edited reports whether the agent has changed a file through the editor or below it.
func (t *Turn) Edited(path string) bool {
	return slices.ContainsFunc(t.edits, func(e edit) bool { return e.Path == path })
}

// Has notes what the disk has of a file; nil: that is not known.
func (t *Turn) Has(path string, c *Content) { t.had[path] = c }

// Had returns what the disk had of a file when it was last heard of, nil if that is not known. It reports false if the turn has heard
// nothing of the file.
func (t *Turn) Had(path string) (c *Content, heard bool) {
	c, heard = t.had[path]
	return c, heard
}

// Edit notes that the agent has changed a file through the editor or below it. Steps that follow each other are one, unless the
// second deletes the file. A deletion is none once the file is back that a buffer has had meanwhile.
func (t *Turn) Edit(s Step) {
	if s.After.Missing && !t.Edited(s.Path) && slices.ContainsFunc(t.moves, func(m Move) bool { return m.From == s.Path }) {
		return // it has seemed so
	}
	for i, e := range slices.Backward(t.edits) {
		if e.Path != s.Path {
			continue
		}
		if e.After.Missing && !s.Before.Missing { // a buffer has had it all along, and the disk has it again
			t.edits = slices.Delete(t.edits, i, i+1)
			t.size -= e.size()
			t.Edit(s)
			return
		}
		if e.After.Equal(s.Before) && !s.After.Missing && e.Disk == nil && s.Disk == nil {
			t.size += len(s.After.Data) - len(e.After.Data)
			t.edits[i].After = s.After
			return
		}
		break
	}

	if s.Before.Equal(s.After) {
		return
	}
	t.edits = append(t.edits, edit{Step: s})
	t.size += s.size()
	t.shrink()
}

// passes reports whether an edit makes a file that the next one of it, the last, deletes: what comes and goes unseen leaves nothing.
func (t *Turn) passes(i int) bool {
	e := t.edits[i]
	if !e.Before.Missing || t.kept[e.Path] {
		return false
	}
	var next []edit
	for _, o := range t.edits[i+1:] {
		if o.Path == e.Path {
			next = append(next, o)
		}
	}
	return len(next) == 1 && next[0].After.Missing && next[0].Before.Equal(e.After)
}

// shrink joins edits until they are small enough, the oldest ones first.
func (t *Turn) shrink() {
	before := map[string]int{} // by path, its edit before the one that is looked at
	for i := 0; i < len(t.edits) && t.size > maxEdits; {
		path := t.edits[i].Path
		if first, known := before[path]; known && t.join(first, i) {
			continue
		}
		before[path] = i
		i++
	}
}

// join makes one edit of two of a file that follow each other, between which the user has changed it: what the first has done is
// taken back from what the second found. Taken back together, they leave what they leave one after the other. It reports false
// if that cannot be done.
func (t *Turn) join(i, next int) bool {
	first, second := &t.edits[i], &t.edits[next]
	if second.apart || first.Before.Missing || first.Disk != nil || second.Disk != nil { // how it, or a conflict, came to be
		return false
	}

	before, refused := back(second.Before, first.Step)
	if refused != "" {
		second.apart = true
		return false
	}

	joined := Step{Path: first.Path, Before: before, After: second.After}
	t.size += joined.size() - first.size() - second.size()
	first.Step = joined
	t.edits = slices.Delete(t.edits, next, next+1)
	return true
}

// Owner returns which of some turns has changed a file: the only one, or the only one that names it; nil if that is not known,
// which all of them note.
func Owner(turns []*Turn, path string) *Turn {
	if len(turns) == 1 {
		return turns[0]
	}

	var owner *Turn
	for _, t := range turns {
		if !t.named[path] {
			continue
		}
		if owner != nil {
			owner = nil
			break
		}
		owner = t
	}

	if owner == nil {
		for _, t := range turns {
			t.shared[path] = true
		}
	}

	return owner
}

// A Side is what a file had before or after a change: a version that is stored, or a content that is to be.
type Side struct {
	Version checkpoint.Version
	Content *Content // nil: Version has it
}

// Draft is a change whose sides are not all stored yet.
type Draft struct {
	Path          string
	Before, After Side
	Disk          *Sides // as that of a step
}

// Finish returns what the turn has changed, in order for each file, what of the disk it or another turn has changed, and the paths of all
// files of which that is so. Changes are what differs between the checkpoints at its beginning and its end.
func (t *Turn) Finish(changes []checkpoint.Change) (drafts, shared []Draft, unknown []string) {
	onDisk := map[string]bool{}
	for _, c := range t.moved(changes) {
		before, after := Side{Version: c.Old}, Side{Version: c.New}
		if t.loaded[c.Path] {
			first, opened := t.opened[c.Path]
			switch {
			case opened:
				after = Side{Content: &first}
			case t.saved[c.Path] || t.Edited(c.Path):
				continue // the edits have it, and what else differs the user has saved
			}
		}
		switch Owner(append([]*Turn{t}, t.others...), c.Path) {
		case t:
		case nil:
			shared = append(shared, Draft{Path: c.Path, Before: before, After: after})
			continue
		default:
			continue
		}

		onDisk[c.Path] = true
		drafts = append(drafts, Draft{Path: c.Path, Before: before, After: after})
	}

	passed := map[string]bool{}
	for i := range t.edits {
		e := &t.edits[i]
		passed[e.Path] = passed[e.Path] || t.passes(i)
		if onDisk[e.Path] && !t.loaded[e.Path] || e.Before.Equal(e.After) || passed[e.Path] {
			continue // the disk has all of it
		}
		drafts = append(drafts, Draft{e.Path, Side{Content: &e.Before}, Side{Content: &e.After}, e.Disk})
	}

	for path := range t.shared {
		unknown = append(unknown, path)
	}

	slices.Sort(unknown)
	slices.SortStableFunc(drafts, func(a, b Draft) int { return cmp.Compare(a.Path, b.Path) })
	return drafts, shared, unknown
}
