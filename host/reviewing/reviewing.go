// Package reviewing has the user look at what agents have changed in files: it draws marks and the list of files, carries out decisions,
// and tells the agents of them.
//
// Whose each line is, is known to host/review. Package host wires it: it says when turns begin and end, and what changes, and starts
// [Review.Run].
package reviewing

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/history"
	"github.com/nvim-acp/nvim-acp/host/moves"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/review"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// Review joins the changes that agents have made to the files, to Neovim's marks and to the disk. It is safe for concurrent use.
type Review struct {
	host    feature.Host
	files   *files.Workspace
	history *history.History
	moves   *moves.Moves
	ledger  *review.Desk
	hooks   Hooks

	decisions buffers.Queue // of the user's
	dirty     dirty
	disk      disk
	commits   commits
	gates     gates
	left      left
	glances   glances
	reports   reports

	said atomic.Bool // of the last decision something was said
}

// Hooks are what others know and do. None may be nil.
type Hooks struct {
	// Steer sends a note into the turn of a session that runs, if there is one and its agent takes that; only then is the note asked for.
	// Without a text nothing is sent. It does not wait.
	Steer func(s feature.Session, note func() (text, shown string))
}

// New returns a review of the changes in a ledger.
func New(h feature.Host, w *files.Workspace, k *history.History, m *moves.Moves, ledger *review.Desk, hooks Hooks) *Review {
	r := &Review{
		host: h, files: w, history: k, moves: m, ledger: ledger, hooks: hooks,
		dirty: newDirty(), disk: disk{host: h}, commits: commits{host: h, ledger: ledger}, gates: gates{ledger: ledger},
	}
	r.commits.drawn, r.commits.keeps = r.Poke, r.keeps
	return r
}

// keeps notes that the user is about to keep what a file has, as it was last observed.
func (r *Review) keeps(path string) {
	if has, ok := r.ledger.Content(path); ok {
		r.history.Keep(path, files.Text(has))
	}
}

// Verbs are what Neovim can say, by their names.
func (r *Review) Verbs() map[string]any {
	return map[string]any{
		"review_look":    r.look,
		"review_base":    r.base,
		"review_colours": func(a coloursArgs) { colour(r.host, a) },
		"decide":         r.decide,
		"undecide":       r.undo,
	}
}

// reviewPause is the least time from one drawing of marks to the next.
const reviewPause = 50 * time.Millisecond

// savePause is the least time from one saving to the next.
const savePause = time.Second

// Run draws marks and the list, and saves, until the program ends.
func (r *Review) Run() {
	clock := time.NewTimer(time.Hour)
	clock.Stop()
	waits := false // the clock runs

	for {
		select {
		case <-r.dirty.wake:
		case <-clock.C:
			waits = false
			r.Save()
			continue
		case <-r.host.Done():
			return
		}

		if !waits {
			waits = true
			clock.Reset(savePause)
		}

		caught.Run("reviewing.(*Review).Run", r.ledger.TakeIn) // while nobody waits for a file
		for _, path := range r.dirty.take() {
			caught.Go(func() { r.draw(path) }) // ends when Neovim answers or goes away
		}

		caught.Run("reviewing.(*Review).Run", r.list)

		select {
		case <-time.After(reviewPause):
		case <-r.host.Done():
			return
		}
	}
}

// Poke has files looked at, and the list. It does not wait.
func (r *Review) Poke(paths ...string) { r.dirty.poke(paths...) }

// Begin notes that a turn of a session begins. What has become of files before is not its doing, also while Neovim does not answer. It
// waits for the disk, and for Neovim twice maxCatchUp at most.
func (r *Review) Begin(s feature.Session, prompt string) {
	ctx, stop := context.WithTimeout(context.Background(), maxCatchUp)
	files.CatchUp(ctx, r.files, s.Roots())
	stop()
	r.each(r.unopened(), func(path string) []string { return r.atWork(path, s) })
	r.ledger.Begin(s.LocalID(), session.FirstLine(prompt), time.Now())
	r.commits.look(turnBegin)
}

// Sends notes that the prompt of a session is about to be sent: what is on the disk by then below files that buffers have is not the doing
// of its agent. It waits for the disk.
func (r *Review) Sends(s feature.Session) {
	files.NoteEarlier(r.files, slices.DeleteFunc(r.files.Known(s.Roots()), func(path string) bool { return len(r.atWork(path, s)) > 0 }))
}

// Ended notes that a turn has ended: what it has done to files that no buffer has is looked at before the next one begins. It does not
// wait.
func (r *Review) Ended() {
	r.Poke(r.unopened()...)
	r.commits.look(turnEnd)
}

// Settled notes that all that a turn has changed is known. The user is told when Neovim has it. It does not wait.
func (r *Review) Settled(s feature.Session, t *session.Turn) {
	r.Poke(r.unopened()...)
	r.dirty.settle(settling{session: s, turn: t})
}

// Restore reads the changes that a session has made before. It waits for the disk.
func (r *Review) Restore(s feature.Session) {
	restored, err := r.disk.read(s.LocalID())
	if err != nil {
		r.host.Say("warn", "earlier changes are not shown: "+plain.Reason(err))
	}
	var alone []string // known to no other session
	if restored != nil && !r.history.Unfinished(s) {
		alone = slices.DeleteFunc(restored.All(), r.ledger.Known)
	}
	r.moves.Restore(s.LocalID())
	r.ledger.Open(s.LocalID(), restored)
	if restored != nil {
		r.each(alone, func(string) []string { return nil }) // nobody was at work
		r.Poke(restored.All()...)
	}
}

// Save writes what has changed in all sessions. It waits for the disk.
func (r *Review) Save() {
	for _, s := range r.host.Sessions() {
		r.disk.write(s.LocalID(), r.ledger.Unsaved(s.LocalID()))
		r.moves.Save(s.LocalID())
	}
}

// Close ends the review of a session. It waits for the disk.
func (r *Review) Close(s feature.Session) {
	paths := r.ledger.Paths() // its marks go
	r.moves.Save(s.LocalID())
	r.disk.write(s.LocalID(), r.ledger.Close(s.LocalID()))
	r.moves.Forget(s.LocalID())
	r.Poke(paths...)
}
