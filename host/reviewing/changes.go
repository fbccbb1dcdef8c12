package reviewing

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/history"
	"github.com/nvim-acp/nvim-acp/host/review"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// Changed takes in what the agent of a session has changed, or what was found on the disk below a buffer: by is nil then. Those of a file
// come in their order. It waits only for what the file had before commands of the agent's may have changed it.
func (r *Review) Changed(by feature.Session, c files.Change) {
	if r.host.Settings().Review == "off" {
		return
	}

	var sessions []string
	if by != nil {
		sessions = []string{by.LocalID()}
	} else {
		sessions = r.working(c.Path)
	}

	r.heed(c.Path, c.Met != nil) // of a buffer, what the user saves after its change has that already, and says no more than Before
	if c.Met != nil {
		r.drop(c.Path, true) // before the change is compared with it
		r.meet(c.Path, review.Content(c.Met.Text), c.Met.Touched, r.history.Heard(r.agents(c.Path), c.Path))
	}

	var saved *review.Disk
	if c.Saved != nil {
		saved = &review.Disk{Before: review.Content(c.Saved.Before), After: review.Content(c.Saved.After)}
	}
	r.ledger.ChangedBelow(sessions, c.Path, review.Content(c.Before), review.Content(c.After), saved)
	r.Poke(c.Path)
}

// Reported notes that a buffer has read a file which no buffer had: what agents at work have made of it before is theirs, not the user's.
// Or that the user has saved one, which is theirs. It does not wait.
func (r *Review) Reported(report files.Report) {
	if !report.Wrote {
		r.moves.Opened(report.Path)
	}
	wants := report.Opened && !report.Wrote || report.Wrote && !report.Own
	if !wants || r.host.Settings().Review == "off" {
		return
	}
	agents := r.agents(report.Path)
	if len(agents) == 0 {
		return
	}

	// Asked before the turn hears of what follows.
	r.reports.add(heard{report, r.history.Heard(agents, report.Path)})
	caught.Go(func() { // ends when Neovim answers or goes away
		defer r.Poke(report.Path)
		if r.see(report.Path, func(files.View) {}) != nil { // it cannot be read, and would be compared with what it has later
			r.reports.take(report.Path)
		}
	})
}

// meet takes in what commands of agents at work have made of a file that no buffer has, or had until now, as it is met on the disk: it was
// last touched at some time, and a turn had heard something of it. It waits for checkpoints, a second at most.
func (r *Review) meet(path string, now review.Content, touched time.Time, h history.Heard) {
	if touched.IsZero() {
		return
	}
	if known, ok := r.ledger.Content(path); ok {
		r.ledger.Changed(r.atWork(path, nil), path, known, now)
		return
	}
	if was, ok := r.was(h, path, touched); ok {
		r.ledger.Changed([]string{was.By.LocalID()}, path, review.Content(was.Text), now)
	}
}

// was is [history.History.Was], unless the user has kept the last of the file's changes since the turn was asked what it had heard: that
// says nothing of the file any more.
func (r *Review) was(h history.Heard, path string, touched time.Time) (history.Was, bool) {
	was, ok := r.history.Was(h, path, touched)
	return was, ok && !r.ledger.KeptSince(path, h.At)
}

// heed takes in what was seen of a file at a glance, and what Neovim has reported of it: all of that, or what came before a buffer has
// opened it last.
func (r *Review) heed(path string, all bool) {
	for _, g := range r.glances.take(path) {
		r.takeIn(path, g.view, g.sessions)
	}
	list := r.reports.take(path)
	if !all {
		last := -1
		for i, report := range list {
			if !report.Wrote {
				last = i
			}
		}
		list = list[:last+1]
	}

	for _, report := range list {
		text, ok := report.Version()
		switch {
		case !ok:
		case report.Wrote:
			r.ledger.Observe(path, review.Content(text))
		default:
			r.meet(path, review.Content(text), time.Now(), report.Heard)
		}
	}
}

// agents returns the sessions whose agents may be changing a file.
func (r *Review) agents(path string) (list []feature.Session) {
	for _, s := range r.host.Sessions() {
		if buffers.Inside(s.Roots(), path) && s.AtWork() {
			list = append(list, s)
		}
	}
	return list
}

// Found takes in a change of a session's turn that checkpoints have found: what a file had before the turn and after it. What
// agents do to loaded files is merged into them, and known from that; known says that the turn has heard of a buffer of the file, else one
// may have read what that had after the turn. It waits for Neovim.
func (r *Review) Found(s feature.Session, path string, before, after review.Content, known, shared bool) error {
	if r.host.Settings().Review == "off" {
		return nil
	}

	if !after.Missing {
		path = r.now(path)
	}
	defer r.Poke(path)
	return r.see(path, func(v files.View) {
		if v.Buf != 0 && (known || !after.Equal(review.Content(v.Shown))) {
			return
		}
		r.drop(path, true)
		r.ledger.Found(s.LocalID(), path, before, after, review.Content(v.Disk), shared)
	})
}

// Renamed takes in that a session's turn has moved a file, which checkpoints have found. It waits for Neovim.
func (r *Review) Renamed(s feature.Session, from, to string, before, after review.Content) error {
	if r.host.Settings().Review == "off" {
		return nil
	}
	to = r.now(to)
	defer r.Poke(from, to)
	r.moves.Left(from)
	saved, unsaved := files.MovedAway(context.Background(), r.files, from, to)
	return r.see(to, func(files.View) {
		if unsaved {
			r.ledger.LeftUnsaved(s.LocalID(), from, to, review.Content(saved))
		}
		r.ledger.Renamed(s.LocalID(), from, to, before, after)
	})
}

// now returns where a file is that a checkpoint has found: the user may have renamed it since. It waits for the disk.
func (r *Review) now(path string) string {
	if !regular.Exists(path) && r.moves.Follow(context.Background(), path) {
		return r.moves.Where(path)
	}
	return path
}

// see hands a file to a function while nothing else edits it, after what the user has made of it was taken in.
func (r *Review) see(path string, do func(files.View)) error {
	return r.files.Look(context.Background(), path, func(v files.View) error {
		if v.Buf != 0 {
			r.observe(path, v)
		} else {
			r.heed(path, true)
		}
		do(v)
		return nil
	})
}

// observe takes in what a file has. What differs is the user's doing, unless no buffer has it, an agent is at work, and it is not what a
// decision of the user's has left there. It reports false, and takes in nothing, if that may be another file.
func (r *Review) observe(path string, v files.View) bool {
	return r.observeBy(path, v, r.atWork(path, nil))
}

// observeBy is observe where agents of some sessions may have changed a file that no buffer has.
func (r *Review) observeBy(path string, v files.View, sessions []string) bool {
	if r.moves.Replaced(path, v.Buf != 0) {
		return false
	}

	now := review.Content(v.Shown)
	if now.Missing && r.ledger.Known(path) && !r.ledger.Gone(path) && !r.moves.Looked(path) {
		return true // it may have another name
	}

	r.heed(path, true)
	r.takeIn(path, v, sessions)
	return true
}

// takeIn is observeBy after what was reported of the file before.
func (r *Review) takeIn(path string, v files.View, sessions []string) {
	if v.Buf == 0 {
		r.drop(path, len(sessions) > 0)
	}

	now, gone := review.Content(v.Shown), r.ledger.Gone(path)
	switch {
	case v.Buf != 0 && gone:
		if _, err := buffers.StatFile(path); err != nil {
			return // its text is only in the buffer by now
		}
	case now.Missing && !gone && len(sessions) == 0:
		return // the user may bring it back; what the agent has changed in it is decided then
	case v.Buf == 0 && !v.Decided && r.ledger.Known(path):
		if before, ok := r.ledger.Content(path); ok {
			r.ledger.Changed(sessions, path, before, now)
		}
	}

	r.ledger.Observe(path, now)
}

// maxCatchUp is how long files are looked at before a turn begins, or for a Neovim that comes.
const maxCatchUp = 200 * time.Millisecond

// each takes in what files have, each while nothing else edits it, if that can be within maxCatchUp. Of one that no buffer has, what the
// disk has now counts in any case. Agents of some sessions may have changed it since it was looked at. It waits for Neovim and the disk.
func (r *Review) each(paths []string, sessions func(path string) []string) {
	ctx, stop := context.WithTimeout(context.Background(), maxCatchUp)
	defer stop()

	for _, path := range paths {
		err := r.files.Look(ctx, path, func(v files.View) error { // one that cannot be read stays as it is
			r.observeBy(path, v, sessions(path))
			return nil
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			continue
		}
		if v, ok := files.Glance(r.files, path); ok {
			r.glances.add(path, glance{v, sessions(path)})
			r.Poke(path)
		}
	}
}

// unopened returns the known files that no buffer has, as far as Neovim has reported. It does not wait.
func (r *Review) unopened() []string {
	loaded := map[string]bool{}
	for _, path := range r.files.AllKnown() {
		loaded[path] = true
	}
	return slices.DeleteFunc(r.ledger.Existing(), func(path string) bool { return loaded[path] })
}

// drop takes in that what was not saved of a file in a Neovim that has left is gone: it is not an agent who has removed it. What the
// file has by now is an agent's doing only if one is at work, or was.
func (r *Review) drop(path string, agents bool) {
	if !r.left.take(path) || !agents {
		return
	}
	if saved, ok := r.files.LastDisk(path); ok {
		r.ledger.Observe(path, review.Content(saved))
	}
}

// working returns the ids of the sessions whose agents may have changed a file on the disk that is merged into its buffer now.
func (r *Review) working(path string) []string {
	return r.those(path, func(s feature.Session) bool { return s.Writing() })
}

// atWork returns the ids of the sessions whose agents may have changed a file on the disk since it was looked at. The turn of one that
// begins has changed nothing.
func (r *Review) atWork(path string, begins feature.Session) []string {
	return r.those(path, func(s feature.Session) bool {
		if begins != nil && s.LocalID() == begins.LocalID() {
			return feature.Ask(s, func(st *session.State) bool { return st.Writes().Lingers() })
		}
		return s.AtWork()
	})
}

func (r *Review) those(path string, which func(feature.Session) bool) []string {
	var out []string
	for _, s := range r.host.Sessions() {
		if buffers.Inside(s.Roots(), path) && which(s) {
			out = append(out, s.LocalID())
		}
	}
	slices.Sort(out)
	return out
}
