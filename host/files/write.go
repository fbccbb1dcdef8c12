package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
)

// Write answers fs/write_text_file: it merges an agent's text into the loaded buffer of a file and saves it, or writes the
// file. Writes to one path are made in the order of the calls of Write, which returns at once.
func (w *Workspace) Write(s Session, r *acp.WriteTextFileRequest) acp.Answer[*acp.WriteTextFileResponse] {
	ticket, wanted := w.requests.Ticket(filepath.Clean(r.Path)), s.Wanted()
	return func(ctx context.Context) (*acp.WriteTextFileResponse, error) {
		defer ticket.Done()
		ctx = context.WithValue(ctx, wantedKey{}, wanted)
		if err := ticket.Wait(ctx); err != nil {
			return nil, err
		}

		real, err := resolve(r.Path)
		if err != nil {
			return nil, err
		}

		err = s.AllowWrite(ctx, real, r, func() *acp.Diff { return diskDiff(real, r.Content) })
		if err != nil {
			return nil, err
		}

		text, settle, err := s.AgreedText(ctx, r.Path, r.Content)
		if err != nil {
			return nil, err
		}

		w.store.Named(s.LocalID(), r.Path, real)
		conflicts, err := w.write(ctx, s, real, text)
		settle(err == nil)
		if conflicts > 0 {
			s.NoteConflicts(real)
		}
		if err != nil {
			return nil, fileError(r.Path, err)
		}

		out := &acp.WriteTextFileResponse{}
		if conflicts > 0 {
			out.Meta = acp.Meta{"nvim-acp": acp.Raw(fmt.Sprintf(`{"conflicts":%d}`, conflicts))}
		}

		s.FileChanged(real)
		return out, nil
	}
}

// write gives a file an agent's text, through its buffer if it is loaded, and returns the number of conflicts. After it the
// agent's base is what it wrote, or what formatters made of that.
func (w *Workspace) write(ctx context.Context, s Session, real, text string) (conflicts int, err error) {
	c, err := w.claim(ctx, real)
	if err != nil {
		return 0, err
	}

	defer c.release()
	if isUnwanted(ctx) {
		return 0, errUnwanted
	}
	disk := diskVersions{real: real}
	for {
		// What the disk has comes first: else the write would undo it.
		was := disk.now()
		if err := c.mergeDisk(ctx); err != nil {
			return 0, err
		}

		snap, err := w.snapshot(ctx, real, true)
		switch {
		case err != nil:
			return 0, err
		case snap.Buf == 0:
			return c.writeDisk(ctx, s, text)
		case snap.Refused != "":
			return 0, acp.Errorf(acp.CodeInternal, "%s: %s", real, snap.Refused)
		case !snap.Special && c.versions.isBinary(real):
			return 0, fmt.Errorf("%s: %w", real, errBinary)
		case s.Confined() && !snap.Special:
			return c.writeBelow(ctx, s, c.intact(s, snap, text))
		}

		snap.split = snap.lines()
		text = c.intact(s, snap, text)
		conflicts, made, err := c.bring(ctx, s, snap, text, was)
		if made || err != nil {
			return conflicts, err
		}
	}
}

// intact returns an agent's text with the bytes that are no UTF-8 of lines that it has not changed.
func (c claim) intact(s Session, snap Snapshot, text string) string {
	seen, ok := c.seen(s, c.real)
	if !ok {
		seen = snap.whole() // it has read the disk itself
	}
	return buffers.Intact(seen, text)
}

// maxVersions is how many versions of a file on the disk an edit that waits and saves is made for: a program may write all the time.
const maxVersions = 10

// diskVersions are those of a file on the disk that an edit has been made for.
type diskVersions struct {
	real string // path
	last Stat
	n    int
}

// now returns the version of the file on the disk, for [Edit.Was]: nil if that is not known, or after too many. It is asked for before that
// version is merged, so that what comes later is noticed.
func (d *diskVersions) now() *Stat {
	var now Stat
	if stat, err := buffers.StatFile(d.real); err == nil {
		now = statOf(stat)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if d.n == 0 || now != d.last {
		d.last = now
		d.n++
	}
	if d.n > maxVersions {
		return nil
	}
	return &now
}

// bring brings an agent's text into a buffer, and saves it. It reports false if the buffer, or what was on the disk, has changed meanwhile.
func (c claim) bring(ctx context.Context, s Session, snap Snapshot, text string, was *Stat) (conflicts int, made bool, err error) {
	saving := c.backup(c.real, text, !snap.Special)
	defer saving.drop() // unless it is taken
	base, err := c.base(ctx, s, c.real, snap, text)
	if err != nil {
		return 0, false, err
	}

	_, err = buffers.StatFile(c.real)
	missing := errors.Is(err, fs.ErrNotExist)
	then, now, err := c.diskSeen(ctx, s, snap)
	if err != nil {
		return 0, false, err
	}

	e := Write{
		Buffer: snap, Base: base, Text: text, Format: c.options.Settings().FormatOnWrite, Missing: missing && !snap.Special,
		OnDisk: func() bool { return snap.diskHas(c.real, text) }, DiskThen: then, DiskNow: now,
	}.Plan()
	if e == nil {
		c.setBaseOnDisk(s, text)
		return 0, true, nil
	}

	e.created = missing && len(snap.shown().Lines) == 0
	if !snap.Special {
		e.Was = was
	}
	before := c.savedBelow(ctx, snap, e)
	got, err := c.save(ctx, e, saving)
	if got.Result == "encoding" {
		return 0, false, fmt.Errorf("%s: %w (%s)", c.real, buffers.ErrEncoding, got.Reason)
	}
	if got.Result != "ok" {
		return 0, false, err
	}
	if err != nil { // the text is in the buffer all the same
		c.setBase(s, c.real, text)
		c.noteEdit(s, snap, e, nil, nil)
		return e.Conflicts + got.Conflicts, true, c.sayNotSaved(err)
	}

	c.setBaseOnDisk(s, text)
	if e.Save && !snap.Special {
		c.saved(ctx, s, e, got)
	}

	c.noteEdit(s, snap, e, before, c.savedBelow(ctx, snap, e))
	return e.Conflicts + got.Conflicts, true, nil
}

// base returns the lines that the agent's text started from: what it has seen last, else what the buffer started from. Many
// agents read the disk themselves: a version of the disk that came later is the base if all that is new in it is in the agent's
// text too. If there is none but one is nearer to that text, the agent did not see there what that lacks.
func (w *Workspace) base(ctx context.Context, s Session, real string, snap Snapshot, text string) ([]string, error) {
	seen, ok := w.seen(s, real)
	if !ok {
		return w.diskBase(ctx, real, snap)
	}

	theirs := snap.parse(text).Lines
	base := snap.lines() // if it has seen the buffer as it is
	plain := snap.EOL && !snap.CRLF && !strings.HasPrefix(seen, "\ufeff") && !strings.Contains(seen, "\r")
	if !plain || seen != snap.ended {
		base = snap.parse(seen).Lines
	}

	var near []string // the version of the disk that the agent's text is nearest to, if it is nearer than to what it has seen
	most := -1
	for _, data := range w.since(s, real) {
		lines, err := w.diskLines(ctx, snap, data)
		switch {
		case err != nil:
			return nil, err
		case lines == nil:
			continue
		case slices.Equal(buffers.Merge(base, lines, theirs).Lines, theirs):
			return lines, nil
		}

		if most < 0 {
			most = distance(base, theirs)
		}
		if d := distance(lines, theirs); d < most {
			most, near = d, lines
		}
	}

	if near != nil {
		return withoutUnread(base, near, snap.lines()), nil
	}

	return base, nil
}

// distance is how many lines turn a text into another.
func distance(from, to []string) (n int) {
	for _, e := range buffers.Edits(from, to) {
		n += e.End - e.Start + len(e.Lines)
	}
	return n
}

// withoutUnread returns the lines that an agent has seen without those that the buffer has and the version of the disk lacks that the
// agent has probably read since: it did not remove them.
func withoutUnread(seen, read, ours []string) []string {
	have := make(map[string]bool, len(ours))
	for _, line := range ours {
		have[line] = true
	}

	var out []string
	at := 0
	for _, e := range buffers.Edits(seen, read) {
		out = append(out, seen[at:e.Start]...)
		for _, line := range seen[e.Start:e.End] {
			if len(e.Lines) > 0 || !have[line] {
				out = append(out, line)
			}
		}
		at = e.End
	}

	return append(out, seen[at:]...)
}

// diskSeen returns the lines that the disk had when the agent saw a file, and those that it has now, as the buffer knows it; nothing
// if they are the same. What differs is what the user and others have saved since.
func (c claim) diskSeen(ctx context.Context, s Session, snap Snapshot) (then, now []string, err error) {
	last, _, ok := c.store.Disk(c.real)
	data, known := c.store.DiskSeen(s.LocalID(), c.real)
	if !ok || !known || snap.Special || bytes.Equal(data, last) {
		return nil, nil, nil
	}
	if then, err = c.diskLines(ctx, snap, data); then != nil && err == nil {
		now, err = c.diskLines(ctx, snap, last)
	}
	if now == nil {
		then = nil
	}
	return then, now, err
}

// saved notes what the disk has after an edit that has saved an agent's text.
func (c claim) saved(ctx context.Context, s Session, e *Edit, got Edited) {
	if !e.Format {
		c.rememberSaved(ctx, got, e.saved)
		return
	}

	c.remember(c.real, got.Stat.stat(), c.unmodifiedText(ctx, c.real), nil) // what formatters have made of it
	if data, _, ok := c.store.Disk(c.real); ok {
		if formatted, err := buffers.Decode(data); err == nil {
			c.setBaseOnDisk(s, formatted)
			if len(e.Top) == 0 {
				e.after, e.whole = buffers.Parse(formatted).Lines, ""
			}
		}
	}
}

// writeDisk brings an agent's text into a file that is not loaded, and has Neovim look at it again. What others have written since the
// agent has seen the file stays, as in a buffer; a conflict is between marker lines on the disk. It returns the number of those.
func (c claim) writeDisk(ctx context.Context, s Session, text string) (conflicts int, err error) {
	met := Met{Text: c.diskText()}
	if !c.decided.has(c.real, met.Text) {
		met.Touched = Touched(c.real, s.Roots())
	}
	merged, before, conflicts, err := c.mergeInto(s, met.Text, text)
	if err != nil {
		return 0, err
	}
	if _, err := buffers.WriteReal(c.real, merged, buffers.WriteOptions{}); err != nil {
		return 0, err
	}
	c.setBaseOnDisk(s, text)
	c.decided.forget(c.real)
	c.options.Changed(Change{Session: ofSession(s), Path: c.real, Before: before, After: textOf(merged), Met: &met})
	return conflicts, c.editor.DiskChanged(ctx, c.real)
}

// writeBelow brings an agent's text to the disk below a buffer, and merges it into that: Neovim saves a buffer by its name, which an agent
// in a sandbox could lead elsewhere in that moment.
func (c claim) writeBelow(ctx context.Context, s Session, text string) (conflicts int, err error) {
	merged, _, conflicts, err := c.mergeInto(s, c.diskText(), text)
	if err != nil {
		return 0, err
	}
	if _, err := buffers.WriteReal(c.real, merged, buffers.WriteOptions{}); err != nil {
		return 0, err
	}
	c.setBaseOnDisk(s, text)
	c.by = s
	return conflicts, c.mergeDisk(ctx)
}

// mergeInto returns an agent's text with what others have made of a file on the disk since the agent has seen it, and the file without
// the agent's change; what it has read unsaved counts as if the disk had it. An agent that has not seen the file through the editor has
// read the disk itself. A file that has become binary meanwhile is an error.
func (c claim) mergeInto(s Session, now Text, text string) (merged string, before Text, conflicts int, err error) {
	seen, ok := c.seen(s, c.real)
	if !ok || now.Missing || now.string() == seen {
		return text, now, 0, nil
	}

	there := now
	if now.Lines == nil { // empty, too large for the review, or no text
		f, err := buffers.ReadReal(c.real, nil, nil, c.options.Settings().MaxRead)
		switch {
		case errors.Is(err, buffers.ErrNotText) && !c.has(seen):
			return "", now, 0, fmt.Errorf("%s: %w", c.real, errBinary)
		case err != nil || f.Text == seen:
			return text, now, 0, nil
		}
		there = textOf(f.Text)
	}

	base, ours, theirs := buffers.Parse(seen), buffers.Parse(there.string()), buffers.Parse(text)
	if then, ok := c.store.DiskSeen(s.LocalID(), c.real); ok && buffers.View(then) != seen {
		ours.Lines = buffers.MergeTheirs(buffers.Parse(buffers.View(then)).Lines, base.Lines, ours.Lines)
		if now.Lines != nil {
			now.Lines = ours.Lines
		}
	}

	m := buffers.Merge(base.Lines, ours.Lines, theirs.Lines)
	if slices.Equal(m.Lines, theirs.Lines) {
		return text, now, 0, nil
	}

	theirs.Lines = m.Lines
	return theirs.String(), now, max(len(m.Conflicts)-len(buffers.Conflicts(ours.Lines)), 0), nil
}

// has reports whether the disk has exactly the bytes of a text.
func (c claim) has(text string) bool {
	same, _, err := buffers.HasBytes(c.real, text)
	return same && err == nil
}

// errBinary is the error of a write to a file whose text others have replaced since the agent has read it.
var errBinary = errors.New("not written: it has become a binary file since it was read")

// diskHas reports whether the file of a buffer has a text on the disk.
func (b Snapshot) diskHas(real, text string) bool {
	same, stat, err := buffers.HasBytes(real, text)
	if same || err != nil {
		return same
	}
	const mark = 3                                        // bytes
	if b.isUTF8() && stat.Size != int64(len(text))+mark { // it can be told without reading
		return false
	}
	f, err := buffers.ReadReal(real, nil, nil, int64(len(text))*4+16) // enough for it in any encoding
	return err == nil && f.Text == text
}
