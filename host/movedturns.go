package host

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/rewind"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// lastFile is where the checkpoint at the end of a session's last turn is, "" if nothing is recorded: what the user renames later is
// found by what differs from it, also after a restart.
func (k *history) lastFile(id string) string {
	return k.host.reviewFile(id, "last-turn")
}

// keepLast notes the checkpoint at the end of a session's turn. It waits for the disk.
func (k *history) keepLast(s *Session, c checkpoint.Checkpoint) {
	k.mu.Lock()
	k.last[s.id] = c
	k.mu.Unlock()
	if path := k.lastFile(s.id); path != "" && len(c.Trees) > 0 {
		if err := keep(path, c); err != nil {
			k.host.say("warn", "files that you rename while Neovim is closed are not found again: "+err.Error())
		}
	}
}

// lastOf returns the checkpoint at the end of a session's last turn, false if there is none. It waits for the disk.
func (k *history) lastOf(s *Session) (c checkpoint.Checkpoint, ok bool) {
	k.mu.Lock()
	c, ok = k.last[s.id]
	k.mu.Unlock()
	if ok {
		return c, len(c.Trees) > 0
	}
	if data, err := regular.ReadFile(k.lastFile(s.id)); err == nil {
		_ = json.Unmarshal(data, &c) // what cannot be read has no trees
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if newer, ok := k.last[s.id]; ok {
		c = newer
	}
	k.last[s.id] = c
	return c, len(c.Trees) > 0
}

// between returns the checkpoints between which only others than agents have changed the folders of a session: from the end of its last
// turn till now, or till the beginning of a turn that runs there. It reports false if they are not known.
func (k *history) between(ctx context.Context, store *checkpoint.Store, s *Session) (base, now checkpoint.Checkpoint, ok bool) {
	if base, ok = k.lastOf(s); !ok {
		return base, now, false
	}
	k.mu.Lock()
	var first *running
	for _, r := range k.atWork() {
		if overlap(s.roots, r.session.roots) && (first == nil || r.began.Before(first.began)) {
			first = r
		}
	}
	k.mu.Unlock()
	if first == nil {
		return base, store.Take(ctx, s.roots), ctx.Err() == nil
	}
	if !slices.Equal(first.session.roots, s.roots) {
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

// renew takes the place of the checkpoint at the end of a session's last turn when files have been renamed since: what is renamed later
// is found by the names that they have now, unless they have been renamed again meanwhile. It waits for the disk.
func (k *history) renew(ctx context.Context, s *Session, renamed []string) {
	store := k.checkpoints()
	if _, ok := k.lastOf(s); store == nil || !ok || k.runsIn(s.roots[0]) {
		return
	}
	c := store.Take(ctx, s.roots)
	if ctx.Err() == nil && !k.runsIn(s.roots[0]) && !slices.ContainsFunc(renamed, func(path string) bool { return !isThere(path) }) {
		k.keepLast(s, c)
	}
}

// atWork returns the turns that run, and those that have ended and whose last changes are still being noted. k.mu is held.
func (k *history) atWork() []*running {
	return slices.AppendSeq(slices.Collect(maps.Values(k.turns)), maps.Values(k.closing))
}

// runsIn reports whether a turn runs that may have changed a file by its commands.
func (k *history) runsIn(path string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.ContainsFunc(k.atWork(), func(r *running) bool { return buffers.Inside(r.session.roots, path) })
}

// files returns by path the files of which a session's turns can be taken back, as they have left them; none while a rewind is under
// way. It waits for the disk.
func (k *history) files(s *Session) (files map[string]checkpoint.Version) {
	lock := k.journalLock(s.id)
	if !lock.TryLock() {
		return nil
	}
	defer lock.Unlock()
	_ = k.journal(s.id, func(j *rewind.Journal) error {
		files = j.Files()
		return nil
	})
	return files
}

// earlier returns the paths of files that the sessions have changed that a session goes on from. It waits for the disk.
func (k *history) earlier(s *Session) (paths []string) {
	for _, p := range lineage(s.id, ask(s, (*session.State).Past))[1:] {
		_ = k.journalOf(p.Session, func(j *rewind.Journal) error {
			paths = slices.AppendSeq(paths, maps.Keys(j.Files()))
			return nil
		})
	}
	return paths
}

// moved notes that the user has renamed a file, and what it has. What of that goes to the disk may come a little later.
func (k *history) moved(m rewind.Move, now rewind.Content) {
	k.mu.Lock()
	for _, r := range k.atWork() {
		r.Move(m, now)
	}
	k.mu.Unlock()
	written := map[string]bool{}
	for _, s := range k.host.all() {
		for _, p := range lineage(s.id, ask(s, (*session.State).Past)) {
			if !written[p.Session] {
				written[p.Session] = true
				k.writeMove(p.Session, m)
			}
		}
	}
}

// writeMove notes in the journal of a session that a file was renamed, once nobody uses it.
func (k *history) writeMove(id string, m rewind.Move) {
	write := func() {
		release, err := k.hold(id)
		if err != nil {
			return // its turns are not there, or another Neovim has them, which finds the file itself
		}
		defer release()
		if err := k.journal(id, func(j *rewind.Journal) error { return j.Moved(m) }); err != nil {
			k.host.say("warn", "after a restart :AcpUndo does not know that a file was renamed: "+err.Error())
		}
	}
	lock := k.journalLock(id)
	if lock.TryLock() {
		defer lock.Unlock()
		write()
		return
	}
	caught.Go(func() { // ends when the rewind that uses it does, which may wait for this look
		lock.Lock()
		defer lock.Unlock()
		write()
	})
}

// overlap reports whether a folder of one list is in one of the other.
func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(root string) bool { return buffers.Inside(b, root) }) ||
		slices.ContainsFunc(b, func(root string) bool { return buffers.Inside(a, root) })
}
