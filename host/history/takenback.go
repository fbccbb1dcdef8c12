package history

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/rewind"
)

// now returns what the user sees of a file: the text of its buffer, else what the disk has.
func (k *History) now(ctx context.Context, path string) (c rewind.Content, err error) {
	c, err = rewind.Read(path)
	if err != nil || !c.Text() {
		return c, err
	}

	err = k.files.Look(ctx, path, func(v files.View) error {
		if v.Buf != 0 && !c.Missing { // a buffer whose file is gone has its text still
			exec := c.Exec
			c = contentOf(v.Shown)
			c.Exec = exec
		}
		return nil
	})
	return c, err
}

// Rewrite is [files.Workspace.Rewrite]. A file that only its owner could read does not come back for everyone.
func (k *History) Rewrite(ctx context.Context, path string, plan func(files.View) (shown, disk files.Text, err error), done func()) error {
	own := false
	_, gone := os.Lstat(path)
	if store := k.Checkpoints(); store != nil && gone != nil {
		var returned func()
		own, returned = store.Returns(path)
		defer returned()
	}

	var to files.Text
	r := k.restoring(path)
	defer r.done()
	return k.files.Rewrite(ctx, path, own, func(v files.View) (shown, disk files.Text, err error) {
		if shown, disk, err = plan(v); err == nil {
			if has, err := rewind.Read(path); err == nil {
				r.open(has)
			}
			r.begin()
		}
		to = disk
		return shown, disk, err
	}, func() {
		r.wrote(to)
		done()
	})
}

// errRaw says that a file is not one that buffers have.
var errRaw = errors.New("not text")

// revertFile takes the steps of one file back, in its buffer and on the disk, but not behind a link that has come. It says what the file
// then has, and returns what it has done.
func (k *History) revertFile(path string, steps []rewind.Step, rewrote func(now files.Text)) (did rewind.Action) {
	if err := rewind.Check(path); err != nil {
		return rewind.Action{Path: path, Refused: err.Error()}
	}

	own := slices.DeleteFunc(slices.Clone(steps), func(s rewind.Step) bool { return s.Path != path })
	back := func(now rewind.Content, own []rewind.Step) (rewind.Content, error) {
		plan := rewind.Plan(own, func(string) (rewind.Content, error) { return now, nil })
		switch {
		case len(plan) == 0:
			return now, nil
		case plan[0].Refused != "":
			return now, errors.New(plan[0].Refused)
		}
		return plan[0].Then, nil
	}

	disk, err := rewind.Read(path)
	textual := err == nil && disk.Text() && !slices.ContainsFunc(own, func(s rewind.Step) bool {
		return !s.Before.Text() || !s.After.Text() || !s.Before.Missing && !s.After.Missing && s.Before.Exec != s.After.Exec ||
			s.After.Missing && s.Before.Exec
	})

	var shown files.Text
	err = k.Rewrite(k.ctx, path, func(v files.View) (_, onDisk files.Text, err error) {
		switch {
		case v.Buf == 0:
			return shown, onDisk, errRaw // byte for byte
		case !textual:
			return shown, onDisk, errors.New("it is open and not text: close it first")
		}

		now := contentOf(v.Shown)
		deleted := disk.Missing && len(own) > 0 && own[len(own)-1].After.Missing
		if deleted || disk.Missing && strings.Join(v.Shown.Lines, "") == "" { // an empty buffer is all that is left of it
			now, v.Disk.Missing = rewind.Content{Missing: true}, true
		}

		then, err := back(now, own)
		if err != nil {
			return shown, onDisk, err
		}

		had := contentOf(v.Disk)
		left := then
		if !had.Equal(now) {
			if left, err = back(had, rewind.OnDisk(own)); err != nil {
				return shown, onDisk, err
			}
		}
		if left.Missing && v.Unsaved() {
			return shown, onDisk, files.ErrUnsaved
		}

		did = rewind.Action{Path: path, Now: now, Then: then, Disk: rewind.Diverge(now, then, rewind.Sides{Before: had, After: left})}
		if v.Disk.Missing {
			did.Now, did.Then = rewind.Content{Missing: true}, left
		}

		onDisk = textFor(v, left)
		shown = v.Back(onDisk, textFor(v, then))
		return shown, onDisk, nil
	}, func() { rewrote(shown) })

	if errors.Is(err, errRaw) {
		r := k.restoring(path)
		defer r.done()
		err = k.files.Exclusively(k.ctx, path, func() error {
			now, err := rewind.Read(path)
			if err != nil {
				return err
			}

			then, err := back(now, rewind.OnDisk(own))
			if err != nil {
				return err
			}
			r.open(now)
			r.begin()
			if err := rewind.Write(path, then); err != nil {
				return err
			}

			did = rewind.Action{Path: path, Now: now, Then: then}
			if then.Text() {
				rewrote(TextOf(then))
			}

			return nil
		})
	}

	k.hooks.Drawn(path)
	if err != nil {
		return rewind.Action{Path: path, Refused: err.Error()}
	}

	return did
}

// contentOf returns a text in the form in which histories keep it.
func contentOf(t files.Text) rewind.Content {
	if t.Missing {
		return rewind.Content{Missing: true}
	}
	return rewind.Content{Data: buffers.Bytes(buffers.Text{Lines: t.Lines, EOL: t.EOL}.String())}
}

// TextOf returns what a file had as a text.
func TextOf(c rewind.Content) files.Text {
	text, err := buffers.Decode(c.Data)
	if err != nil { // no text
		text = string(c.Data)
	}
	t := buffers.Parse(text)
	return files.Text{Lines: t.Lines, EOL: t.EOL, Missing: c.Missing}
}

// textFor returns what a file had as the text that its buffer gets.
func textFor(v files.View, c rewind.Content) files.Text {
	if !v.UTF8 || !buffers.IsLatin1(c.Data) {
		return TextOf(c)
	}
	t := buffers.Parse(string(c.Data))
	return files.Text{Lines: t.Lines, EOL: t.EOL}
}

// heard notes for a turn what a buffer has read or written, and what the disk has by now.
func heard(r *Running, report files.Report, disk rewind.Content, err error, text files.Text, known bool) {
	has := contentOf(text)
	switch {
	case known && err == nil && report.Wrote:
		r.Has(report.Path, &has)
	case err != nil || !known && disk.Text() && !disk.Link: // it has been written since
		r.Save(report.Path)
		r.Has(report.Path, nil)
	case report.Wrote:
	case r.Knows(report.Path):
		r.Meet(report.Path, contentOf(TextOf(disk)))
	default:
		opened := disk
		if known && !has.Equal(contentOf(TextOf(disk))) {
			opened = has
		}
		r.Open(report.Path, opened)
		if known {
			r.Has(report.Path, &has)
		}
	}
}

// mergeRest has the last changes on the disk merged into their buffers, but does not wait for a user who is in the middle of
// something.
func (k *History) mergeRest(s feature.Session) {
	ctx, stop := context.WithTimeout(k.ctx, 2*time.Second)
	defer stop()
	k.files.MergeNow(ctx, s.Roots())
}

// restoring is a file that is changed back for the user. That is nothing that turns have done which run while it is written, or whose
// last checkpoints are being made: which of those have it nobody knows.
type restoring struct {
	*History
	path  string
	begun bool
}

func (k *History) restoring(path string) *restoring { return &restoring{History: k, path: path} }

// open notes what turns have made of the file so far. It does not wait.
func (r *restoring) open(has rewind.Content) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, turn := range r.turns {
		turn.Open(r.path, has)
	}
}

// begin notes that the file is about to be written. It does not wait.
func (r *restoring) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.begun {
		r.begun = true
		r.restored[r.path]++
	}
	for _, turn := range r.turns {
		turn.Save(r.path)
		turn.Has(r.path, nil)
	}
	r.savedBetween(r.path)
}

// wrote notes what the file has now. It does not wait.
func (r *restoring) wrote(text files.Text) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := contentOf(text)
	for _, turn := range r.turns {
		turn.Has(r.path, &c)
	}
}

// done notes that it is written, or cannot be, if that has begun. It does not wait.
func (r *restoring) done() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.begun {
		return
	}
	if r.restored[r.path]--; r.restored[r.path] == 0 {
		delete(r.restored, r.path)
	}
	r.savedBetween(r.path)
}

// savedBetween notes that the user has changed a file on the disk: that is nothing that turns have done whose last checkpoint is being
// made, and that checkpoint may not have it. k.mu is held.
func (k *History) savedBetween(path string) {
	for _, r := range k.closing {
		r.Save(path)
		r.Has(path, nil)
	}
	for _, e := range k.ending {
		e.stale = true
	}
}

// besideRestored notes for a turn that begins which files the user has changed back just now. k.mu is held.
func (k *History) besideRestored(r *Running) {
	for path := range k.restored {
		r.Save(path)
	}
}
