package history

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/rewind"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// ListArgs say which list of turns is wanted.
type ListArgs struct {
	feature.Target
	Talk bool `msgpack:"talk"` // of all prompts of the conversation, also those that have changed no file
}

// turnRow is a turn, or a rewind, as Neovim lists it.
type turnRow struct {
	Owner   string   `msgpack:"owner"` // local id of its session
	ID      int      `msgpack:"id"`    // of its changes in files; 0: none are known
	Turn    string   `msgpack:"turn"`  // key of its prompt, "" of a rewind
	Time    int64    `msgpack:"time"`  // unix; 0: not known
	Prompt  string   `msgpack:"prompt"`
	Agent   string   `msgpack:"agent"`
	Rewind  bool     `msgpack:"rewind"`
	Files   int      `msgpack:"files"`
	Added   int      `msgpack:"added"`
	Removed int      `msgpack:"removed"`
	Gone    bool     `msgpack:"gone"` // all of it has been taken back
	Notes   []string `msgpack:"notes"`

	at time.Time
}

// List tells Neovim which turns there are to go back to.
func (k *History) List(s feature.Session, a ListArgs) {
	s.Spawn(func() { // ends when Neovim answers or goes away
		if k.Settle(s) != nil {
			return // Neovim goes
		}

		var past []record.Past
		var moments []transcript.Moment
		s.Do(func(st *session.State) { past, moments = st.Briefing().Past(), st.Log().Blocks().Moments() })
		rows := []turnRow{}
		for _, p := range lineage(s.LocalID(), past) {
			err := k.Journals.Of(p.Session, func(j *rewind.Journal) error {
				for _, e := range slices.Backward(j.Entries) {
					if e.Rewind() || p.had(e) && !e.Empty() {
						rows = append(rows, rowOf(p.Session, j, e))
					}
				}
				return nil
			})
			if err != nil {
				k.host.Say("error", "the turns cannot be listed: "+plain.Reason(err))
				return
			}
		}

		slices.SortStableFunc(rows, func(a, b turnRow) int { return b.at.Compare(a.at) })
		if err := unkept(k); err != nil && len(rows) == 0 && !a.Talk {
			k.host.Say("info", err.Error())
			return
		}

		origin := ""
		if a.Talk {
			rows = withPrompts(rows, moments, s.Spec().Title)
			if len(past) > 0 {
				origin = past[0].Session
			}
		}

		_ = k.host.ExecLua(luaTurns, nil, s.LocalID(), rows, a.Talk, origin) // Neovim goes
	})
}

func rowOf(owner string, j *rewind.Journal, e rewind.Entry) turnRow {
	row := turnRow{
		Owner: owner, ID: e.ID, Turn: e.Turn, Time: e.Time.Unix(), at: e.Time, Prompt: e.Prompt, Agent: e.Agent, Rewind: e.Rewind(),
		Notes: append([]string{}, e.Notes...), Gone: len(e.Changes) > 0 && len(j.Only(e.ID))+len(rewind.Missing(e.Folders)) == 0,
	}
	paths := map[string]bool{}
	for _, c := range e.Changes {
		paths[c.Path] = true
		row.Added += c.Added
		row.Removed += c.Removed
	}
	row.Files = len(paths)
	return row
}

// withPrompts returns all prompts of a conversation, the newest first, with what is known of their changes, and the rewinds in
// between.
func withPrompts(known []turnRow, moments []transcript.Moment, agent string) []turnRow {
	rows := []turnRow{}
	for _, m := range slices.Backward(moments) {
		row := turnRow{Turn: m.Key, Agent: agent, Notes: []string{}}
		if i := slices.IndexFunc(known, func(r turnRow) bool { return r.Turn == m.Key }); i >= 0 {
			row = known[i]
		}
		row.Prompt = session.FirstLine(m.Text)
		if !m.Time.IsZero() {
			row.Time, row.at = m.Time.Unix(), m.Time
		}
		rows = append(rows, row)
	}

	for _, r := range known {
		if !r.Rewind {
			continue
		}
		i := slices.IndexFunc(rows, func(o turnRow) bool { return !o.at.After(r.at) && !o.Rewind })
		if i < 0 {
			i = len(rows)
		}
		rows = slices.Insert(rows, i, r)
	}

	return rows
}

// ancestor is a session of a conversation, with the time until which it belongs to that.
type ancestor struct {
	record.Past
	last bool // it is the one that goes on
}

// had reports whether a turn of the session belongs to the conversation.
func (p ancestor) had(e rewind.Entry) bool { return p.last || e.Time.UnixMilli() < p.Until }

// lineage returns the sessions of a conversation, the newest first.
func lineage(id string, past []record.Past) []ancestor {
	list := []ancestor{{record.Past{Session: id}, true}}
	for _, p := range past {
		list = append(list, ancestor{p, false})
	}
	return list
}

// unkept returns why nothing is kept of what turns change, nil if it is.
func unkept(k *History) error {
	switch set := k.host.Settings(); {
	case !set.Records():
		return errors.New("nothing is kept of earlier turns: record.enabled is false")
	case !set.FS.Checkpoints:
		return errors.New("nothing is kept of earlier turns: fs.checkpoints is false")
	}
	return nil
}

// part is what is to be taken back of one session's history.
type part struct {
	owner string
	entry rewind.Entry // the first one
	taken []rewind.Taken
	steps []rewind.Step
	lost  map[string]bool // paths of which a side is not stored any more
	notes []string        // what is not known of the turns
	until int64           // see [record.Rewind]

	folders []checkpoint.Folder // that come back
}

// parts returns what is to be taken back, of the newest session first: of one entry, or of all since a prompt or an entry.
func (q request) parts(a RewindArgs, from *transcript.Moment) ([]part, error) {
	store := q.Checkpoints()
	if store == nil {
		return nil, unkept(q.History)
	}

	list := lineage(q.s.LocalID(), feature.Ask(q.s, func(st *session.State) []record.Past { return st.Briefing().Past() }))
	var since time.Time
	switch {
	case from != nil && !a.Only:
		since = from.Time
	default:
		p, err := q.part(store, a.Owner, func(e rewind.Entry) bool { return e.ID == a.Entry }, a.Only, nil)
		if err != nil || p.entry.ID == 0 {
			return nil, cmp.Or(err, errors.New("there is no such turn any more"))
		}
		if a.Only {
			return []part{p}, nil
		}
		since = p.entry.Time
	}

	var parts []part
	for _, owner := range list {
		first := func(e rewind.Entry) bool {
			return from != nil && e.Turn == from.Key || !e.Time.Before(since)
		}
		p, err := q.part(store, owner.Session, first, false, owner.had)
		if err != nil {
			return nil, err
		}
		if len(p.taken)+len(p.notes)+len(p.folders) > 0 { // what is not known is said
			parts = append(parts, p)
		}
	}

	return parts, nil
}

// part returns what is to be taken back of a session since the first entry that is wanted, or of that only. Turns that the
// conversation did not have are left. The zero entry says that there is none.
func (k *History) part(
	store *checkpoint.Store, owner string, first func(rewind.Entry) bool, only bool, had func(rewind.Entry) bool,
) (part, error) {
	p := part{owner: owner}
	err := k.Journals.Of(owner, func(j *rewind.Journal) error {
		i := slices.IndexFunc(j.Entries, first)
		if i < 0 {
			return nil
		}

		p.entry = j.Entries[i]
		if only {
			p.taken = j.Only(p.entry.ID)
		} else {
			p.taken = j.Back(p.entry.ID)
		}

		for _, e := range j.Entries[i:] {
			if e.ID == p.entry.ID || !only && (had == nil || e.Rewind() || had(e)) {
				p.notes = append(p.notes, e.Notes...)
				p.folders = append(p.folders, e.Folders...)
			}
		}

		if had != nil {
			p.taken = slices.DeleteFunc(p.taken, func(t rewind.Taken) bool {
				e := j.Entries[slices.IndexFunc(j.Entries, func(e rewind.Entry) bool { return e.ID == t.Entry })]
				return !e.Rewind() && !had(e)
			})
		}

		return nil
	})

	if err != nil {
		return p, err
	}

	p.folders = rewind.Missing(p.folders)
	changes := make([]rewind.Change, len(p.taken))
	for i, t := range p.taken {
		changes[i] = t.Change
	}

	pairs, lost := k.known(store, changes)
	p.lost = lost
	for i, t := range p.taken {
		step := rewind.Step{Path: t.Path, Before: pairs[i].Before, After: pairs[i].After, New: t.New}
		if t.Disk != nil {
			disk, err := k.Pairs(store, []rewind.Change{{Before: t.Disk.Before, After: t.Disk.After}})
			if err == nil {
				step.Disk = &rewind.Sides{Before: disk[0].Before, After: disk[0].After}
			} else if p.lost == nil {
				p.lost = map[string]bool{t.Path: true}
			} else {
				p.lost[t.Path] = true
			}
		}
		p.steps = append(p.steps, step)
	}

	return p, nil
}

// plan returns what takes parts back, which begin with the newest.
func (k *History) plan(ctx context.Context, parts []part) []rewind.Action {
	steps := stepsOf(parts)
	links := replaced(steps)
	loaded := k.files.AllKnown()
	for i, s := range rewind.OnDisk(steps) {
		if !slices.Contains(loaded, s.Path) {
			steps[i] = s
		}
	}
	return rewind.Plan(steps, func(path string) (rewind.Content, error) {
		for dir := filepath.Dir(path); dir != "/"; dir = filepath.Dir(dir) {
			if links[dir] { // which goes first: what it leads to is another file
				return rewind.Content{Missing: true}, nil
			}
		}
		if slices.ContainsFunc(parts, func(p part) bool { return p.lost[path] }) {
			return rewind.Content{}, checkpoint.ErrGone
		}
		return k.now(ctx, path)
	})
}

// stepsOf returns the steps of parts, in order.
func stepsOf(parts []part) (steps []rewind.Step) {
	for _, p := range slices.Backward(parts) {
		steps = append(steps, p.steps...)
	}
	return steps
}

// refuse refuses to take away files whose buffers have text that is not saved. It waits for the disk and for Neovim.
func (q request) refuse(plan []rewind.Action, parts []part) {
	for _, onDisk := range rewind.Plan(rewind.OnDisk(stepsOf(parts)), rewind.Read) {
		i := slices.IndexFunc(plan, func(a rewind.Action) bool { return a.Path == onDisk.Path && a.Refused == "" })
		if i < 0 || onDisk.Refused != "" || !onDisk.Then.Missing {
			continue
		}
		_ = q.files.Look(q.ctx, onDisk.Path, func(v files.View) error { // what cannot be looked at says so when it is done
			if v.Unsaved() {
				plan[i].Refused = files.ErrUnsaved.Error()
			}
			return nil
		})
	}
}

// onlyShown returns the files that are as before in their buffers, and not on the disk: the user has undone it and not saved.
func onlyShown(parts []part, plan []rewind.Action, unsaved func(path string) bool) (paths []string) {
	for _, a := range rewind.Plan(rewind.OnDisk(stepsOf(parts)), rewind.Read) {
		due := slices.ContainsFunc(plan, func(b rewind.Action) bool { return a.Path == b.Path })
		if !due && a.Refused == "" && unsaved(a.Path) {
			paths = append(paths, a.Path)
		}
	}
	return paths
}

// replaced returns the links that are there now and go when steps are taken back: folders may have been in their places.
func replaced(steps []rewind.Step) map[string]bool {
	links := map[string]bool{}
	seen := map[string]bool{}
	for _, s := range steps {
		if !seen[s.Path] && s.Before.Missing { // the first step of a path says what it was
			info, err := os.Lstat(s.Path)
			links[s.Path] = err == nil && info.Mode().Type() == fs.ModeSymlink
		}
		seen[s.Path] = true
	}
	return links
}

// Settle waits until the last turn of a session is written down.
func (k *History) Settle(s feature.Session) error {
	for {
		k.mu.Lock()
		written := k.unwritten[s.LocalID()]
		k.mu.Unlock()
		if written == nil {
			return nil
		}
		select {
		case <-written:
		case <-k.ctx.Done():
			return k.ctx.Err()
		}
	}
}

// Earlier notes that a buffer has got what the disk had before an agent began to work: it is the user's. It does not wait.
func (k *History) Earlier(c files.Change) {
	open := k.host.Sessions()
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range open {
		if r := k.current(s); r != nil && buffers.Inside(s.Roots(), c.Path) {
			r.Save(c.Path)
			r.Has(c.Path, nil)
		}
	}
}
