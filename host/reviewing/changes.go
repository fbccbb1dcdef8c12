package reviewing

import (
	"context"
	"slices"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/review"
)

// Changed takes in what the agent of a session has changed, or what was found on the disk below a buffer: by is nil then. Those of a file
// come in their order. It does not wait.
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

	if r.hooks.Detached() {
		r.drop(c.Path, true) // before the change is compared with it
	}

	r.ledger.Changed(sessions, c.Path, review.Content(c.Before), review.Content(c.After))
	r.Poke(c.Path)
}

// Found takes in a change of a session's turn that checkpoints have found: what a file had before the turn and after it. What
// agents do to loaded files is merged into them, and known from that. It waits for Neovim.
func (r *Review) Found(s feature.Session, path string, before, after review.Content) error {
	if r.host.Settings().Review == "off" {
		return nil
	}

	defer r.Poke(path)
	return r.see(path, func(loaded bool) {
		if loaded {
			return
		}

		r.drop(path, true)
		if known, ok := r.ledger.Content(path); ok {
			before = known
		}
		r.ledger.Changed([]string{s.LocalID()}, path, before, after)
	})
}

// Renamed takes in that a session's turn has moved a file, which checkpoints have found. It waits for Neovim.
func (r *Review) Renamed(s feature.Session, from, to string, before, after review.Content) error {
	if r.host.Settings().Review == "off" {
		return nil
	}
	defer r.Poke(from, to)
	return r.see(to, func(bool) {
		r.ledger.Renamed(s.LocalID(), from, to, before, after)
	})
}

// see hands a file to a function while nothing else edits it, after what the user has made of it was taken in.
func (r *Review) see(path string, do func(loaded bool)) error {
	return r.files.Look(context.Background(), path, func(v files.View) error {
		if v.Buf != 0 {
			r.observe(path, v)
		}
		do(v.Buf != 0)
		return nil
	})
}

// observe takes in what a file has. What differs is the user's doing, unless no buffer has it and an agent is at work.
func (r *Review) observe(path string, v files.View) {
	now := review.Content(v.Shown)
	if now.Missing && r.ledger.Known(path) && !r.ledger.Gone(path) && !r.moves.Looked(path) {
		return // it may have another name
	}

	if v.Buf == 0 {
		r.drop(path, len(r.working(path)) > 0)
	}

	switch {
	case v.Buf != 0 && r.ledger.Gone(path):
		if _, err := buffers.StatFile(path); err != nil {
			return // its text is only in the buffer by now
		}
	case v.Buf == 0 && r.ledger.Known(path):
		if before, ok := r.ledger.Content(path); ok {
			r.ledger.Changed(r.working(path), path, before, now)
		}
	}

	r.ledger.Observe(path, now)
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

// working returns the ids of the sessions whose agents may have changed a file on the disk just now.
func (r *Review) working(path string) []string {
	var out []string
	for _, s := range r.host.Sessions() {
		if s.Merging() && buffers.Inside(s.Roots(), path) {
			out = append(out, s.LocalID())
		}
	}
	slices.Sort(out)
	return out
}
