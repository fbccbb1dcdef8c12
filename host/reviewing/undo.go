package reviewing

import (
	"context"
	"errors"

	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/review"
)

// undoArgs are for the undo of a decision.
type undoArgs struct {
	N    int  `msgpack:"n"`
	Redo bool `msgpack:"redo"`
}

// undo undoes the last decision, in all of its files, or redoes the one that was undone last.
func (r *Review) undo(a undoArgs) {
	r.inOrder(func() {
		r.moves.Look(context.Background())
		last := r.ledger.Last(a.Redo)
		if last == nil {
			r.host.Say("info", map[bool]string{false: "there is no decision to undo", true: "there is no decision to redo"}[a.Redo])
			return
		}

		for next := last; next != nil && next.Time.Equal(last.Time); next = r.ledger.Last(a.Redo) {
			if err := r.undoOne(next); err != nil {
				r.host.Say("error", "undo: "+plain.Reason(err))
				return
			}
		}
		if r.said.Load() { // which is no longer so
			r.host.Say("info", map[bool]string{false: "decision undone", true: "decision redone"}[a.Redo])
		}
	})
}

// undoOne undoes a decision in one file, or redoes it. It waits for Neovim.
func (r *Review) undoOne(of *review.Decided) error {
	defer r.Poke(of.Path)
	if of.Revert == nil {
		return r.files.Look(context.Background(), of.Path, func(v files.View) error {
			r.observe(of.Path, v)
			content := v.Shown
			if of.Gone() && v.Disk.Missing {
				content = v.Disk // a buffer may still have its text
			}
			r.ledger.Unkeep(of, review.Content(content))
			return nil
		})
	}

	return r.rewrite(context.Background(), of.Path, func(v files.View) (d decided, err error) {
		r.observe(of.Path, v)
		disk := review.Content(v.Disk)
		d.shown, d.to = r.ledger.TryUndo(of.Session, of.Path, nil, of.Revert)
		d.disk, _ = r.ledger.TryUndo(of.Session, of.Path, &disk, of.Revert)
		switch {
		case d.to == "":
			err = errors.New("the reverted text is no longer known")
		case v.Unsaved() && (v.Disk.Missing || d.disk.Missing || d.to != of.Path):
			err = files.ErrUnsaved
		}
		return d, err
	}, func() {
		r.glances.take(of.Path) // which may be from before it
		r.ledger.Undo(of.Session, of.Revert)
	})
}
