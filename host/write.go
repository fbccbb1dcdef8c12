package host

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
)

// writeTextFile merges an agent's text into the loaded buffer of a file and saves it, or writes the file. Its place in the
// order of the file's writes is taken here, on the read goroutine. PROTOCOL fs/write_text_file.
func (s *Session) writeTextFile(r *acp.WriteTextFileRequest) acp.Answer[*acp.WriteTextFileResponse] {
	ticket := s.host.writes.Ticket(filepath.Clean(r.Path))
	return func(ctx context.Context) (*acp.WriteTextFileResponse, error) {
		defer ticket.Done()
		if err := ticket.Wait(ctx); err != nil {
			return nil, err
		}
		real, err := s.resolve(r.Path)
		if err != nil {
			return nil, err
		}
		if err := s.allow(ctx, "write", real, r, written(real, r.Content)); err != nil {
			return nil, err
		}
		content, err := s.agreed(ctx, r.Path, r.Content)
		if err != nil {
			return nil, err
		}
		conflicts, err := s.write(ctx, real, content)
		if err != nil {
			return nil, fileError(r.Path, err)
		}
		out := &acp.WriteTextFileResponse{}
		if conflicts > 0 {
			s.note(real)
			out.Meta = acp.Meta{"nvim-acp": acp.Raw(fmt.Sprintf(`{"conflicts":%d}`, conflicts))}
		}
		s.change(func() { s.emit("AcpFileChanged", map[string]any{"path": real}) })
		return out, nil
	}
}

// mostAsked is the largest file, in bytes, that is compared for a question about a write.
const mostAsked = 1 << 20

// written is what a write would change of a file on disk, as far as it is worth showing.
func written(real, content string) *acp.Diff {
	d := &acp.Diff{Path: real, NewText: content}
	if f, err := buffers.ReadFile(real, nil, nil, mostAsked); err == nil {
		d.OldText = &f.Text
	}
	return d
}

// write makes an agent's text that of a file, through its buffer if it is loaded, and returns the number of conflicts. It
// waits until whatever else concerns the file, under any name, is done. After it the agent's base is what it wrote, or what
// formatters made of that.
func (s *Session) write(ctx context.Context, real, content string) (conflicts int, err error) {
	ticket := s.host.reals.Ticket(real)
	defer ticket.Done()
	if err := ticket.Wait(ctx); err != nil {
		return 0, err
	}
	for {
		if err := s.host.takeIn(ctx, real); err != nil {
			return 0, err
		}
		snap, err := s.host.snapshot(ctx, real, true)
		if err != nil {
			return 0, err
		}
		if snap.Buf == 0 {
			s.served(real, content)
			return 0, s.writeDisk(ctx, real, content)
		}
		if snap.Refused != "" {
			return 0, acp.Errorf(acp.CodeInternal, "%s: %s", real, snap.Refused)
		}
		base, err := s.base(ctx, real, snap)
		if err != nil {
			return 0, err
		}
		e := s.plan(real, snap, base, content)
		if e == nil {
			s.served(real, content)
			return 0, nil
		}
		drop := func() {}
		if e.Save && !snap.Special {
			drop = s.host.keepCopy(real, content)
		}
		got, err := s.host.applySaved(ctx, real, e)
		if err == nil { // else Neovim may have gone in the middle of it
			drop()
		}
		switch {
		case err != nil:
			return 0, err
		case got.Result == "encoding":
			return 0, fmt.Errorf("%s: %w (%s)", real, buffers.ErrEncoding, got.Reason)
		case got.Problem != "":
			return 0, acp.Errorf(acp.CodeInternal, "the text is in the editor, but saving it went wrong: %s", got.Problem)
		case got.Result == "ok":
			s.saved(real, content, e, got, snap.Special)
			return e.Conflicts, nil
		}
	}
}

// saved notes what the disk has after an edit.
func (s *Session) saved(real, content string, e *edit, got edited, special bool) {
	s.served(real, content)
	if !e.Save || special {
		return
	}
	if !e.Format {
		s.host.disk.remember(real, got.Stat.stat(), content)
		return
	}
	s.host.disk.remember(real, got.Stat.stat(), "") // what formatters have made of it
	if data, _, ok := s.host.store.Disk(real); ok {
		if text, err := buffers.Decode(data); err == nil {
			s.served(real, text)
		}
	}
}

func (s *Session) writeDisk(ctx context.Context, real, content string) error {
	root, err := s.root(real)
	if err != nil {
		return err
	}
	if root != nil {
		defer root.Close()
	}
	if _, err := buffers.WriteFile(root, real, content, buffers.WriteOptions{}); err != nil {
		return err
	}
	_, err = call[any](ctx, s.host.ed, luaChanged, real)
	return err
}

// plan is the edit that brings an agent's text into a buffer; nil if there is nothing to do.
func (s *Session) plan(real string, snap snapshot, base []string, content string) *edit {
	ours, theirs := snap.lines(), snap.parse(content)
	m := buffers.Merge(base, ours, theirs.Lines)
	e := &edit{
		Buf: snap.Buf, Tick: snap.Tick, Disk: []hunk{}, Top: []hunk{}, Save: true, EOL: theirs.EOL,
		Conflicts: len(m.Conflicts),
	}
	if theirs.CRLF && !snap.CRLF {
		e.Form = "dos"
	}
	direct := buffers.Edits(ours, m.Lines)
	e.Direct = shifts(direct)
	switch same := e.EOL == snap.EOL && e.Form == ""; {
	case !snap.Modified && len(direct) == 0 && same:
		return nil
	case !snap.Special && snap.Modified && same && s.host.disk.has(real, content):
		if len(direct) == 0 {
			return nil
		}
		e.Save, e.Top = false, hunks(direct)
	case !snap.Modified && len(m.Conflicts) == 0:
		e.Disk, e.Format = hunks(direct), s.host.settings().FS.FormatOnWrite
		e.Empty = content == "" && len(m.Lines) == 1 && m.Lines[0] == ""
	default:
		e.Disk, e.Top = hunks(buffers.Edits(ours, theirs.Lines)), hunks(buffers.Edits(theirs.Lines, m.Lines))
		e.Empty = content == "" && slices.Equal(theirs.Lines, m.Lines)
	}
	return e
}

// base is what the agent's text started from: what it has seen last, else what the buffer started from.
func (s *Session) base(ctx context.Context, real string, snap snapshot) ([]string, error) {
	if text, ok := s.host.store.Agent(s.id, real); ok {
		return snap.parse(text).Lines, nil
	}
	return s.host.diskBase(ctx, real, snap)
}
