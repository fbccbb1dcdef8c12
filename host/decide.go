package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/moves"
	"github.com/nvim-acp/nvim-acp/host/review"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// decideArgs are a decision of the user's.
type decideArgs struct {
	N       int    `msgpack:"n"`
	Action  string `msgpack:"action"`  // "keep" or "revert"
	Scope   string `msgpack:"scope"`   // "hunk", "lines", "file", "turn", "session" or "all"
	Session string `msgpack:"session"` // of a hunk, a turn, a session; "": of all
	Path    string `msgpack:"path"`    // of a hunk, lines, a file; "": of all files
	Hunk    int    `msgpack:"hunk"`
	Sum     string `msgpack:"sum"` // of the hunk as it was shown
	Tick    int    `msgpack:"tick"`
	First   int    `msgpack:"first"` // rows, from 0
	Last    int    `msgpack:"last"`
	Force   bool   `msgpack:"force"` // also where the user has edited lines
	Reason  string `msgpack:"reason"`
}

// undoArgs are for the undo of a decision.
type undoArgs struct {
	N    int  `msgpack:"n"`
	Redo bool `msgpack:"redo"`
}

// pathsArgs name files.
type pathsArgs struct {
	N     int      `msgpack:"n"`
	Paths []string `msgpack:"paths"`
	Names bool     `msgpack:"names"` // without paths: only whether files have other names
}

// decide keeps or reverts what the user wants.
func (r *reviewer) decide(a decideArgs) { r.decideThen(a, func() {}) }

// decideThen is decide, and calls a function when that is done.
func (r *reviewer) decideThen(a decideArgs, then func()) {
	r.inOrder(func() {
		defer then()
		r.host.moves.Look(context.Background())
		if !r.desk.Known(a.Path) {
			a.Path = r.host.moves.Where(a.Path) // as the list had it
		}
		var sum tally
		now := time.Now() // of the whole decision, by which it is undone
		for _, e := range r.meant(a) {
			pick := a.pick(r, e)
			out, err := r.keepOrRevert(a, e, pick, now)
			sum.add(e, out, err)
		}
		r.poke()
		if level, text := sum.message(a); text != "" {
			r.host.say(level, text)
		}
		r.tell()
	})
}

// inOrder makes decisions one after the other, as they came. It does not wait.
func (r *reviewer) inOrder(decide func()) {
	ticket := r.decisions.Ticket("")
	caught.Go(func() { // ends when Neovim has the text
		defer ticket.Done()
		if ticket.Wait(context.Background()) == nil {
			decide()
		}
	})
}

// meant returns the files that a decision is about.
func (r *reviewer) meant(a decideArgs) []review.Entry {
	session := a.Session
	if a.Scope == "all" || a.Scope == "lines" {
		session = ""
	}
	return slices.DeleteFunc(r.desk.List(session), func(e review.Entry) bool {
		return a.Path != "" && e.Path != a.Path
	})
}

// pick returns what of a file is meant.
func (a decideArgs) pick(r *reviewer, e review.Entry) review.Pick {
	p := review.Pick{Edited: a.Force}
	switch a.Scope {
	case "hunk":
		p.Hunk, p.Sum, p.Edited = a.Hunk, a.Sum, true
	case "lines":
		p.Rows, p.First, p.Last, p.Edited = true, a.First, a.Last, true
	case "turn":
		if turns := r.desk.Turns(e.Session); len(turns) > 0 {
			p.Turn = turns[len(turns)-1].Turn
		}
	}
	return p
}

// keepOrRevert decides on a part of a file. It waits for Neovim.
func (r *reviewer) keepOrRevert(a decideArgs, e review.Entry, p review.Pick, now time.Time) (out review.Outcome, err error) {
	ctx := context.Background()
	defer r.poke(e.Path)
	if a.Action != "keep" {
		defer r.host.history.Restored(e.Path)
	}
	look := func(v files.View) error {
		if a.Tick != 0 && v.Tick != a.Tick {
			return errStale
		}
		r.observe(e.Path, v)
		return nil
	}
	if a.Action == "keep" {
		err = r.host.files.Look(ctx, e.Path, func(v files.View) error {
			if err := look(v); err != nil {
				return err
			}
			out = r.desk.Keep(e.Session, e.Path, p, now)
			return nil
		})
		return out, err
	}

	settle := func() { _, out = r.desk.Revert(e.Session, e.Path, p, a.Reason, now) }
	err = r.rewrite(ctx, e.Path, func(v files.View) (d decided, err error) {
		if err := look(v); err != nil {
			return d, err
		}
		if _, err := os.Lstat(e.From); e.From != "" && err == nil {
			return d, fmt.Errorf("%s is there again", filepath.Base(e.From))
		}
		d.shown, out = r.desk.TryRevert(e.Session, e.Path, nil, p)
		if out.Stale || out.Hunks == 0 {
			return d, errNothing
		}
		d.to = out.Path
		disk := review.Content(v.Disk)
		d.disk, _ = r.desk.TryRevert(e.Session, e.Path, &disk, p)
		return d, nil
	}, settle)
	if errors.Is(err, errNothing) {
		err = nil
	}
	return out, err
}

// decided is what a decision makes of a file.
type decided struct {
	shown, disk review.Content // what is on the screen, and what the disk gets: they differ by what the user has not saved
	to          string         // its path then
}

// rewrite carries out a decision on a file, which may give it another name, and has it settled once all of it is written: what cannot be
// written is as before. It waits for Neovim.
func (r *reviewer) rewrite(ctx context.Context, path string, plan func(files.View) (decided, error), settle func()) error {
	if err := r.away(ctx, path); err != nil {
		return err
	}
	var d decided
	err := r.host.history.Rewrite(ctx, path, func(v files.View) (shown, disk files.Text, err error) {
		if d, err = plan(v); err != nil {
			return shown, disk, err
		}
		if d.to != path {
			return shown, disk, errMoves
		}
		if d.disk.Missing != d.shown.Missing || review.Content(v.Disk).Equal(review.Content(v.Shown)) {
			d.disk = d.shown
		}
		return files.Text(d.shown), files.Text(d.disk), nil
	}, settle)
	if !errors.Is(err, errMoves) {
		return err
	}
	give := func(path string, text files.Text, settle func()) error {
		defer r.poke(path)
		defer r.host.history.Restored(path)
		return r.host.history.Rewrite(ctx, path, func(files.View) (shown, disk files.Text, err error) { return text, text, nil }, settle)
	}
	none := files.Text{Missing: true}
	if err := give(d.to, files.Text(d.shown), func() {}); err != nil {
		return err
	}
	if err := give(path, none, settle); err != nil { // it has both names now
		return errors.Join(err, give(d.to, none, func() {}))
	}
	return nil
}

// away returns an error if a file is not there and it is not known where it is: it is not to be made anew. It waits for Neovim.
func (r *reviewer) away(ctx context.Context, path string) error {
	switch {
	case moves.Exists(path) || !r.desk.Known(path) || r.desk.Gone(path):
		return nil
	case r.host.moves.Awaited(ctx, path):
		return errUnnamed
	case !r.host.moves.Looked(path):
		return errSought
	}
	return nil
}

// errSought says that a file is being looked for.
var errSought = errors.New("it is not there, and looked for under another name: try again")

// errMoves says that a file gets another name.
var errMoves = errors.New("it gets another name")

// errNothing says that there is nothing to write.
var errNothing = errors.New("nothing to do")

// errUnnamed says that a file is on its way to another name.
var errUnnamed = errors.New("its buffer has another name by now: write that first")

// undo undoes the last decision, in all of its files, or redoes the one that was undone last.
func (r *reviewer) undo(a undoArgs) {
	r.inOrder(func() {
		r.host.moves.Look(context.Background())
		last := r.desk.Last(a.Redo)
		if last == nil {
			r.host.say("info", map[bool]string{false: "there is no decision to undo", true: "there is no decision to redo"}[a.Redo])
			return
		}
		for next := last; next != nil && next.Time.Equal(last.Time); next = r.desk.Last(a.Redo) {
			if err := r.undoOne(next); err != nil {
				r.host.say("error", "undo: "+err.Error())
				return
			}
		}
	})
}

// undoOne undoes a decision in one file, or redoes it. It waits for Neovim.
func (r *reviewer) undoOne(of *review.Decided) error {
	defer r.poke(of.Path)
	if of.Revert == nil {
		return r.host.files.Look(context.Background(), of.Path, func(v files.View) error {
			r.observe(of.Path, v)
			r.desk.Unkeep(of, review.Content(v.Shown))
			return nil
		})
	}
	defer r.host.history.Restored(of.Path)
	return r.rewrite(context.Background(), of.Path, func(v files.View) (d decided, err error) {
		r.observe(of.Path, v)
		disk := review.Content(v.Disk)
		d.shown, d.to = r.desk.TryUndo(of.Session, of.Path, nil, of.Revert)
		d.disk, _ = r.desk.TryUndo(of.Session, of.Path, &disk, of.Revert)
		if d.to == "" {
			err = errors.New("the reverted text is no longer known")
		}
		return d, err
	}, func() { r.desk.Undo(of.Session, of.Revert) })
}

// look has files looked at: the user has edited them, or their buffers have lost their marks. With none it looks for commits of
// the user's. It does not wait, not even for a comparison of large files that another goroutine makes.
func (r *reviewer) look(a pathsArgs) {
	if len(a.Paths) == 0 {
		if !a.Names {
			r.lookAtCommits(userActs)
		}
		caught.Go(func() { r.host.moves.Look(context.Background()) }) // ends after a while
		return
	}
	caught.Go(func() { // ends when the desk is free
		for _, path := range a.Paths {
			if r.desk.Known(path) {
				r.poke(path)
			}
		}
	})
}

// baseArgs name a file with changes.
type baseArgs struct {
	N       int    `msgpack:"n"`
	Session string `msgpack:"session"`
	Path    string `msgpack:"path"`
}

// base has a file compared with its text without the changes of a session.
func (r *reviewer) base(a baseArgs) {
	c, ok := r.desk.Base(a.Session, a.Path)
	if !ok {
		return
	}
	caught.Go(func() { _ = r.host.ed.ExecLua(luaCompare, nil, a.Path, append([]string{}, c.Lines...)) }) // ends when Neovim answers or goes
}

// tally is what came of a decision on several files.
type tally struct {
	hunks, files, left int
	stay               []string // names of created files that the user has lines in
	problems           []string
}

func (t *tally) add(e review.Entry, out review.Outcome, err error) {
	t.left += out.Left
	if out.Stale && err == nil {
		return
	}
	if err != nil {
		t.problems = append(t.problems, filepath.Base(e.Path)+": "+err.Error())
		return
	}
	if out.Stays {
		t.stay = append(t.stay, filepath.Base(e.Path))
	}
	if out.Hunks > 0 {
		t.hunks, t.files = t.hunks+out.Hunks, t.files+1
	}
}

// message returns what the user is told.
func (t *tally) message(a decideArgs) (level, text string) {
	done := map[string]string{"keep": "kept", "revert": "reverted"}[a.Action]
	switch {
	case len(t.problems) > 0:
		return "error", a.Action + ": " + strings.Join(t.problems, "; ")
	case t.hunks == 0 && t.left == 0:
		return "info", "nothing to " + a.Action + " there"
	case t.left > 0:
		return "warn", fmt.Sprintf("%s %s; %s left, since you have edited them (with ! they go too)", done, plural(t.hunks, "hunk"), plural(t.left, "hunk"))
	case len(t.stay) > 0:
		return "info", fmt.Sprintf("%s %s; %s stays, since it has lines of yours", done, plural(t.hunks, "hunk"), strings.Join(t.stay, ", "))
	case a.Scope != "hunk" && a.Scope != "lines":
		return "info", fmt.Sprintf("%s %s in %s", done, plural(t.hunks, "hunk"), plural(t.files, "file"))
	}
	return "", ""
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
