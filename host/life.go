package host

import (
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nvim-acp/nvim-acp/host/attach"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/internal/direct"
)

// life is which Neovim the host serves, and how long the host lives without one. Safe for concurrent use. Its mutex is
// taken before any other, and is not held across calls to Neovim.
type life struct {
	seat *attach.Seat
	over chan struct{} // closed when the host is to end

	mu       sync.Mutex       // guards all below
	listener *attach.Listener // nil before the host is detached for the first time
	joining  *attach.Guest    // a Neovim that is being attached; nil …
	leaving  bool             // … and has asked to be detached since
	parting  *attach.Guest    // who has asked to be detached: its end is not that of the host; nil: nobody
	since    time.Time        // when the host was detached; zero while a Neovim has the seat
	touched  time.Time        // when something last happened since
	ended    bool             // over is closed
	err      error            // of the connection that ended the host
	verbs    int              // the number of the last verb
	later    []laterCall      // to the next Neovim
	given    map[string]int   // by the id of a prompt that came back: the process of the Neovim that has it
	waits    map[string]waits // by session, what the user knows of as waiting; while nobody has the seat
}

func newLife(ed feature.Editor) *life {
	seat, ok := ed.(*attach.Seat)
	if !ok { // a test's editor, which stays
		seat = new(attach.Seat)
	}
	return &life{seat: seat, over: make(chan struct{}), given: map[string]int{}}
}

// stdio is the connection to the Neovim that has started the host.
type stdio struct{ in, out direct.Pipe }

// takeStdio moves that connection to descriptors of its own, and leaves /dev/null in its place: what else reads or writes there
// does no harm, and nothing that is opened gets the numbers.
//
// A pipe is read without blocking. A read that blocks has the monitor of the Go runtime look every 20 µs whether it is over,
// which took half of all processor time while an answer came slowly.
func takeStdio() (*stdio, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	var files [2]*os.File
	for fd := range files {
		if files[fd], err = take(fd, int(null.Fd())); err != nil {
			return nil, err
		}
	}
	return &stdio{in: direct.New(files[0]), out: direct.New(files[1])}, nil
}

// take moves what a descriptor refers to, and leaves what another does in its place.
func take(fd, instead int) (*os.File, error) {
	taken, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	var about unix.Stat_t
	err = errors.Join(unix.Fstat(taken, &about), unix.Dup2(instead, fd))
	if kind := about.Mode & unix.S_IFMT; err == nil && (kind == unix.S_IFIFO || kind == unix.S_IFSOCK) { // a terminal is also others'
		err = unix.SetNonblock(taken, true)
	}
	if err != nil {
		return nil, errors.Join(err, unix.Close(taken))
	}
	return os.NewFile(uintptr(taken), "stdio"), nil
}

// Close ends the connection. Stderr stays: a host that lives on has diverted it.
func (s *stdio) Close() error { return errors.Join(s.in.Close(), s.out.Close()) }

// divert has all that the process writes to its stderr go to a file, nil: nowhere. What a crash says is written there.
func divert(file *os.File) {
	if file == nil {
		var err error
		if file, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0); err != nil {
			return // it stays where it was
		}
		defer file.Close()
	}
	_ = unix.Dup2(int(file.Fd()), 2) // it fails for no open file
}

// exitOnSIGTERM has SIGTERM end the host, which was detached. Before that it comes from a Neovim that ends, with the end of
// stdin, and verbs that are under way count.
func (h *Host) exitOnSIGTERM() {
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	defer signal.Stop(term)
	select {
	case <-term:
		h.life.end(nil)
	case <-h.done:
	}
}

// end has the host end, with all that it has started. Only the first call counts.
func (l *life) end(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.endLocked(err)
}

// endLocked is end while mu is held.
func (l *life) endLocked(err error) {
	if !l.ended {
		l.ended, l.err = true, err
		close(l.over)
	}
}

// accepts reports whether what a Neovim says counts: it has the seat, or is about to.
func (l *life) accepts(g *attach.Guest) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.joining == g || l.seat.Guest() == g
}

// part notes that a Neovim has asked to be detached.
func (l *life) part(g *attach.Guest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.parting = g
}

// saw notes the number of a verb.
func (l *life) saw(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.verbs = max(l.verbs, n)
}

// awaySince returns when the host was detached, the zero time while a Neovim is attached.
func (l *life) awaySince() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.since
}

// away reports whether no Neovim is attached.
func (l *life) away() bool { return !l.awaySince().IsZero() }
