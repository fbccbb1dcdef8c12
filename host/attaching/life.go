// Package attaching is which Neovim the host serves, and how it lives without one: detached, attached, taken over.
//
// Package host says what it does where a Neovim comes or goes, see [Hooks]. The seat, the socket and the records of hosts are of
// host/attach.
package attaching

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/host/attach"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/settings"
)

// Life is which Neovim the host serves, and how long the host lives without one. It is safe for concurrent use. Its mutex is
// taken before any other, and is not held across calls to Neovim.
type Life struct {
	host  feature.Host
	about Config
	hooks Hooks
	ed    feature.Editor
	seat  *attach.Seat
	over  chan struct{} // closed when the host is to end

	mu       sync.Mutex       // guards all below
	listener *attach.Listener // nil before the host is detached for the first time
	joining  *attach.Guest    // a Neovim that is being attached; nil …
	leaving  bool             // … and has asked to be detached since
	parting  *attach.Guest    // who has asked to be detached: its end is not that of the host; nil: nobody
	since    time.Time        // when the host was detached; zero while a Neovim has the seat
	taken    chan struct{}    // closed when a Neovim gets the seat; nil while one has it
	touched  time.Time        // when something last happened since
	ended    bool             // over is closed
	err      error            // of the connection that ended the host
	verbs    int              // the number of the last verb
	later    []laterCall      // to the next Neovim
	given    map[string]int   // by the id of a prompt that came back: the process of the Neovim that has it
	waits    map[string]waits // by session, what the user knows of as waiting; while nobody has the seat
}

// Config says what host it is.
type Config struct {
	Version   string // of the program
	Interface int    // of the verbs and Lua functions
	Mark      string // of the host's processes
}

// Hooks are what the host does where a Neovim comes or goes.
type Hooks struct {
	Register func(*attach.Guest) error // lets a Neovim say verbs
	Leave    func()                    // a Neovim is about to leave the seat; it must not wait
	LetGo    func()                    // forgets what was known of a Neovim that has left; it must not wait
	CatchUp  func()                    // looks at what has happened on the disk meanwhile; it waits for that
	Change   func(settings.Settings)   // takes the settings of a Neovim that is attached
	Show     func()                    // has all that there is drawn by a Neovim that knows nothing of it
}

// New returns the life of a host that no Neovim has yet. An editor that is no seat is that of a test, and stays.
func New(h feature.Host, ed feature.Editor, about Config, hooks Hooks) *Life {
	seat, ok := ed.(*attach.Seat)
	if !ok {
		seat = new(attach.Seat)
	}
	return &Life{host: h, about: about, hooks: hooks, ed: ed, seat: seat, over: make(chan struct{}), given: map[string]int{}}
}

// Over is closed when the host is to end.
func (l *Life) Over() <-chan struct{} { return l.over }

// Err returns why the connection to Neovim has ended, once the host is to end; nil if that was as it should.
func (l *Life) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Close ends the connections of others to the host, and takes no more.
func (l *Life) Close() {
	if listener := l.listening(); listener != nil {
		listener.Close()
	}
}

// Forget removes the record of the host, after Close. It waits for the disk.
func (l *Life) Forget() {
	if listener := l.listening(); listener != nil {
		listener.Forget()
	}
}

func (l *Life) listening() *attach.Listener {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.listener
}

// exitOnSIGTERM has SIGTERM end the host, which was detached. Before that it comes from a Neovim that ends, with the end of
// stdin, and verbs that are under way count.
func (l *Life) exitOnSIGTERM() {
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	defer signal.Stop(term)
	select {
	case <-term:
		l.end(nil)
	case <-l.host.Done():
	}
}

// end has the host end, with all that it has started. Only the first call counts.
func (l *Life) end(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.endLocked(err)
}

// endLocked is end while mu is held.
func (l *Life) endLocked(err error) {
	if !l.ended {
		l.ended, l.err = true, err
		close(l.over)
	}
}

// Blocked reports whether Neovim waits for a key, and answers nothing else meanwhile. It waits for Neovim until ctx ends.
func (l *Life) Blocked(ctx context.Context) bool { return l.seat.Blocked(ctx) }

// Accepts reports whether what a Neovim says counts: it has the seat, or is about to.
func (l *Life) Accepts(g *attach.Guest) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.joining == g || l.seat.Guest() == g
}

// part notes that a Neovim has asked to be detached.
func (l *Life) part(g *attach.Guest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.parting = g
}

// Saw notes the number of a verb.
func (l *Life) Saw(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.verbs = max(l.verbs, n)
}

// awaySince returns when the host was detached, the zero time while a Neovim is attached.
func (l *Life) awaySince() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.since
}

// Away reports whether no Neovim is attached.
func (l *Life) Away() bool { return !l.awaySince().IsZero() }
