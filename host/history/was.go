package history

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/rewind"
)

// clockSlack is how far the clock of a file system may be behind.
const clockSlack = 2 * time.Second

// Heard is what a running turn, of a session whose agent's commands may have changed a file, has heard of that so far. The zero value is
// of no turn.
type Heard struct {
	turn  *Running
	had   *rewind.Content // what the disk had; nil: that is not known
	known bool            // something was heard

	At time.Time // when it was asked for
}

// Heard returns that of the first of some sessions whose turn is the only one that may have changed a file. It does not wait.
func (k *History) Heard(sessions []feature.Session, path string) Heard {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range sessions {
		if r := k.current(s); r != nil && r.Alone(path) {
			h := Heard{turn: r, At: time.Now()}
			h.had, h.known = r.Had(path)
			return h
		}
	}
	return Heard{}
}

// Keep notes what the disk has of a file of which the user is about to keep changes: what differs from then on is another one. It does not
// wait.
func (k *History) Keep(path string, text files.Text) {
	c := contentOf(text)
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, r := range k.turns {
		r.Keep(path, c)
	}
}

// Was is what a file had before the commands of a turn may have changed it.
type Was struct {
	Text files.Text
	By   feature.Session // whose turn it is
}

// Was returns what a file that no buffer has, or had until now, had when a turn last heard of it, else when that began. It reports false if
// that is not known, or the file, which was last touched at some time, was not changed since. It waits for Git, patience at most, but not
// for the checkpoint of the turn.
func (k *History) Was(h Heard, path string, touched time.Time) (was Was, known bool) {
	r := h.turn
	if r == nil || touched.Before(r.began.Add(-clockSlack)) {
		return Was{}, false
	}

	was = Was{By: r.session}
	if h.known {
		if h.had == nil || !isText(*h.had) {
			return Was{}, false
		}
		was.Text = TextOf(*h.had)
		return was, true
	}

	store := k.Checkpoints()
	select {
	case <-r.ready:
	default: // a prompt waits for it, but not long
		return Was{}, false
	}

	if store == nil {
		return Was{}, false
	}

	ctx, stop := context.WithTimeout(k.ctx, patience)
	defer stop()

	v, known, err := store.Version(ctx, r.before, path)
	switch {
	case !known || err != nil || v.IsLink():
		return Was{}, false
	case v == checkpoint.Version{}:
		was.Text.Missing = true
		return was, !rulesTouched(r, path)
	}

	data, err := store.Read(ctx, v)
	if err != nil {
		return Was{}, false
	}
	had := rewind.Content{Data: data[0]}
	was.Text = TextOf(had)
	return was, isText(had)
}

// isText reports whether a content is a text, in any encoding.
func isText(c rewind.Content) bool {
	_, err := buffers.Decode(c.Data)
	return err == nil && !c.Link
}

// rulesTouched reports whether a list of ignored files may have changed since a turn began, by which a file was ignored then.
func rulesTouched(r *Running, path string) bool {
	for dir := filepath.Dir(path); buffers.Inside(r.session.Roots(), dir); dir = filepath.Dir(dir) {
		info, err := os.Stat(filepath.Join(dir, ".gitignore"))
		if err == nil && info.ModTime().After(r.began) {
			return true
		}
	}
	return false
}
