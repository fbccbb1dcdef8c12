package history

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/rewind"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// lastFile is where the checkpoint at the end of a session's last turn is, "" if nothing is recorded: what the user renames later is
// found by what differs from it, also after a restart.
func (k *History) lastFile(id string) string {
	return feature.SessionFile(k.host, id, "last-turn")
}

// keepLast notes the checkpoint at the end of a session's turn. It waits for the disk.
func (k *History) keepLast(s feature.Session, c checkpoint.Checkpoint) {
	k.mu.Lock()
	k.last[s.LocalID()] = c
	k.mu.Unlock()
	if path := k.lastFile(s.LocalID()); path != "" && len(c.Trees) > 0 {
		if err := regular.ReplaceJSON(path, c); err != nil {
			k.host.Say("warn", "renames while Neovim is closed are not found: "+plain.Reason(err))
		}
	}
}

// lastOf returns the checkpoint at the end of a session's last turn, false if there is none. It waits for the disk.
func (k *History) lastOf(s feature.Session) (c checkpoint.Checkpoint, ok bool) {
	k.mu.Lock()
	c, ok = k.last[s.LocalID()]
	k.mu.Unlock()

	if ok {
		return c, len(c.Trees) > 0
	}
	if data, err := regular.ReadFile(k.lastFile(s.LocalID())); err == nil {
		_ = json.Unmarshal(data, &c) // what cannot be read has no trees
	}

	k.mu.Lock()
	defer k.mu.Unlock()

	if newer, ok := k.last[s.LocalID()]; ok {
		c = newer
	}

	k.last[s.LocalID()] = c
	return c, len(c.Trees) > 0
}

// Between returns the checkpoints between which only others than agents have changed the folders of a session: from the end of its last
// turn till now, or till the beginning of a turn that runs there. It reports false if they are not known.
func (k *History) Between(ctx context.Context, store *checkpoint.Store, s feature.Session) (base, now checkpoint.Checkpoint, ok bool) {
	if base, ok = k.lastOf(s); !ok {
		return base, now, false
	}

	k.mu.Lock()
	var first *Running
	for _, r := range k.atWork() {
		if overlap(s.Roots(), r.session.Roots()) && (first == nil || r.began.Before(first.began)) {
			first = r
		}
	}

	k.mu.Unlock()

	if first == nil {
		return base, store.Take(ctx, s.Roots()), ctx.Err() == nil
	}
	if !slices.Equal(first.session.Roots(), s.Roots()) {
		return base, now, false
	}

	select {
	case <-first.ready:
	case <-ctx.Done():
		return base, now, false
	}

	k.mu.Lock()
	defer k.mu.Unlock()

	return base, first.before, true
}

// Renew takes the place of the checkpoint at the end of a session's last turn when files have been renamed since: what is renamed later
// is found by the names that they have now. Known are files that are there: if one is not any more, it has been renamed meanwhile, and
// nothing is renewed. It waits for the disk.
func (k *History) Renew(ctx context.Context, s feature.Session, known []string) {
	store := k.Checkpoints()
	if _, ok := k.lastOf(s); store == nil || !ok || k.RunsIn(s.Roots()[0]) {
		return
	}
	c := store.Take(ctx, s.Roots())
	if ctx.Err() == nil && !k.RunsIn(s.Roots()[0]) &&
		!slices.ContainsFunc(known, func(path string) bool { return !regular.Exists(path) }) {
		k.keepLast(s, c)
	}
}

// atWork returns the turns that run, and those that have ended and whose last changes are still being noted. k.mu is held.
func (k *History) atWork() []*Running {
	return slices.AppendSeq(slices.Collect(maps.Values(k.turns)), maps.Values(k.closing))
}

// RunsIn reports whether a turn runs that may have changed a file by its commands.
func (k *History) RunsIn(path string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.ContainsFunc(k.atWork(), func(r *Running) bool { return buffers.Inside(r.session.Roots(), path) })
}

// earlier returns the paths of files that the sessions have changed that a session goes on from. It waits for the disk.
func (k *History) earlier(s feature.Session) (paths []string) {
	for _, p := range lineage(s.LocalID(), feature.Ask(s, func(st *session.State) []record.Past { return st.Briefing().Past() }))[1:] {
		_ = k.Journals.Of(p.Session, func(j *rewind.Journal) error {
			paths = slices.AppendSeq(paths, maps.Keys(j.Files()))
			return nil
		})
	}
	return paths
}

// Moved notes that the user has renamed a file, and what it has. What of that goes to the disk may come a little later.
func (k *History) Moved(m rewind.Move, now rewind.Content) {
	k.mu.Lock()
	for _, r := range k.atWork() {
		r.Move(m, now)
	}

	k.mu.Unlock()

	written := map[string]bool{}
	for _, s := range k.host.Sessions() {
		for _, p := range lineage(s.LocalID(), feature.Ask(s, func(st *session.State) []record.Past { return st.Briefing().Past() })) {
			if !written[p.Session] {
				written[p.Session] = true
				k.Journals.moved(p.Session, m)
			}
		}
	}
}

// overlap reports whether a folder of one list is in one of the other.
func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(root string) bool { return buffers.Inside(b, root) }) ||
		slices.ContainsFunc(b, func(root string) bool { return buffers.Inside(a, root) })
}
