package files

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

const (
	patience  = 2 * time.Second        // after which a completion menu or a selection no longer holds up an edit
	retry     = 250 * time.Millisecond // since some modes end without an event
	maxCall   = 128 << 10              // bytes of lines in one call to Neovim
	maxSaving = 1 << 20                // bytes of lines in a call that also saves
	lineCost  = 16                     // bytes that a line counts beside its own
)

// hunks returns edits of lines in Neovim's words.
func hunks(edits []buffers.Edit) []Hunk {
	out := make([]Hunk, len(edits))
	for i, e := range edits {
		out[i] = Hunk{First: e.Start, Last: e.End, Lines: e.Lines}
		if out[i].Lines == nil {
			out[i].Lines = []string{} // Lua has a list, not nil
		}
	}
	return out
}

// shifts returns the sizes of edits of lines.
func shifts(edits []buffers.Edit) []Shift {
	out := make([]Shift, len(edits))
	for i, e := range edits {
		out[i] = Shift{e.Start, e.End, len(e.Lines)}
	}
	return out
}

// apply makes an edit. It waits while the user is in a mode in which an edit would do harm, and the status line says so.
func (c claim) apply(ctx context.Context, e *Edit) (Edited, error) {
	e.ID = c.edits.Add(1)
	staged, err := c.stage(ctx, e)
	if staged {
		defer func(id int64) {
			caught.Go(func() { _ = c.editor.Unstage(context.Background(), id) }) // ends when Neovim answers or goes away
		}(e.ID)
	}
	if err != nil {
		return Edited{}, err
	}

	defer c.wait("")
	began := time.Now()
	for {
		safe := c.waits.next() // before the edit is tried, so that no change of mode is missed
		e.Force = time.Since(began) >= patience
		e.Real = c.real
		got, err := c.editor.Edit(ctx, e)
		if err != nil || got.Result != "busy" {
			c.texts.made(e, got)
			return got, err
		}

		c.wait(got.Reason)
		select {
		case <-safe:
		case <-time.After(retry):
		case <-unwanted(ctx):
			return Edited{}, errUnwanted
		case <-ctx.Done():
			return Edited{}, fmt.Errorf("%w: %w", errGivenUp, ctx.Err())
		}
	}
}

// wantedKey is of a channel in a context, see [Session.Wanted].
type wantedKey struct{}

// unwanted returns a channel that is closed when an edit is to be given up; nil if it never is.
func unwanted(ctx context.Context) <-chan struct{} {
	wanted, _ := ctx.Value(wantedKey{}).(<-chan struct{})
	return wanted
}

func isUnwanted(ctx context.Context) bool {
	select {
	case <-unwanted(ctx):
		return true
	default:
		return false
	}
}

var (
	// errGivenUp is an edit that has waited for the user in vain: Neovim does nothing for it.
	errGivenUp = errors.New("the edit was given up")
	// errUnwanted is one of which the turn was stopped, or the session closed, meanwhile.
	errUnwanted error = acp.Errorf(acp.CodeCancelled, "nothing is written: the user has stopped the turn, or closed the session")
)

// wait notes why the edit waits; "" if it does not.
func (c claim) wait(reason string) {
	if c.waits.set(c.real, reason) {
		c.options.Refresh()
	}
}

// applyAndSave is apply for an edit of any size. A very large one is saved in a call of its own, so that neither call holds
// Neovim's loop for long. If the user types in between, the second call finds the buffer changed.
func (c claim) applyAndSave(ctx context.Context, e *Edit) (Edited, error) {
	if len(e.Top) > 0 || size(e.Disk) < maxSaving {
		return c.apply(ctx, e)
	}

	save := *e
	save.Disk, save.Direct, save.Empty = []Hunk{}, []Shift{}, false

	e.Save = false
	got, err := c.apply(ctx, e)
	e.Save = true
	if err != nil || got.Result != "ok" || got.Problem != "" {
		return got, err
	}

	save.Tick = got.Tick
	saved, err := c.apply(ctx, &save)
	if err != nil {
		return got, err // of the edit, which is made
	}

	return saved, nil
}

// stage sends the lines of a large edit ahead, a slice at a time, so that no call holds Neovim's loop for long. It reports
// whether there may be some to unstage.
func (c claim) stage(ctx context.Context, e *Edit) (bool, error) {
	if size(e.Disk)+size(e.Top) <= maxCall {
		return false, nil
	}

	var slice []string
	sliced, sent := 0, 0
	flush := func() error {
		if len(slice) == 0 {
			return nil
		}
		err := c.editor.Stage(ctx, e.ID, slice)
		slice, sliced = nil, 0
		return err
	}
	for _, list := range [][]Hunk{e.Disk, e.Top} {
		for i := range list {
			h := &list[i]
			h.Staged, h.From, h.To = true, sent, sent+len(h.Lines)
			sent = h.To
			for _, l := range h.Lines {
				slice = append(slice, l)
				sliced += len(l) + lineCost
				if sliced < maxCall {
					continue
				}
				if err := flush(); err != nil {
					return true, err
				}
			}

			h.Lines = []string{}
		}
	}

	return true, flush()
}

// size returns how many bytes the lines of hunks count.
func size(list []Hunk) int {
	n := 0
	for _, h := range list {
		for _, l := range h.Lines {
			n += len(l) + lineCost
		}
	}
	return n
}
