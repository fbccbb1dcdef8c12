package transcript

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// FileChange is a change of a file, with its lines as far as they are counted.
type FileChange struct {
	Path           string
	Added, Removed int
	Counted        bool
}

// ending is a turn that has ended and whose changes are not known yet.
type ending struct {
	last      *Block   // of the turn
	line      *Block   // nil: there is nothing to say yet
	spent     []string // what it took, in words
	announced []FileChange
	early     bool // it was not ended by an answer
}

// longTurn is how long a turn takes whose time is told.
const longTurn = 10 * time.Second

// sumUp says at the end of a turn how long it took and what it cost, where that is worth a line.
func (t *Transcript) sumUp(spent []string) {
	var parts []string
	if prompt := t.running.prompt; prompt != nil && !prompt.began.IsZero() {
		if took := t.opts.Now().Sub(prompt.began); took >= longTurn {
			parts = append(parts, seconds(took))
		}
	}
	parts = append(parts, slices.DeleteFunc(slices.Clone(spent), func(s string) bool { return s == "" })...)
	e := &ending{last: t.blocks.last(), announced: t.calls.announced(), spent: parts}
	e.begin(t)
}

// ExpectChanges notes that the last turn has ended early. What its calls have announced may not have happened.
func (t *Transcript) ExpectChanges() {
	e := &ending{last: t.blocks.last(), early: true}
	e.begin(t)
}

// begin says what a turn took. Which files have changed is only known a moment later; see Changed.
func (e *ending) begin(t *Transcript) {
	if len(e.spent) > 0 {
		e.line = t.blocks.add(TurnEnd)
		e.show(t, nil)
	}
	if prompt := t.running.prompt; prompt != nil {
		t.endings[prompt.key()] = e
	}
}

// Announced returns the changes that the calls of a turn that has ended say they have made, until Changed is called. A turn is known by the
// id of its prompt in the record.
func (t *Transcript) Announced(key string) []FileChange {
	if e := t.endings[key]; e != nil {
		return e.announced
	}
	return nil
}

// Changed says in the line at the end of a turn which files it has changed. One that has no line yet gets it there, also where the next
// prompt has come.
func (t *Transcript) Changed(key string, files []FileChange) {
	e := t.endings[key]
	delete(t.endings, key)
	if e == nil || len(files) == 0 {
		return
	}
	if e.line == nil {
		e.line = t.blocks.addBehind(TurnEnd, e.last)
	}
	if e.line != nil {
		if e.early {
			e.line.tone = "AcpDone" // not that of success
		}
		e.show(t, files)
	}
}

// show says which files have changed, and what the turn took.
func (e *ending) show(t *Transcript, files []FileChange) {
	parts := e.spent
	if len(files) > 0 {
		parts = append([]string{t.total(files)}, parts...)
	}

	e.line.text = prose{}
	e.line.text.append(strings.Join(parts, t.opts.Icons.Between()))
	e.line.closed = true
	t.blocks.touch(e.line)
}

// total says how many files have changed, and how many lines if all are counted.
func (t *Transcript) total(changes []FileChange) string {
	paths, added, removed, counted := map[string]bool{}, 0, 0, true
	for _, c := range changes {
		paths[c.Path] = true
		added, removed, counted = added+c.Added, removed+c.Removed, counted && c.Counted
	}

	text := "1 file"
	if len(paths) > 1 {
		text = fmt.Sprintf("%d files", len(paths))
	}
	if counted && added+removed > 0 {
		text += " " + t.opts.Icons.Counts(added, removed)
	}

	return text
}
