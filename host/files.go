package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
)

// snapshot is a loaded buffer as Lua describes it; Buf 0 means that the file is not loaded.
type snapshot struct {
	Buf      int    `msgpack:"buf"`
	Tick     int    `msgpack:"tick"`
	Text     string `msgpack:"text"` // lines joined by \n, without a final one
	Modified bool   `msgpack:"modified"`
	CRLF     bool   `msgpack:"crlf"`
	EOL      bool   `msgpack:"eol"` // the file has, or will get, a final newline
	Special  bool   `msgpack:"special"`
	Refused  string `msgpack:"refused"` // why it cannot be edited
}

func (b snapshot) lines() []string { return strings.Split(b.Text, "\n") }

// content is the buffer's text as the file would have it, in UTF-8.
func (b snapshot) content() string {
	if b.Text == "" && !b.Modified && b.EOL { // an empty buffer is an empty file
		return ""
	}
	text := buffers.Text{Lines: b.lines(), EOL: b.EOL, CRLF: b.CRLF}
	return text.String()
}

// readTextFile answers from the loaded buffer of a file, saved or not, else from the disk. PROTOCOL fs/read_text_file.
func (s *Session) readTextFile(r *acp.ReadTextFileRequest) acp.Answer[*acp.ReadTextFileResponse] {
	return func(ctx context.Context) (*acp.ReadTextFileResponse, error) {
		real, err := s.resolve(r.Path)
		if err != nil {
			return nil, err
		}
		if err := s.allow(ctx, "read", real); err != nil {
			return nil, err
		}
		snap, err := call[snapshot](ctx, s.host.ed, luaSnapshot, real)
		if err != nil {
			return nil, err
		}
		if snap.Buf == 0 {
			return s.readDisk(real, r)
		}
		text := snap.content()
		s.served(real, text)
		part, err := buffers.Slice(text, r.Line, r.Limit)
		if err != nil {
			return nil, fileError(r.Path, err)
		}
		return &acp.ReadTextFileResponse{Content: part}, nil
	}
}

func (s *Session) readDisk(real string, r *acp.ReadTextFileRequest) (*acp.ReadTextFileResponse, error) {
	s.host.mu.Lock()
	most := int64(s.host.settings.FS.MaxRead)
	s.host.mu.Unlock()
	f, err := buffers.ReadFile(real, r.Line, r.Limit, most)
	if errors.Is(err, os.ErrNotExist) && s.emptyForMissing(real) {
		return &acp.ReadTextFileResponse{}, nil
	}
	if err != nil {
		return nil, fileError(r.Path, err)
	}
	if f.Data != nil && r.Line == nil && r.Limit == nil {
		s.served(real, f.Text)
	}
	return &acp.ReadTextFileResponse{Content: f.Text}, nil
}

// served remembers what the agent has seen of a file: the base of its next write. A store that is full or broken only makes
// that merge less exact.
func (s *Session) served(real, text string) {
	_ = s.host.store.SetAgent(s.id, real, []byte(text))
}

// emptyForMissing reports that the agent cannot create a file unless it reads as empty before (behaviour 27).
func (s *Session) emptyForMissing(real string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !buffers.Inside(s.roots, real) || s.agent == nil {
		return false
	}
	info := s.agent.info.AgentInfo
	return s.spec.quirk("missing_file_is_empty") || info != nil && info.Name == "gemini-cli"
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
		if err := s.allow(ctx, "write", real); err != nil {
			return nil, err
		}
		conflicts, err := s.write(ctx, real, r.Content)
		if err != nil {
			return nil, fileError(r.Path, err)
		}
		s.served(real, r.Content)
		s.change(func() { s.emit("AcpFileChanged", map[string]any{"path": real}) })
		out := &acp.WriteTextFileResponse{}
		if conflicts > 0 {
			out.Meta = acp.Meta{"nvim-acp": acp.Raw(fmt.Sprintf(`{"conflicts":%d}`, conflicts))}
		}
		return out, nil
	}
}

// write makes an agent's text that of a file, through its buffer if it is loaded, and returns the number of conflicts.
func (s *Session) write(ctx context.Context, real, content string) (conflicts int, err error) {
	for {
		snap, err := call[snapshot](ctx, s.host.ed, luaSnapshot, real)
		if err != nil {
			return 0, err
		}
		if snap.Buf == 0 {
			return 0, s.writeDisk(ctx, real, content)
		}
		if snap.Refused != "" {
			return 0, acp.Errorf(acp.CodeInternal, "%s: %s", real, snap.Refused)
		}
		done, conflicts, err := s.edit(ctx, real, snap, content)
		if done || err != nil {
			return conflicts, err
		}
	}
}

func (s *Session) writeDisk(ctx context.Context, real, content string) error {
	if _, err := buffers.WriteFile(nil, real, content, buffers.WriteOptions{}); err != nil {
		return err
	}
	_, err := call[any](ctx, s.host.ed, luaChanged, real)
	return err
}

// edit is what Lua is to do to a buffer: first what the disk gets, saved, then what the user had on top.
type edit struct {
	Buf    int    `msgpack:"buf"`
	Tick   int    `msgpack:"tick"`
	Disk   []hunk `msgpack:"disk"`
	Top    []hunk `msgpack:"top"`
	Save   bool   `msgpack:"save"`
	Format bool   `msgpack:"format"`
	EOL    bool   `msgpack:"eol"`
}

type hunk struct {
	_     struct{} `msgpack:",array"`
	First int
	End   int
	Lines []string
}

type edited struct {
	Result  string `msgpack:"result"` // "ok", "stale", "busy" or "gone"
	Problem string `msgpack:"problem"`
}

// edit merges the agent's text into a buffer. It is not done when the buffer changed meanwhile; it waits while the user is
// doing what an edit would spoil.
func (s *Session) edit(ctx context.Context, real string, snap snapshot, content string) (done bool, conflicts int, err error) {
	ours, theirs := snap.lines(), buffers.Parse(content)
	if len(theirs.Lines) == 0 {
		theirs.Lines = []string{""}
	}
	e := edit{Buf: snap.Buf, Tick: snap.Tick, Save: true, EOL: theirs.EOL || content == ""}
	e.Format = s.formats()
	if !snap.Modified {
		e.Disk = hunks(buffers.Edits(ours, theirs.Lines))
		if len(e.Disk) == 0 && e.EOL == snap.EOL {
			return true, 0, nil
		}
	} else {
		toDisk, toMerged, m := buffers.Plan(s.base(real, snap), ours, theirs.Lines)
		e.Disk, e.Top, conflicts = hunks(toDisk), hunks(toMerged), len(m.Conflicts)
	}
	if e.Top == nil {
		e.Top = []hunk{}
	}
	for {
		safe := s.host.safe.wait()
		got, err := call[edited](ctx, s.host.ed, luaEdit, e)
		switch {
		case err != nil:
			return false, 0, err
		case got.Problem != "":
			return false, 0, acp.Errorf(acp.CodeInternal, "the text is in the editor, but saving it went wrong: %s", got.Problem)
		case got.Result == "ok":
			return true, conflicts, nil
		case got.Result != "busy":
			return false, 0, nil
		}
		select {
		case <-safe:
		case <-time.After(250 * time.Millisecond): // some modes end without an event
		case <-ctx.Done():
			return false, 0, ctx.Err()
		}
	}
}

func (s *Session) formats() bool {
	s.host.mu.Lock()
	defer s.host.mu.Unlock()
	return s.host.settings.FS.FormatOnWrite
}

// base is what the agent's text started from: what it has seen last, else the file on disk.
func (s *Session) base(real string, snap snapshot) []string {
	if data, ok := s.host.store.Agent(s.id, real); ok {
		return linesOf(string(data))
	}
	if f, err := buffers.ReadFile(real, nil, nil, 0); err == nil {
		return linesOf(f.Text)
	}
	return snap.lines()
}

func linesOf(text string) []string {
	if lines := buffers.Parse(text).Lines; len(lines) > 0 {
		return lines
	}
	return []string{""}
}

func hunks(edits []buffers.Edit) []hunk {
	out := make([]hunk, len(edits))
	for i, e := range edits {
		out[i] = hunk{First: e.Start, End: e.End, Lines: e.Lines}
		if out[i].Lines == nil {
			out[i].Lines = []string{}
		}
	}
	return out
}
