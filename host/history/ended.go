package history

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/renamed"
	"github.com/nvim-acp/nvim-acp/host/rewind"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// End notes that the turn of a session has ended, and keeps what it has changed. It does not wait.
func (k *History) End(s feature.Session, t *session.Turn) {
	store := k.Checkpoints()
	k.mu.Lock()
	r := k.turns[s.LocalID()]
	delete(k.turns, s.LocalID())
	e := &ending{made: make(chan struct{})}
	earlier, written := k.unwritten[s.LocalID()], make(chan struct{})
	if r != nil {
		k.ending[s.LocalID()], k.unwritten[s.LocalID()], k.closing[s.LocalID()] = e, written, r
	}

	k.mu.Unlock()

	if r == nil { // it was not sent, and has changed nothing
		k.hooks.Settled(s, t)
		return
	}

	s.Spawn(func() { // ends with the host at the latest
		<-r.kept
		k.mergeRest(s)
		e.after = k.take(store, s, nil, r.before, func() map[string]string { return k.unsaved(s) })
		k.keepLast(s, e.after)
		k.mu.Lock()
		if k.closing[s.LocalID()] == r {
			delete(k.closing, s.LocalID())
		}
		if k.ending[s.LocalID()] == e {
			delete(k.ending, s.LocalID())
		}

		k.mu.Unlock()

		close(e.made)
		k.hooks.Ended()
		if earlier != nil {
			<-earlier // the journal has the turns in their order
		}

		if k.ctx.Err() != nil {
			close(written)
			return // the next Neovim completes it
		}

		k.finish(store, r, e.after)
		if path := k.unfinishedFile(s.LocalID()); path != "" {
			_ = os.Remove(path)
		}

		k.mu.Lock()
		if k.unwritten[s.LocalID()] == written {
			delete(k.unwritten, s.LocalID())
		}

		k.mu.Unlock()

		close(written)
		k.hooks.Settled(s, t)
	})
}

// finish writes down what a turn has changed, and has it reviewed.
func (k *History) finish(store *checkpoint.Store, r *Running, after checkpoint.Checkpoint) {
	var changes []checkpoint.Change
	var notes []string
	if store != nil {
		var err error
		var unclear []string
		if changes, unclear, err = store.Diff(k.ctx, r.before, after); err != nil {
			notes = append(notes, "changes on the disk are not known: "+err.Error())
		}
		notes = append(notes, isUnclear(r.session, unclear)...)
		notes = append(notes, notKept(r.session, r.before, after)...)
	}

	k.meetLast(store, r, changes)
	k.mu.Lock()
	drafts, shared, unknown := r.Finish(changes)
	late := r.late
	k.mu.Unlock()

	if late {
		notes = append(notes, "the agent was at work before its checkpoint was made: changes by programs in that time may be missing")
	}
	if len(unknown) > 0 {
		notes = append(notes, "changed while several sessions were at work, so not undone: "+feature.ShortList(r.session, unknown))
	}

	list, err := k.stored(store, r.session, drafts)
	if err != nil && k.ctx.Err() == nil {
		notes = append(notes, "some changes are not kept: "+err.Error())
	}

	moved := k.review(store, r, list)
	reviewShared(k, store, r, shared)
	if store != nil {
		k.reviewKept(store, r, after)
	}
	e := rewind.Entry{
		Turn: r.key, Time: r.began, Prompt: r.prompt, Agent: r.agent, Changes: list, Notes: notes, Folders: r.before.Removed(),
	}
	if len(list)+len(notes)+len(e.Folders) > 0 {
		k.Journals.append(r.session.LocalID(), e)
	}
	if store != nil {
		drafts = nil
	}
	asked := 0
	sumUp(r.session, r.key, changedFiles(list, moved, drafts), func(path string) bool {
		k.mu.Lock()
		known := r.Knows(path) || r.Edited(path)
		k.mu.Unlock()
		if known || store == nil || !after.Has(path) {
			return known
		}
		if asked++; asked > maxAsked {
			return true
		}
		_, has, err := store.Version(k.ctx, after, path)
		return has || err != nil
	})
}

// maxAsked is of how many files a checkpoint is asked at the end of a turn.
const maxAsked = 20

// meetLast takes in what a turn has made of files that buffers have had, or that the user has had changed back, after it has last heard of
// them, and that no buffer has any more.
func (k *History) meetLast(store *checkpoint.Store, r *Running, changes []checkpoint.Change) {
	loaded := k.files.Known(r.session.Roots())
	for _, c := range changes {
		k.mu.Lock()
		had, _ := r.Had(c.Path)
		meets := had != nil && r.Knows(c.Path) && !c.New.IsLink() && !slices.Contains(loaded, c.Path)
		k.mu.Unlock()
		if !meets {
			continue
		}
		has, err := textIn(k.ctx, store, c.New)
		if err != nil || has.Equal(*had) {
			continue
		}
		k.mu.Lock()
		made := r.Meet(c.Path, has)
		k.mu.Unlock()
		if made && had.Text() && k.hooks.Found(r.session, c.Path, TextOf(*had), TextOf(has), true, false) != nil {
			return // Neovim goes
		}
	}
}

// textIn returns what a version has, in the form in which histories keep texts.
func textIn(ctx context.Context, store *checkpoint.Store, v checkpoint.Version) (rewind.Content, error) {
	if v.Blob == "" {
		return rewind.Content{Missing: true}, nil
	}
	data, err := store.Read(ctx, v)
	if err != nil {
		return rewind.Content{}, err
	}
	has := rewind.Content{Data: data[0]}
	if !has.Text() || len(has.Data) > renamed.MaxBytes {
		return rewind.Content{}, errRaw
	}
	return contentOf(TextOf(has)), nil
}

// reviewKept has reviewed what a turn has made of files after the user has kept changes of it to them.
func (k *History) reviewKept(store *checkpoint.Store, r *Running, after checkpoint.Checkpoint) {
	k.mu.Lock()
	kept := r.Kept()
	k.mu.Unlock()
	for _, path := range kept {
		k.mu.Lock()
		had, _ := r.Had(path)
		alone := r.Alone(path)
		k.mu.Unlock()
		v, known, err := store.Version(k.ctx, after, path)
		if had == nil || !alone || err != nil || v.IsLink() || !known && regular.Exists(path) { // of one that is not there nothing is known
			continue
		}
		has, err := textIn(k.ctx, store, v)
		if err == nil && !has.Equal(*had) && k.hooks.Found(r.session, path, TextOf(*had), TextOf(has), true, false) != nil {
			return // Neovim goes
		}
	}
}

// isUnclear says which files may have been there before a turn, ignored.
func isUnclear(s feature.Session, list []string) (notes []string) {
	if len(list) == 0 {
		return nil
	}
	return []string{"what is ignored has changed, so it is not known whether these are new: " + feature.ShortList(s, list)}
}

// notKept says what two checkpoints, at the beginning and at the end of a turn, do not tell. A folder counts as known only if every
// repository below it is.
func notKept(s feature.Session, before, after checkpoint.Checkpoint) (notes []string) {
	said := map[string]bool{}
	for _, m := range slices.Concat(before.Missing, after.Missing) {
		if !said[m.Root] {
			said[m.Root] = true
			notes = append(notes, fmt.Sprintf("no checkpoint of %s: %s", s.Short(m.Root), m.Reason))
		}
	}

	if list := checkpoint.Unkept(before, after); len(list) > 0 {
		notes = append(notes, "changed and not kept, too large, not readable or of a name that Git reserves: "+feature.ShortList(s, list))
	}
	if list := after.Hidden(); len(list) > 0 {
		notes = append(notes, "ignored by rules that this turn has made or changed, and not undone: "+feature.ShortList(s, list))
	}
	if checkpoint.RulesChanged(before, after) {
		notes = append(notes, "what Git ignores by .git/info/exclude or core.excludesFile was changed, and does not come back: "+
			"later turns do not know such files")
	}
	if list := checkpoint.Lost(before, after); len(list) > 0 {
		notes = append(notes, "the repository itself (.git) does not come back: "+feature.ShortList(s, list))
	}

	return notes
}

// stored returns drafts as changes whose versions are in the store.
func (k *History) stored(store *checkpoint.Store, s feature.Session, drafts []rewind.Draft) ([]rewind.Change, error) {
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
		if d.Disk != nil {
			texts = append(texts, d.Disk.Before.Data, d.Disk.After.Data)
		}
	}

	versions, err := store.Put(k.ctx, s.Roots()[0], texts)
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
		if d.Disk != nil {
			c.Disk = &rewind.Versions{
				Before: version(rewind.Side{Content: &d.Disk.Before}), After: version(rewind.Side{Content: &d.Disk.After}),
			}
		}
		own := store.Owned(d.Path)
		c.Before.Own, c.After.Own = own && c.Before.Blob != "", own && c.After.Blob != ""
		if c.Disk != nil {
			c.Disk.Before.Own, c.Disk.After.Own = own && c.Disk.Before.Blob != "", own && c.Disk.After.Blob != ""
		}
		if c.Before.Blob != c.After.Blob || c.Before.Mode != c.After.Mode {
			list = append(list, c)
		}
	}

	return list, nil
}

// Pairs reads both sides of changes.
func (k *History) Pairs(store *checkpoint.Store, list []rewind.Change) ([]renamed.Pair, error) {
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

	out := make([]renamed.Pair, len(list))
	for i, c := range list {
		out[i] = renamed.Pair{Before: content(c.Before, data[2*i]), After: content(c.After, data[2*i+1])}
	}

	return out, nil
}

// known is pairs, and the paths of those changes of which a side is not stored any more.
func (k *History) known(store *checkpoint.Store, list []rewind.Change) (out []renamed.Pair, lost map[string]bool) {
	if out, err := k.Pairs(store, list); err == nil {
		return out, nil
	}
	out, lost = make([]renamed.Pair, len(list)), map[string]bool{}
	for i, c := range list {
		if one, err := k.Pairs(store, []rewind.Change{c}); err == nil {
			out[i] = one[0]
		} else {
			lost[c.Path] = true
		}
	}
	return out, lost
}

// count counts the lines of changes.
func (k *History) count(store *checkpoint.Store, list []rewind.Change) {
	pairs, err := k.Pairs(store, list)
	if err != nil {
		return // which the next rewind says
	}
	for i, p := range pairs {
		list[i].Added, list[i].Removed = rewind.Count(p.Before, p.After)
	}
}
