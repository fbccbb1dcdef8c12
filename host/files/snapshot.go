package files

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// snapshots read loaded buffers. They are safe for concurrent use.
type snapshots struct {
	editor   Editor
	versions *versions // that buffers have
	texts    textCache
	waits    waits
	refresh  func() // what edits wait for has changed
}

// snapshot returns the loaded buffer of a file with all its text. edit says that it is to be edited. It waits for a report that
// Neovim has sent on the version that the buffer has.
func (s *snapshots) snapshot(ctx context.Context, real string, edit bool) (Snapshot, error) {
	snap, err := s.unreported(ctx, real, edit)
	if err == nil && snap.Buf != 0 {
		s.awaitReport(ctx, snap.Reported)
	}
	return snap, err
}

// unreported is snapshot without waiting for a report. A long buffer comes in slices, all of them again if it changes meanwhile. What a
// plugin has written into it while that waits for a key is not read: until the user has pressed one, or ctx ends.
func (s *snapshots) unreported(ctx context.Context, real string, edit bool) (Snapshot, error) {
	shown := func(reason string) {
		if edit && s.waits.set(real, reason) {
			s.refresh()
		}
	}
	defer shown("")

	for {
		safe := s.waits.next() // before Neovim is asked, so that no change is missed
		snap, err := s.editor.Snapshot(ctx, real, edit)
		if err != nil || snap.Buf == 0 {
			return snap, err
		}
		if snap.Waits != "" {
			shown(snap.Waits)
			select {
			case <-safe:
			case <-time.After(retry):
			case <-ctx.Done():
				return snap, ctx.Err()
			}
			continue
		}
		if whole, err := s.complete(ctx, &snap); whole || err != nil {
			return snap, err
		}
	}
}

// finish makes a snapshot that has come with another answer like those that snapshot returns. It reports false if it cannot.
func (s *snapshots) finish(ctx context.Context, snap *Snapshot) bool {
	if snap.Buf == 0 || snap.Waits != "" {
		return false
	}
	whole, err := s.complete(ctx, snap)
	if !whole || err != nil {
		return false
	}
	s.awaitReport(ctx, snap.Reported)
	return true
}

// complete adds the text of a long buffer, which a snapshot lacks. It reports false if the buffer has changed.
func (s *snapshots) complete(ctx context.Context, snap *Snapshot) (whole bool, err error) {
	text, known := snap.Text+"\n", !snap.Long
	if snap.Long {
		text, known = s.texts.find(*snap)
	}
	if !known {
		if text, whole, err = s.lines(ctx, *snap, false); !whole || err != nil {
			return false, err
		}
	}
	if strings.Count(text, "\n") != snap.Count { // there are NUL bytes, which Neovim has as line breaks
		if text, whole, err = s.lines(ctx, *snap, true); !whole || err != nil {
			return false, err
		}
	}

	snap.ended, snap.Text = text, text[:len(text)-1]
	if snap.Long && !known {
		s.texts.add(*snap)
	}

	return true, nil
}

// lines returns the lines of a buffer, each with a line end. It reports false if the buffer has changed.
func (s *snapshots) lines(ctx context.Context, snap Snapshot, nul bool) (_ string, whole bool, err error) {
	shared, whole, err := s.share(ctx, snap)
	if whole || err != nil {
		return shared, whole, err
	}

	var b strings.Builder
	b.Grow(snap.Size + 1)
	for from := 0; from < snap.Count; {
		part, err := s.editor.Lines(ctx, snap.Buf, snap.Tick, from, nul)
		if err != nil || part == nil {
			return "", false, err
		}
		b.WriteString(part.Text)
		b.WriteByte('\n')
		from = part.Next
	}

	return b.String(), true, nil
}

// share is lines through memory that Neovim and the host share, which takes a quarter of the time of msgpack-RPC. It reports
// false where that does not work.
func (s *snapshots) share(ctx context.Context, snap Snapshot) (_ string, whole bool, err error) {
	memory, path, err := newMemory()
	if err != nil {
		return "", false, nil // not on this system
	}

	defer memory.Close()
	for from := 0; from < snap.Count; {
		next, err := s.editor.Share(ctx, snap.Buf, snap.Tick, from, path)
		if err != nil || next == 0 {
			return "", false, err
		}
		from = next
	}

	info, err := memory.Stat()
	if err != nil {
		return "", false, err
	}

	data := make([]byte, info.Size())
	_, err = io.ReadFull(memory, data)
	return buffers.View(data), err == nil, err
}

// decode returns the text of a file's bytes in the encoding that the buffer has, unless they are UTF-8.
func (s *snapshots) decode(ctx context.Context, snap Snapshot, f buffers.File) (string, error) {
	if snap.isInvalid() && buffers.IsLatin1(f.Data) {
		return buffers.View(f.Data), nil
	}
	if !snap.hasLegacyEncoding() || snap.Encoding == "latin1" || buffers.IsUTF8(f.Data) {
		return f.Text, nil
	}
	text, err := s.editor.Decode(ctx, string(f.Data), snap.Encoding)
	if err != nil || text == nil {
		return f.Text, err
	}
	return *text, nil
}

// awaitReport waits until a report that Neovim has sent is noted, whether the file is known to be loaded or that report says so first.
func (s *snapshots) awaitReport(ctx context.Context, n int) {
	for end := time.Now().Add(maxReportWait); time.Now().Before(end); {
		if s.versions.hasReport(n) {
			return
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return
		}
	}
}

// maxReportWait is how long an edit waits for a report that is on its way.
const maxReportWait = time.Second

// IsLoaded reports whether a buffer has a file. It waits for Neovim.
func (s *snapshots) IsLoaded(ctx context.Context, real string) bool {
	snap, err := s.editor.Snapshot(ctx, real, false)
	return err == nil && snap.Buf != 0
}

// Unsaved reports whether a buffer has unsaved changes of a file. It waits for Neovim.
func (s *snapshots) Unsaved(ctx context.Context, real string) bool {
	snap, err := s.editor.Snapshot(ctx, real, false)
	return err == nil && snap.Buf != 0 && snap.Modified
}

// unmodifiedText returns the text of an unmodified buffer, which is what its file had; "" if there is none.
func (s *snapshots) unmodifiedText(ctx context.Context, path string) string {
	snap, err := s.unreported(ctx, path, false)
	if err != nil || snap.Buf == 0 || snap.Modified {
		return ""
	}
	return snap.whole()
}
