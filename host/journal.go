package host

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/review"
	"github.com/nvim-acp/nvim-acp/host/rewind"
)

// finish writes down what a turn has changed, and has it reviewed.
func (k *history) finish(store *checkpoint.Store, r *running, after checkpoint.Checkpoint) {
	var changes []checkpoint.Change
	var notes []string
	if store != nil {
		var err error
		var unclear []string
		if changes, unclear, err = store.Diff(k.ctx, r.before, after); err != nil {
			notes = append(notes, "changes on the disk are not known: "+err.Error())
		}
		if len(unclear) > 0 {
			notes = append(notes, "what is ignored has changed, so it is not known whether these are new: "+r.session.shortList(unclear))
		}
		notes = append(notes, r.session.notKept(r.before, after)...)
	}
	k.mu.Lock()
	drafts, unknown := r.Finish(changes)
	late := r.late
	k.mu.Unlock()
	if late {
		notes = append(notes, "the agent was at work before its checkpoint was made: changes by programs in that time may be missing")
	}
	if len(unknown) > 0 {
		notes = append(notes, "changed while several sessions were at work, so not taken back: "+r.session.shortList(unknown))
	}

	list, err := k.stored(store, r.session, drafts)
	if err != nil && k.ctx.Err() == nil {
		notes = append(notes, "some changes are not kept: "+err.Error())
	}
	k.review(store, r.session, list)
	if len(list) > 0 || len(notes) > 0 {
		k.write(r.session, rewind.Entry{Turn: r.key, Time: r.began, Prompt: r.prompt, Agent: r.agent, Changes: list, Notes: notes})
	}
}

// notKept says what two checkpoints, at the beginning and at the end of a turn, do not tell. A folder counts as known only if every
// repository below it is.
func (s *Session) notKept(before, after checkpoint.Checkpoint) (notes []string) {
	said := map[string]bool{}
	for _, m := range slices.Concat(before.Missing, after.Missing) {
		if !said[m.Root] {
			said[m.Root] = true
			notes = append(notes, fmt.Sprintf("no checkpoint of %s: %s", s.short(m.Root), m.Reason))
		}
	}
	if list := checkpoint.Unkept(before, after); len(list) > 0 {
		notes = append(notes, "changed and not kept, too large or not readable: "+s.shortList(list))
	}
	if list := checkpoint.Lost(before, after); len(list) > 0 {
		notes = append(notes, "the repository itself (.git) does not come back: "+s.shortList(list))
	}
	return notes
}

// stored returns drafts as changes whose versions are in the store.
func (k *history) stored(store *checkpoint.Store, s *Session, drafts []rewind.Draft) ([]rewind.Change, error) {
	if store == nil || len(drafts) == 0 {
		return nil, nil
	}
	var texts [][]byte
	for _, d := range drafts {
		for _, side := range []rewind.Side{d.Before, d.After} {
			if side.Content != nil {
				texts = append(texts, side.Content.Data)
			}
		}
	}
	versions, err := store.Put(k.ctx, s.roots[0], texts)
	if err != nil {
		return nil, err
	}
	version := func(side rewind.Side) checkpoint.Version {
		if side.Content == nil {
			return side.Version
		}
		v := versions[0]
		versions = versions[1:]
		switch {
		case side.Content.Missing:
			return checkpoint.Version{}
		case side.Content.Link:
			v.Mode = "120000"
		case side.Content.Exec:
			v.Mode = "100755"
		}
		return v
	}
	var list []rewind.Change
	for _, d := range drafts {
		c := rewind.Change{
			Path: d.Path, Before: version(d.Before), After: version(d.After),
			Program: d.Before.Content == nil && d.After.Content == nil,
		}
		own := store.Owned(d.Path)
		c.Before.Own, c.After.Own = own && c.Before.Blob != "", own && c.After.Blob != ""
		if c.Before.Blob != c.After.Blob || c.Before.Mode != c.After.Mode {
			list = append(list, c)
		}
	}
	return list, nil
}

// Of changes by programs, those of larger files and of more than so many are not reviewed.
const (
	maxReviewedBytes = 1 << 20
	maxReviewedFiles = 500
)

// pair is both sides of a change.
type pair struct{ before, after rewind.Content }

// pairs reads both sides of changes.
func (k *history) pairs(store *checkpoint.Store, list []rewind.Change) ([]pair, error) {
	var versions []checkpoint.Version
	for _, c := range list {
		versions = append(versions, c.Before, c.After)
	}
	data, err := store.Read(k.ctx, versions...)
	if err != nil {
		return nil, err
	}
	content := func(v checkpoint.Version, data []byte) rewind.Content {
		return rewind.Content{Missing: v == checkpoint.Version{}, Data: data, Link: v.IsLink(), Exec: v.Mode == "100755", Own: v.Own}
	}
	out := make([]pair, len(list))
	for i, c := range list {
		out[i] = pair{content(c.Before, data[2*i]), content(c.After, data[2*i+1])}
	}
	return out, nil
}

// known is pairs, and the paths of those changes of which a side is not stored any more.
func (k *history) known(store *checkpoint.Store, list []rewind.Change) (out []pair, lost map[string]bool) {
	if out, err := k.pairs(store, list); err == nil {
		return out, nil
	}
	out, lost = make([]pair, len(list)), map[string]bool{}
	for i, c := range list {
		if one, err := k.pairs(store, []rewind.Change{c}); err == nil {
			out[i] = one[0]
		} else {
			lost[c.Path] = true
		}
	}
	return out, lost
}

// count counts the lines of changes.
func (k *history) count(store *checkpoint.Store, list []rewind.Change) {
	pairs, err := k.pairs(store, list)
	if err != nil {
		return // which the next rewind says
	}
	for i, p := range pairs {
		list[i].Added, list[i].Removed = rewind.Count(p.before, p.after)
	}
}

// review counts the lines of changes, and has those reviewed that no buffer had.
func (k *history) review(store *checkpoint.Store, s *Session, list []rewind.Change) {
	if store == nil || len(list) == 0 || len(list) > maxReviewedFiles {
		return
	}
	pairs, err := k.pairs(store, list)
	if err != nil {
		return // which the next rewind says
	}
	moved := renames(list, pairs)
	left := map[int]bool{} // what was renamed
	for _, from := range moved {
		left[from] = true
	}
	for i, p := range pairs {
		if from, ok := moved[i]; ok {
			if k.host.review.renamed(s, list[from].Path, list[i].Path, pairs[from].before, p.after) != nil {
				return // Neovim goes
			}
			list[i].Added = len(textOf(p.after).Lines)
			continue
		}
		if left[i] {
			list[i].Removed = len(textOf(p.before).Lines)
			continue
		}
		if !p.before.Text() || !p.after.Text() || max(len(p.before.Data), len(p.after.Data)) > maxReviewedBytes {
			continue
		}
		list[i].Added, list[i].Removed = rewind.Count(p.before, p.after)
		if !list[i].Program {
			continue
		}
		if k.host.review.found(s, list[i].Path, review.Content(textOf(p.before)), review.Content(textOf(p.after))) != nil {
			return // Neovim goes
		}
	}
}

// journalOf calls a function with the journal of a session, by its id. It is read at first use, or if the session is not open each
// time. It waits for the disk.
func (k *history) journalOf(id string, do func(*rewind.Journal) error) error {
	lock := k.journalLock(id)
	lock.Lock()
	defer lock.Unlock()
	return k.journal(id, do)
}

// journalLock returns the lock of whoever uses the journal of a session.
func (k *history) journalLock(id string) *sync.Mutex {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.writing[id] == nil {
		k.writing[id] = new(sync.Mutex)
	}
	return k.writing[id]
}

// journal is journalOf for who has the lock.
func (k *history) journal(id string, do func(*rewind.Journal) error) error {
	open := k.host.session(id) != nil
	k.mu.Lock()
	j := k.journals[id]
	k.mu.Unlock()
	if j == nil || !open {
		var err error
		j = &rewind.Journal{}
		if path := k.journalFile(id); path != "" {
			if j, err = rewind.Open(path); err != nil {
				k.host.say("warn", "some turns are no longer known: "+err.Error())
			}
		}
		k.mu.Lock()
		if open {
			k.journals[id] = j
		}
		k.mu.Unlock()
	}
	return do(j)
}

// write appends to the journal of a session.
func (k *history) write(s *Session, e rewind.Entry) {
	err := k.journalOf(s.id, func(j *rewind.Journal) error {
		_, err := j.Append(e)
		return err
	})
	if err != nil {
		k.host.say("warn", "a turn's changes are not recorded: "+err.Error())
	}
}

// shortList names files for the user, not all if they are many.
func (s *Session) shortList(paths []string) string {
	const most = 5
	var names []string
	for _, path := range paths[:min(len(paths), most)] {
		names = append(names, s.short(path))
	}
	if more := len(paths) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
