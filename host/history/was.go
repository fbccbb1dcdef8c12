package history

import (
	"context"
	"time"

	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/rewind"
)

// clockSlack is how far the clock of a file system may be behind.
const clockSlack = 2 * time.Second

// Was is what a file had before the commands of a turn may have changed it.
type Was struct {
	Text files.Text
	By   feature.Session // whose turn it is
	From time.Time       // when the turn began
}

// Was returns what a file that no buffer has, or had until now, had when a running turn last heard of it, else when that began, if it was
// touched since. The turn is one of the sessions given, and the only one that may have changed the file. With created
// it finds out as well that there was no such file, which takes longer. It waits for the store, patience at most.
func (k *History) Was(ctx context.Context, sessions []feature.Session, path string, touched time.Time, created bool) (was Was, known bool) {
	r, had, heard := k.mayHave(sessions, path, touched)
	if r == nil {
		return Was{}, false
	}

	was = Was{By: r.session, From: r.began}
	if heard {
		if had == nil || !had.Text() {
			return Was{}, false
		}
		was.Text = TextOf(*had)
		return was, true
	}

	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	select {
	case <-r.ready:
	case <-ctx.Done():
		return Was{}, false
	}

	store := k.Checkpoints()
	if store == nil {
		return Was{}, false
	}

	v, known, err := store.Version(ctx, r.before, path)
	switch {
	case !known || err != nil || v.IsLink():
		return Was{}, false
	case v == checkpoint.Version{}:
		was.Text.Missing = true
		return was, created && k.isNew(ctx, r, path)
	}

	data, err := store.Read(ctx, v)
	if err != nil {
		return Was{}, false
	}
	had = &rewind.Content{Data: data[0]}
	was.Text = TextOf(*had)
	return was, had.Text()
}

// mayHave returns the running turn of some sessions that may have changed a file which was last touched at some time, nil if there is none,
// and what the disk had of the file when that turn last heard of it, nil if it is not known.
func (k *History) mayHave(sessions []feature.Session, path string, touched time.Time) (r *Running, had *rewind.Content, heard bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range sessions {
		if r := k.current(s); r != nil && r.Alone(path) && touched.After(r.began.Add(-clockSlack)) {
			had, heard := r.Had(path)
			return r, had, heard
		}
	}
	return nil, nil, false
}

// isNew reports whether a file that was not in a turn's checkpoint, and is there now, was no ignored one.
func (k *History) isNew(ctx context.Context, r *Running, path string) bool {
	none := func(checkpoint.Checkpoint) checkpoint.Checkpoint { return checkpoint.Checkpoint{} }
	c, ok := k.ChangedSince(ctx, r.session, r, none)[path]
	return ok && c.Old == checkpoint.Version{}
}
