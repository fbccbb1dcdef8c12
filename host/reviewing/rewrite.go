package reviewing

import (
	"context"
	"errors"

	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/review"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// decided is what a decision makes of a file.
type decided struct {
	shown, disk review.Content // what is on the screen, and what the disk gets: they differ by what the user has not saved
	to          string         // its path then
}

// rewrite carries out a decision on a file, which may give it another name, and has it settled once all of it is written: what cannot be
// written is as before. It waits for Neovim.
func (r *Review) rewrite(ctx context.Context, path string, plan func(files.View) (decided, error), settle func()) error {
	if err := r.away(ctx, path); err != nil {
		return err
	}

	var d decided
	var moved files.Text // what the file has
	err := r.history.Rewrite(ctx, path, func(v files.View) (shown, disk files.Text, err error) {
		if d, err = plan(v); err != nil {
			return shown, disk, err
		}
		if moved = v.Disk; d.to != path {
			return shown, disk, errMoves
		}
		if d.disk.Missing != d.shown.Missing || review.Content(v.Disk).Equal(review.Content(v.Shown)) {
			d.disk = d.shown
		}
		return v.Back(files.Text(d.shown), files.Text(d.shown)), files.Text(d.disk), nil
	}, settle)
	if !errors.Is(err, errMoves) {
		return err
	}

	give := func(path string, plan func(files.View) (shown, disk files.Text), settle func()) error {
		defer r.Poke(path)
		return r.history.Rewrite(ctx, path, func(v files.View) (shown, disk files.Text, err error) {
			shown, disk = plan(v)
			return shown, disk, nil
		}, settle)
	}

	none := files.Text{Missing: true}
	before := none // what a buffer of the other name shows
	err = give(d.to, func(v files.View) (shown, disk files.Text) {
		if v.Buf != 0 {
			before = v.Shown
		}
		return v.Back(moved, files.Text(d.shown)), files.Text(d.shown)
	}, func() {})
	if err != nil {
		return err
	}

	err = give(path, func(files.View) (shown, disk files.Text) { return none, none }, settle)
	if err != nil { // it has both names now
		return errors.Join(err, give(d.to, func(files.View) (shown, disk files.Text) { return before, none }, func() {}))
	}

	return nil
}

// away returns an error if a file is not there and it is not known where it is: it is not to be made anew. It waits for Neovim.
func (r *Review) away(ctx context.Context, path string) error {
	switch {
	case regular.Exists(path) || !r.ledger.Known(path):
		return nil
	case r.moves.Awaited(ctx, path): // also where it seems to be deleted: what Neovim says of the name may come later
		return errUnnamed
	case r.ledger.Gone(path):
		return nil
	case !r.moves.Looked(path):
		return errSought
	}
	return nil
}

// errSought says that a file is being looked for.
var errSought = errors.New("it is not there, and looked for under another name: try again")

// errOther says that another file may be at the place of one.
var errOther = errors.New("it may be another file, and is looked for under another name: try again")

// errMoves says that a file gets another name.
var errMoves = errors.New("it gets another name")

// errUnnamed says that a file is on its way to another name.
var errUnnamed = errors.New("its buffer has another name by now: write that first")
