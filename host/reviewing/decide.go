package reviewing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/review"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// decideArgs are a decision of the user's.
type decideArgs struct {
	N       int    `msgpack:"n"`
	Action  string `msgpack:"action"`  // "keep" or "revert"
	Scope   string `msgpack:"scope"`   // "hunk", "lines", "file", "turn", "session" or "all"
	Session string `msgpack:"session"` // of a hunk, lines, a file, a turn, a session; "": of all
	Path    string `msgpack:"path"`    // of a hunk, lines, a file; "": of all files
	Hunk    int    `msgpack:"hunk"`
	Sum     string `msgpack:"sum"` // of the hunk as it was shown
	Tick    int    `msgpack:"tick"`
	First   int    `msgpack:"first"` // rows, from 0
	Last    int    `msgpack:"last"`
	Force   bool   `msgpack:"force"` // also where the user has edited lines
	Reason  string `msgpack:"reason"`
	Taken   bool   `msgpack:"taken"` // the user has just put the lines there: nothing is said of it, and it cannot be undone
}

// decide keeps or reverts what the user wants.
func (r *Review) decide(a decideArgs) { r.decideThen(a, func() {}) }

// decideThen is decide, and calls a function when that is done.
func (r *Review) decideThen(a decideArgs, then func()) {
	r.inOrder(func() {
		defer then()

		r.moves.Look(context.Background())
		if !r.ledger.Known(a.Path) {
			a.Path = r.moves.Where(a.Path) // as the list had it
		}

		var sum tally
		now := time.Now() // of the whole decision, by which it is undone
		if a.Taken {
			now = time.Time{}
			if !r.ledger.Known(a.Path) || r.see(a.Path, func(files.View) {}) != nil {
				return
			}
		}
		if a.turnByTurn() {
			r.revertAll(a, now, &sum)
		} else {
			for _, e := range r.meant(a) {
				out, err := r.keepOrRevert(a, e, r.pick(a, e), now)
				sum.add(e, out, err)
			}
		}

		r.Poke()
		level, text := sum.message(a.Action, a.Scope)
		if !a.Taken {
			r.said.Store(text != "")
		}
		if text != "" && !a.Taken {
			r.host.Say(level, text)
		}

		r.tell()
	})
}

// inOrder makes decisions one after the other, as they came. It does not wait.
func (r *Review) inOrder(decide func()) {
	ticket := r.decisions.Ticket("")
	caught.Go(func() { // ends when Neovim has the text
		defer ticket.Done()
		if ticket.Wait(context.Background()) == nil {
			decide()
		}
	})
}

// meant returns the files that a decision is about. Those that a revert removes come first: one may be in place of a folder, or in a
// folder in place of one.
func (r *Review) meant(a decideArgs) []review.Entry {
	session := a.Session
	if a.Scope == "all" {
		session = ""
	}
	var created, others []review.Entry
	for _, e := range r.ledger.List(session) {
		switch {
		case a.Path != "" && e.Path != a.Path:
		case e.Kind == review.Created:
			created = append(created, e)
		default:
			others = append(others, e)
		}
	}
	return append(created, others...)
}

// turnByTurn reports whether a decision reverts what all sessions have changed.
func (a decideArgs) turnByTurn() bool {
	return a.Action == "revert" && (a.Scope == "all" || a.Scope == "file" && a.Session == "")
}

// revertAll reverts what all sessions have changed.
func (r *Review) revertAll(a decideArgs, now time.Time, sum *tally) {
	done := map[string]bool{} // paths of files that several sessions know
	for _, p := range r.ledger.Parts(r.meant(a)) {
		switch {
		case !p.Shared:
			out, err := r.keepOrRevert(a, p.Entry, r.pick(a, p.Entry), now)
			sum.add(p.Entry, out, err)
		case !done[p.Path]:
			done[p.Path] = true
			r.revertShared(a, p.Path, now, sum)
		}
	}
}

// revertShared reverts what several sessions have changed in a file, one part after the other: the revert of one may give the file another
// name, or bring back what others have made.
func (r *Review) revertShared(a decideArgs, path string, now time.Time, sum *tally) {
	type part struct {
		session string
		turn    review.Turn
	}
	tried := map[part]bool{}
	for {
		parts := r.ledger.Parts(r.ledger.At(path))
		i := slices.IndexFunc(parts, func(p review.Part) bool { return !tried[part{p.Session, p.Turn}] })
		if i < 0 {
			return
		}

		p := parts[i]
		tried[part{p.Session, p.Turn}] = true
		pick := r.pick(a, p.Entry)
		pick.Turn = p.Turn
		out, err := r.keepOrRevert(a, p.Entry, pick, now)
		sum.add(p.Entry, out, err)
		if err == nil && out.Hunks > 0 {
			a.Tick, path = 0, cmp.Or(out.Path, path)
		}
	}
}

// pick returns what of a file is meant.
func (r *Review) pick(a decideArgs, e review.Entry) review.Pick {
	p := review.Pick{Edited: a.Force}
	switch a.Scope {
	case "hunk":
		p.Hunk, p.Sum, p.Edited = a.Hunk, a.Sum, true
	case "lines":
		p.Rows, p.First, p.Last, p.Edited = true, a.First, a.Last, true
	case "turn":
		if turns := r.ledger.Turns(e.Session); len(turns) > 0 {
			p.Turn = turns[len(turns)-1].Turn
		}
	}
	return p
}

// keepOrRevert decides on a part of a file. It waits for Neovim.
func (r *Review) keepOrRevert(a decideArgs, e review.Entry, p review.Pick, now time.Time) (out review.Outcome, err error) {
	ctx := context.Background()
	defer r.Poke(e.Path)

	look := func(v files.View) error {
		if a.Tick != 0 && v.Tick != a.Tick {
			return errStale
		}
		if !r.observe(e.Path, v) {
			return errOther
		}
		return nil
	}

	if a.Action == "keep" {
		err = r.files.Look(ctx, e.Path, func(v files.View) error {
			if err := look(v); err != nil {
				return err
			}
			r.history.Keep(e.Path, v.Disk) // not what is unsaved
			out = r.ledger.Keep(e.Session, e.Path, p, now)
			return nil
		})
		return out, err
	}

	var onDisk review.OnDisk
	settle := func() {
		r.glances.take(e.Path) // which may be from before it
		p.Disk = onDisk
		_, out = r.ledger.Revert(e.Session, e.Path, p, a.Reason, now)
	}
	err = r.rewrite(ctx, e.Path, func(v files.View) (d decided, err error) {
		lost := v.Disk.Missing && !r.ledger.Gone(e.Path)
		if err := look(v); err != nil {
			return d, err
		}
		if _, err := os.Lstat(e.From); e.From != "" && err == nil {
			return d, fmt.Errorf("%s is there again", filepath.Base(e.From))
		}

		if !a.Force && !a.turnByTurn() {
			p.Under = r.ledger.Under(e.Session, e.Path)
		}
		d.shown, out = r.ledger.TryRevert(e.Session, e.Path, nil, p)
		if out.Stale || out.Hunks == 0 {
			return d, errNothing
		}
		if lost && !d.shown.Missing {
			return d, errLost
		}

		d.to = out.Path
		disk := review.Content(v.Disk)
		var saved review.Outcome
		d.disk, saved = r.ledger.TryRevert(e.Session, e.Path, &disk, p)
		onDisk = saved.Disk
		return d, nil
	}, settle)
	if errors.Is(err, errNothing) {
		err = nil
	}

	return out, err
}

// errStale says that a decision was on what is not there any more.
var errStale = errors.New("it has changed meanwhile: look again")

// errLost says that the file of a change was deleted by somebody else: a part of it is not to be made anew.
var errLost = errors.New("it was deleted since")

// errNothing says that there is nothing to write.
var errNothing = errors.New("nothing to do")
