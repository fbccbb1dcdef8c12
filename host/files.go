package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/attach"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// newFiles returns the files of a host's sessions.
func newFiles(h *Host) *files.Workspace {
	return files.New(files.Options{
		Editor: newFileEditor(h.ed, func(pid int) {
			h.say("warn", fmt.Sprintf("a write waits for Neovim %d, which hangs", pid))
		}),
		Run: h.run,
		Settings: func() files.Settings {
			set := h.settings()
			return files.Settings{MaxRead: int64(set.FS.MaxRead), FormatOnWrite: set.FS.FormatOnWrite, StateDir: set.StateDir}
		},
		Sessions: func() []files.Session {
			var list []files.Session
			for _, s := range h.all() {
				list = append(list, featured{s})
			}
			return list
		},
		Changed: func(c files.Change) {
			var by feature.Session
			if s := sessionOf(c); s != nil {
				by = featured{s}
			}
			if by == nil && !h.writing(c.Path) || c.Earlier() { // it is the user's, or that of a program of theirs
				h.history.Earlier(c)
				h.review.Poke(c.Path)
				return
			}
			h.checks.Changed(by, c)
			if by != nil {
				h.history.Named(by, []string{c.Path})
			}
			h.review.Changed(by, c) // which asks what the file had before
			h.history.Changed(by, c)
		},
		Opened: func(by files.Session, real string, stat buffers.Stat) error {
			return h.policy.Opened(featured{sessionOf(files.Change{Session: by})}, real, stat)
		},
		Gone: func(ctx context.Context, real string) bool { return h.moves.Follow(ctx, real) },
		Warn: func(text string) { h.say("warn", text) },
		Refresh: func() {
			for _, s := range h.all() {
				s.do(func(st *session.State) { st.Screen().Refresh() })
			}
		},
	})
}

// fileEditor is what files need of Neovim. While none is attached no file is loaded, and an edit that was under way counts as one of
// a buffer that has changed: what asks for it looks again, and finds no buffer.
type fileEditor struct {
	ed    feature.Editor
	edits feature.Editor // waits also for a busy Neovim that was taken over: what it saves later could overwrite newer text
}

// newFileEditor says for which Neovim an edit waits that was taken over.
func newFileEditor(ed feature.Editor, say func(pid int)) fileEditor {
	e := fileEditor{ed: ed, edits: ed}
	if seat, ok := ed.(*attach.Seat); ok {
		e.edits = attach.Patient{Seat: seat, Say: say}
	}
	return e
}

// orNobody is call with another answer for when no Neovim is attached.
func orNobody[R any](ctx context.Context, ed feature.Editor, none R, code string, args ...any) (R, error) {
	got, err := feature.Call[R](ctx, ed, code, args...)
	if errors.Is(err, attach.ErrNobody) {
		return none, nil
	}
	return got, err
}

func (e fileEditor) Snapshot(ctx context.Context, real string, edit bool) (files.Snapshot, error) {
	return orNobody(ctx, e.ed, files.Snapshot{}, luaSnapshot, real, edit)
}

func (e fileEditor) Lines(ctx context.Context, buf, tick, from int, nul bool) (*files.Lines, error) {
	return orNobody[*files.Lines](ctx, e.ed, nil, luaLines, buf, tick, from, nul)
}

func (e fileEditor) Share(ctx context.Context, buf, tick, from int, path string) (next int, err error) {
	return orNobody(ctx, e.ed, 0, luaShare, buf, tick, from, path)
}

func (e fileEditor) Decode(ctx context.Context, data, encoding string) (*string, error) {
	return orNobody[*string](ctx, e.ed, nil, luaDecode, data, encoding)
}

func (e fileEditor) Stage(ctx context.Context, id int64, lines []string) error {
	_, err := orNobody[any](ctx, e.ed, nil, luaStage, id, lines)
	return err
}

func (e fileEditor) Unstage(ctx context.Context, id int64) error {
	_, err := orNobody[any](ctx, e.ed, nil, luaUnstage, id)
	return err
}

func (e fileEditor) Edit(ctx context.Context, edit *files.Edit) (files.Edited, error) {
	return orNobody(ctx, e.edits, files.Edited{Result: "stale"}, luaEdit, edit)
}

// Inspect says where merge windows are open for some buffers at a time, so that Neovim answers keys in between. Buffers that are loaded
// meanwhile are reported.
func (e fileEditor) Inspect(ctx context.Context, i files.Inspection) (all files.Inspected, err error) {
	type part struct {
		files.Inspected
		Next int `msgpack:"next"` // 0 after the last
	}
	for from := 0; ; {
		got, err := orNobody(ctx, e.ed, part{}, luaInspect, i, from)
		if err != nil && from > 0 {
			return all, nil // it is known but for the windows of the other buffers
		} else if err != nil {
			return all, err
		}
		loaded := append(all.Loaded, got.Loaded...)
		if from == 0 {
			all = got.Inspected
		}
		all.Loaded = loaded
		if got.Next == 0 {
			all.Told = true
			return all, nil
		}
		from, i = got.Next, files.Inspection{Windows: i.Windows}
	}
}

func (e fileEditor) Deleted(ctx context.Context, real, to string) error {
	_, err := orNobody[any](ctx, e.ed, nil, luaDeleted, real, to)
	return err
}

func (e fileEditor) DiskChanged(ctx context.Context, real string) error {
	_, err := orNobody[any](ctx, e.ed, nil, luaChanged, real)
	return err
}

func (e fileEditor) Save(ctx context.Context, real string) (problem string, err error) {
	return orNobody(ctx, e.edits, "", luaSave, real)
}

var _ files.Session = featured{}

// Roots returns the real paths of the session's folders. They must not be changed.
func (s featured) Roots() []string { return s.roots }

// Merging reports whether changes on the disk are merged into buffers (behaviour 205).
func (s featured) Merging() bool {
	running := s.host.terms.Running(s.Session)
	return ask(s.Session, func(st *session.State) bool { return st.Writes().Merging(running) })
}

// Writing reports whether the session's merge window is open (behaviours 205, 1520).
func (s featured) Writing() bool {
	running := s.host.terms.Running(s.Session)
	return ask(s.Session, func(st *session.State) bool { return st.Writes().Writing(running) })
}

// writing reports whether the agent of a session may be changing a file on the disk.
func (h *Host) writing(path string) bool {
	return slices.ContainsFunc(h.all(), func(s *Session) bool { return (featured{s}).Writing() && buffers.Inside(s.roots, path) })
}

// AtWork reports whether the session's agent is at work, or was until a moment ago.
func (s featured) AtWork() bool {
	running := s.host.terms.Running(s.Session)
	return ask(s.Session, func(st *session.State) bool { return st.Writes().AtWork(running) })
}

// Runs reports whether a turn runs, a subagent or a command.
func (s featured) Runs() bool {
	return s.host.terms.Running(s.Session) ||
		ask(s.Session, func(st *session.State) bool { return st.Turn() != nil || st.Family().AtWork() })
}

// Confined reports whether the agent is in a sandbox of this machine.
func (s featured) Confined() bool {
	a, _ := s.connection()
	return a != nil && a.Place().Sandbox()
}

// MissingIsEmpty reports whether the agent cannot create a file unless it reads as empty before (behaviour 27).
func (s featured) MissingIsEmpty() bool {
	a, _ := s.connection()
	if a == nil {
		return false
	}
	info := a.Implementation()
	return s.spec().Quirk("missing_file_is_empty") || info != nil && info.Name == "gemini-cli"
}

// AllowRead returns an error if the agent must not read a file.
func (s featured) AllowRead(ctx context.Context, real string, r *acp.ReadTextFileRequest) error {
	return s.host.policy.Allow(ctx, s, session.Child{}, "read", real, r, func() *acp.Diff { return nil })
}

// AllowWrite returns an error if the agent must not write a file.
func (s featured) AllowWrite(ctx context.Context, real string, r *acp.WriteTextFileRequest, change func() *acp.Diff) error {
	return s.host.policy.Allow(ctx, s, session.Child{}, "write", real, r, change)
}

// NoteRead notes that the agent reads a file through the editor in this turn.
func (s featured) NoteRead(real string) {
	s.do(func(st *session.State) { st.Reads().Here(real, st.Turn()) })
}

// NoteConflicts adds a note on conflicts in a file to the next prompt.
func (s featured) NoteConflicts(real string) {
	text := fmt.Sprintf("Note from the editor: in %s you and the user changed the same lines. The file on disk has your version; the "+
		"user's buffer has both, between the lines %q, %q and %q, for the user to decide. Read the file before you edit it again.",
		s.There(real), "<<<<<<< yours", "=======", ">>>>>>> agent")
	s.do(func(st *session.State) { st.Briefing().Tell(text) })
}

// There is the path by which the session's agent knows a file, or will once it runs, for words that are meant for it.
func (s featured) There(path string) string {
	if a, _ := s.connection(); a.Place() != nil {
		return a.Place().There(path)
	}
	spec := s.spec()
	return spec.Elsewhere.There(cmp.Or(spec.Cwd, s.cwd), path)
}

// FileChanged raises AcpFileChanged.
func (s featured) FileChanged(real string) {
	s.do(func(st *session.State) {
		st.Checks().FileChanged(real)
		st.Place().FileChanged()
		st.Screen().Emit("AcpFileChanged", map[string]any{"path": real})
	})
}

// sessionOf returns the session whose agent has made a change, by itself, by a subagent or with a tool; nil if it was found on the disk.
func sessionOf(c files.Change) *Session {
	switch s := c.Session.(type) {
	case featured:
		return s.Session
	case asker:
		return s.Session
	case interface{ Owner() feature.Session }:
		return of(s.Owner())
	}
	return nil
}

// Wanted returns a channel that is closed when the turn is stopped, or the session is closed.
func (s featured) Wanted() <-chan struct{} {
	return ask(s.Session, func(st *session.State) <-chan struct{} { return st.Writes().Wanted() })
}

// AgreedText returns the text that a write of the agent's is to have. It may ask the user, and waits for the answer.
func (s featured) AgreedText(ctx context.Context, path, content string) (agreed string, settle func(written bool), err error) {
	return s.host.policy.Agreed(ctx, s, path, content)
}
