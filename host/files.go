package host

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
)

// readTextFile answers from the loaded buffer of a file, saved or not, else from the disk. It waits for no edit: what the
// disk has and the buffer has not yet taken in is merged for the answer. PROTOCOL fs/read_text_file.
func (s *Session) readTextFile(r *acp.ReadTextFileRequest) acp.Answer[*acp.ReadTextFileResponse] {
	return func(ctx context.Context) (*acp.ReadTextFileResponse, error) {
		real, err := s.resolve(r.Path)
		if err != nil {
			return nil, err
		}
		if err := s.allow(ctx, "read", real, r, nil); err != nil {
			return nil, err
		}
		s.readHere(real)
		snap, err := s.host.snapshot(ctx, real, false)
		if err != nil {
			return nil, err
		}
		if snap.Buf == 0 {
			return s.readDisk(real, r)
		}
		text, err := s.fresh(ctx, real, snap)
		if err != nil {
			return nil, err
		}
		part, err := buffers.Slice(text, r.Line, r.Limit)
		if err != nil {
			return nil, fileError(r.Path, err)
		}
		s.servedPart(real, text, r)
		return &acp.ReadTextFileResponse{Content: part}, nil
	}
}

// fresh is the text of a buffer with what its file has got meanwhile (behaviours 28 and 29).
func (s *Session) fresh(ctx context.Context, real string, snap snapshot) (string, error) {
	h := s.host
	text := snap.whole()
	if snap.Special || !h.disk.stale(real, !snap.Modified) {
		return text, nil
	}
	in, err := h.settledText(ctx, real, snap)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil: // gone, or no text any more: what is on the screen counts
		return text, nil
	case h.disk.open(real):
		h.disk.poke()
		if !snap.Modified {
			return in.text, nil
		}
		return snap.content(in.merged.Lines), nil
	case snap.Modified:
		h.disk.warn(real, in.stat)
		return text, nil
	}
	go func() { _ = h.ed.ExecLua(luaChanged, nil, real) }() // ends when Neovim answers or goes away
	return in.text, nil
}

func (s *Session) readDisk(real string, r *acp.ReadTextFileRequest) (*acp.ReadTextFileResponse, error) {
	most := s.host.maxRead()
	f, err := buffers.ReadFile(real, r.Line, r.Limit, most)
	if errors.Is(err, os.ErrNotExist) && s.emptyForMissing(real) {
		return &acp.ReadTextFileResponse{}, nil
	}
	if err != nil {
		return nil, fileError(r.Path, err)
	}
	if r.Line == nil && r.Limit == nil {
		s.served(real, f.Text)
	} else if whole, err := buffers.ReadFile(real, nil, nil, most); err == nil { // else too large to be a base
		s.servedPart(real, whole.Text, r)
	}
	return &acp.ReadTextFileResponse{Content: f.Text}, nil
}

func (h *Host) maxRead() int64 {
	return int64(h.settings().FS.MaxRead)
}

// served remembers what the agent has seen of a file: the base of its next write. A store that is full or broken only makes
// that merge less exact.
func (s *Session) served(real, text string) {
	_ = s.host.store.SetAgent(s.id, real, text)
}

// servedPart is served for what may be a part of a text. Of the rest the agent knows what it has read before; if it has read
// nothing, it counts as having seen all.
func (s *Session) servedPart(real, text string, r *acp.ReadTextFileRequest) {
	known, ok := s.host.store.Agent(s.id, real)
	if !ok || r.Line == nil && r.Limit == nil || known == text {
		s.served(real, text)
		return
	}
	first, count := 0, math.MaxInt32
	if r.Line != nil && *r.Line > 0 {
		first = int(*r.Line) - 1
	}
	if r.Limit != nil {
		count = int(*r.Limit)
	}
	then, now := buffers.Parse(known), buffers.Parse(text)
	now.Lines = buffers.Seen(then.Lines, now.Lines, first, count)
	s.served(real, now.String())
}

// emptyForMissing reports that the agent cannot create a file unless it reads as empty before (behaviour 27).
func (s *Session) emptyForMissing(real string) bool {
	a, _ := s.connection()
	if a == nil || !buffers.Inside(s.roots, real) {
		return false
	}
	info := a.Implementation()
	return s.spec().Quirk("missing_file_is_empty") || info != nil && info.Name == "gemini-cli"
}

// resolve returns the real path that a path of the agent's means.
func (s *Session) resolve(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", acp.Errorf(acp.CodeInvalidParams, "path %q is not absolute", path)
	}
	real, err := buffers.Real(path)
	if err != nil {
		return "", fileError(path, err)
	}
	return real, nil
}

// fileError says to the agent what is wrong with a file.
func fileError(path string, err error) error {
	var e *acp.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, os.ErrNotExist):
		return acp.Errorf(acp.CodeResourceNotFound, "no such file: %s", path)
	case errors.Is(err, buffers.ErrRange), errors.Is(err, buffers.ErrRelative), errors.Is(err, buffers.ErrNotRegular):
		return acp.Errorf(acp.CodeInvalidParams, "%s: %v", path, err)
	}
	return acp.Errorf(acp.CodeInternal, "%v", err)
}
