// Package files reads and writes files for agents, through Neovim's buffers where they are loaded, and merges into those
// buffers what others write to the disk.
//
// Package host calls it. A [Workspace] serves all sessions. [Workspace.Run] is one goroutine, which starts one more for each
// file that it merges; Close ends them, except those that wait for Neovim. The package knows neither sessions nor Neovim:
// they are given as a [Session] and an [Editor]. Who may read or write what is for the session to say.
package files

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/poke"
)

// Session is what files need of a session.
type Session interface {
	// LocalID is the session's id in this Neovim.
	LocalID() string

	// Roots returns the real paths of the session's folders.
	Roots() []string

	// Merging reports whether changes on the disk below the session's roots are merged into buffers.
	Merging() bool

	// Writing reports whether they count as its agent's, too.
	Writing() bool

	// Confined reports whether the agent is in a sandbox of this machine, and must not lead a write elsewhere while it is made.
	Confined() bool

	// MissingIsEmpty reports whether a missing file reads as empty, since the agent cannot create it otherwise.
	MissingIsEmpty() bool

	// AllowRead returns an error if the agent must not read a file. It may ask the user, and waits for the answer.
	AllowRead(ctx context.Context, real string, r *acp.ReadTextFileRequest) error

	// AllowWrite is AllowRead for a write. change returns the difference to the file on the disk, to show to the user.
	AllowWrite(ctx context.Context, real string, r *acp.WriteTextFileRequest, change func() *acp.Diff) error

	// AgreedText returns the text to write in place of an agent's: the user may have edited it. It may wait for the user. Whoever writes it
	// then calls settle, which says whether it was written.
	AgreedText(ctx context.Context, path, text string) (agreed string, settle func(written bool), err error)

	// Wanted returns a channel that is closed when a write that has begun by now, and still waits for the user, is to be given up: its
	// turn is stopped, or the session is closed. It does not wait.
	Wanted() <-chan struct{}

	// NoteRead notes that the agent reads a file through the editor in this turn.
	NoteRead(real string)

	// NoteConflicts adds a note on conflicts in a file to the next prompt.
	NoteConflicts(real string)

	// FileChanged raises the event AcpFileChanged.
	FileChanged(real string)
}

// Options say what a workspace belongs to. None of the functions may wait, unless they say so.
type Options struct {
	Editor   Editor
	Run      string            // names this run of the host
	Settings func() Settings   // as the user's configuration has them now
	Sessions func() []Session  // all that are open
	Warn     func(text string) // shows a message to the user
	Refresh  func()            // has the status of all sessions shown again: what [Workspace.Waiting] returns has changed
	Changed  func(Change)      // an agent has changed a file

	// Opened returns an error if a file that was opened after AllowRead is another one, and the agent must not read it. It may wait for the
	// disk.
	Opened func(s Session, real string, stat buffers.Stat) error

	// Gone looks for a loaded file that is not there any more, and reports whether the user has renamed it. It may wait for the disk.
	Gone func(ctx context.Context, real string) bool
}

// Settings are the parts of the user's configuration that matter to files.
type Settings struct {
	MaxRead       int64  // bytes of the largest file that is read
	FormatOnWrite bool   // formatters run when an agent's text is saved
	StateDir      string // where backups go; "" for none
}

// Workspace is the files of all sessions. It is safe for concurrent use.
type Workspace struct {
	*snapshots
	*backups
	options Options
	store   *buffers.Store // bases of merges
	wake    poke.Chan      // look at the disk now
	done    chan struct{}  // closed by Close

	requests buffers.Queue // writes, by the path that the request names
	claims   buffers.Queue // what edits a file, by its real path
	reports  buffers.Queue // of the versions that buffers have, by real path

	windows windows
	decided userTexts

	announcing chan struct{} // has one value while Neovim is told of the merge windows

	edits atomic.Int64 // numbers the edits
}

// New returns a workspace that knows no file.
func New(options Options) *Workspace {
	store := new(buffers.Store)
	return &Workspace{
		snapshots: &snapshots{editor: options.Editor, versions: newVersions(store), waits: newWaits(), refresh: options.Refresh},
		backups:   &backups{settings: options.Settings, warn: options.Warn},
		options:   options, store: store, wake: poke.New(), done: make(chan struct{}),
		announcing: make(chan struct{}, 1),
	}
}

// Close ends Run, and forgets what merges are based on. It must be called once.
func (w *Workspace) Close() error {
	close(w.done)
	return w.store.Close()
}

// Forget forgets what a session's agent has seen.
func (w *Workspace) Forget(s Session) { w.store.Forget(s.LocalID()) }

// Inherit notes that a session begins as a copy of another one: its agent has seen of files what that one's has.
func Inherit(w *Workspace, s Session, from string) { w.store.Copy(from, s.LocalID()) }

// Moved notes that the user has renamed a file: what its agents have seen of it is of the new one. Another may be at its
// place. A buffer may still have the old name. It does not wait.
func (w *Workspace) Moved(from, to string, replaced bool) {
	if !replaced {
		w.versions.delete(from)
	}
	w.store.Move(from, to, replaced)
}

// Known returns the real paths of the loaded files below roots, as far as Neovim has reported them. It does not wait.
func (w *Workspace) Known(roots []string) []string { return w.versions.below(roots) }

// AllKnown returns the paths of all loaded files. It does not wait.
func (w *Workspace) AllKnown() []string { return w.versions.all() }

// Waiting returns why an edit of a file waits for the user; "" if none does.
func (w *Workspace) Waiting() string { return w.waits.any() }

// SafeMode says that Neovim has left a mode in which buffers must not be edited. It does not wait.
func (w *Workspace) SafeMode() { w.waits.wake() }

// DetachEditor says that Neovim has left, and that another may come: no file is loaded until then. What merges are based on is kept.
// It does not wait.
func (w *Workspace) DetachEditor() { w.versions.leave() }

// AttachEditor says that another Neovim has come, which is to say what it has loaded. It does not wait.
func (w *Workspace) AttachEditor() {
	w.windows.forget()
	w.Poke()
}

// claim is the right to edit a file, in its buffer or on the disk. One goroutine at a time has it.
type claim struct {
	*Workspace
	real   string // path
	ticket *buffers.Ticket
	by     Session // whose agent has written what the disk has; nil: that is not known
}

// claim waits until whatever else edits a file, under any of its names, is done. The caller releases the claim.
func (w *Workspace) claim(ctx context.Context, real string) (claim, error) {
	ticket := w.claims.Ticket(real)
	if err := ticket.Wait(ctx); err != nil {
		return claim{}, err
	}
	return claim{w, real, ticket, nil}, nil
}

func (c claim) release() { c.ticket.Done() }

// Poke has Run look at the disk and at the sessions' merge windows now. It does not wait.
func (w *Workspace) Poke() { w.wake.Poke() }

// based is a session whose agent has seen a version of the one file that it writes.
type based struct {
	Session
	base string
}

// ofSession returns the session itself.
func ofSession(s Session) Session {
	if b, ok := s.(based); ok {
		return b.Session
	}
	return s
}

// Change is a change that an agent has made of a file, in its buffer or on the disk.
type Change struct {
	Session Session // whose agent has written it through the editor; nil: it was found on the disk
	Path    string  // real path
	Before  Text
	After   Text

	Met     *Met // nil: a buffer had the file
	Unsaved bool // that buffer has text which is not on the disk
	Saved   *Saved

	before, after string // with line ends, where they are known without joining lines; else ""
	earlier       func() bool
}

// Earlier reports whether the disk had the change before an agent began to work, see [NoteEarlier]. Who asks whether one is at work asks
// that first: it may begin in between.
func (c Change) Earlier() bool { return c.earlier != nil && c.earlier() }

// Saved is what a change has made of a file on the disk, where the buffer has text beside it that is not saved.
type Saved struct{ Before, After Text }

// Met is what the disk had of a file that no buffer had.
type Met struct {
	Text
	Touched time.Time // when it was last changed, or the folder that it is not in; zero: the user's last decision has left it so
}
