package files

import (
	"context"
	"io"
	"strings"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// snapshot returns the loaded buffer of a file with all its text. edit says that it is to be edited. It waits for a report that
// Neovim has sent on the version that the buffer has.
func (w *Workspace) snapshot(ctx context.Context, real string, edit bool) (Snapshot, error) {
	snap, err := w.unreported(ctx, real, edit)
	if err == nil && snap.Buf != 0 {
		w.awaitReport(ctx, real, snap.Reported)
	}
	return snap, err
}

// unreported is snapshot without waiting for a report. A long buffer comes in slices, all of them again if it changes meanwhile.
func (w *Workspace) unreported(ctx context.Context, real string, edit bool) (Snapshot, error) {
	for {
		snap, err := w.editor.Snapshot(ctx, real, edit)
		if err != nil || snap.Buf == 0 {
			return snap, err
		}
		if whole, err := w.complete(ctx, &snap); whole || err != nil {
			return snap, err
		}
	}
}

// complete adds the lines that a snapshot lacks. It reports false if the buffer has changed.
func (w *Workspace) complete(ctx context.Context, snap *Snapshot) (whole bool, err error) {
	long := snap.Last < snap.Count
	text, known := "", false
	if long {
		text, known = w.texts.find(*snap)
	}
	if !known {
		text, whole, err = w.lines(ctx, *snap, snap.Text+"\n", snap.Last, false)
		if whole && strings.Count(text, "\n") != snap.Count { // there are NUL bytes, which Neovim has as line breaks
			text, whole, err = w.lines(ctx, *snap, "", 0, true)
		}
		if !whole || err != nil {
			return false, err
		}
	}

	snap.ended, snap.Text = text, text[:len(text)-1]
	if long && !known {
		w.texts.add(*snap)
	}

	return true, nil
}

// lines appends the lines of a buffer from one on to text, each with a line end. It reports false if the buffer has changed.
func (w *Workspace) lines(ctx context.Context, snap Snapshot, text string, from int, nul bool) (_ string, whole bool, err error) {
	if from >= snap.Count {
		return text, true, nil
	}

	shared, whole, err := w.share(ctx, snap, text, from)
	if whole || err != nil {
		return shared, whole, err
	}

	var b strings.Builder
	b.Grow(snap.Size + 1)
	b.WriteString(text)
	for from < snap.Count {
		part, err := w.editor.Lines(ctx, snap.Buf, snap.Tick, from, nul)
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
// false, with no text, where that does not work.
func (w *Workspace) share(ctx context.Context, snap Snapshot, text string, from int) (_ string, whole bool, err error) {
	memory, path, err := newMemory()
	if err != nil {
		return "", false, nil // not on this system
	}

	defer memory.Close()
	for from < snap.Count {
		next, err := w.editor.Share(ctx, snap.Buf, snap.Tick, from, path)
		if err != nil || next == 0 {
			return "", false, err
		}
		from = next
	}

	info, err := memory.Stat()
	if err != nil {
		return "", false, err
	}

	data := append(make([]byte, 0, len(text)+int(info.Size())), text...)
	data = data[:cap(data)]
	_, err = io.ReadFull(memory, data[len(text):])
	return buffers.View(data), err == nil, err
}

// decode returns the text of a file's bytes in the encoding that the buffer has, unless they are UTF-8.
func (w *Workspace) decode(ctx context.Context, snap Snapshot, f buffers.File) (string, error) {
	if !snap.hasLegacyEncoding() || snap.Encoding == "latin1" || buffers.IsUTF8(f.Data) {
		return f.Text, nil
	}
	text, err := w.editor.Decode(ctx, string(f.Data), snap.Encoding)
	if err != nil || text == nil {
		return f.Text, err
	}
	return *text, nil
}
