// Package attach lets hosts live on without Neovim: the seat of the one Neovim that a host serves, the private socket on which
// another reaches it, and what a shell asks of the hosts of this user.
//
// Package host has one [Seat], and a [Listener] once it was detached. The subcommands `nvim-acp ps` and `nvim-acp stop` call
// [Hosts] and [Stop]. The package knows nothing of sessions or agents.
package attach

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/neovim/go-client/msgpack/rpc"
	"github.com/neovim/go-client/nvim"

	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// ErrNobody says that no Neovim is attached to the host.
var ErrNobody = errors.New("no Neovim is attached")

// readBuffer is the size of the buffer for what Neovim says. go-client would read 4 KiB at a time: a buffer of some megabytes
// came in a thousand and more steps.
const readBuffer = 256 << 10

// writeBuffer is that for what Neovim is told. With go-client's own 4 KiB a frame woke Neovim up sixteen times.
const writeBuffer = 64 << 10

// Guest is a Neovim at the other end of a connection. It is safe for concurrent use.
type Guest struct {
	*nvim.Nvim

	pid     atomic.Int64
	left    sync.Once
	decided chan struct{} // closed when what becomes of the host without it is decided
}

// NewGuest returns a Neovim that talks over in and out. end ends the connection. [nvim.Nvim.Serve] returns when what the Neovim
// has said before its end was handled.
func NewGuest(in io.Reader, out io.Writer, end io.Closer) (*Guest, error) {
	last := &drainReader{Reader: in, handled: make(chan struct{})}
	r, w := bufio.NewReaderSize(last, readBuffer), bufio.NewWriterSize(&ignoreWriteErrors{Writer: out}, writeBuffer)
	v, err := nvim.New(r, w, end, func(string, ...any) {}) // it takes buffers as they are
	if err != nil {
		return nil, err
	}
	if err := v.RegisterHandler(endVerb, last.end); err != nil {
		return nil, err
	}
	return &Guest{Nvim: v, decided: make(chan struct{})}, nil
}

// PID returns the process of the Neovim, 0 if it is not known.
func (g *Guest) PID() int { return int(g.pid.Load()) }

// Gone reports whether the process of the Neovim is known, and has ended. Its connection may last: what passes it on may hang, or there
// is much to read that came before its end.
func (g *Guest) Gone() bool {
	pid := g.PID()
	if pid <= 0 {
		return false
	}
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // there is none but on Linux
	_, state, _ := bytes.Cut(stat, []byte(") "))
	return err == nil && bytes.HasPrefix(state, []byte("Z")) // its parent has not asked how it has ended
}

// SetPID notes the process of the Neovim.
func (g *Guest) SetPID(pid int) { g.pid.Store(int64(pid)) }

// Left says that the Neovim has left, and that what becomes of the host is decided: the calls that it has not answered return, also
// while its connection lasts.
func (g *Guest) Left() { g.left.Do(func() { close(g.decided) }) }

// Seat is the place of the one Neovim that a host serves. It is safe for concurrent use. The zero value is empty.
type Seat struct {
	mu    sync.Mutex    // guards all below
	guest *Guest        // nil: nobody
	soon  chan struct{} // closed by Sit; nil: nobody is expected
}

// Guest returns who has the seat, nil if nobody does.
func (s *Seat) Guest() *Guest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.guest
}

// Expect says that a Neovim is about to get the seat, which is empty: calls wait until Sit is called.
func (s *Seat) Expect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.soon == nil {
		s.soon = make(chan struct{})
	}
}

// await returns who has the seat, once that is known.
func (s *Seat) await() *Guest {
	s.mu.Lock()
	soon := s.soon
	s.mu.Unlock()
	if soon != nil {
		<-soon
	}
	return s.Guest()
}

// Sit gives the seat to a Neovim, nil to nobody, and returns who had it.
func (s *Seat) Sit(g *Guest) (before *Guest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, s.guest = s.guest, g
	if s.soon != nil {
		close(s.soon)
		s.soon = nil
	}
	return before
}

// Blocked reports whether the Neovim that has the seat waits for a key, and answers nothing else meanwhile. It waits for Neovim, which
// answers this even then, or until ctx ends.
func (s *Seat) Blocked(ctx context.Context) bool {
	g := s.Guest()
	if g == nil {
		return false
	}

	answered := make(chan bool, 1)
	caught.Go(func() { // ends when Neovim answers or goes away
		mode, err := g.Mode()
		answered <- err == nil && mode.Blocking
	})
	select {
	case blocked := <-answered:
		return blocked
	case <-ctx.Done():
		return false
	}
}

// broken are the errors of a connection that has ended.
var broken = []error{rpc.ErrClosed, io.ErrClosedPipe, os.ErrClosed, net.ErrClosed, syscall.EPIPE, syscall.ECONNRESET}

// ExecLua calls Lua in the Neovim that has the seat. It returns [ErrNobody] if nobody has it, also if the Neovim leaves before it has
// answered and the host lives on: the call may have had its effect then, and a busy Neovim may make it later. result is set
// only if there is no error.
func (s *Seat) ExecLua(code string, result any, args ...any) error {
	return s.execLua(nil, code, result, args...)
}

// Patient is a seat whose calls also wait for a Neovim that has left: for what must not happen there after it was done otherwise.
type Patient struct {
	Seat *Seat
	Say  func(pid int) // called once for a call that waits so for longer than a moment, for which process
}

// patience is how long a call waits for a Neovim that has left before that is said. Only tests change it.
var patience = 2 * time.Second

// ExecLua is [Seat.ExecLua], but returns [ErrNobody] for a Neovim that leaves only when its connection has ended.
func (p Patient) ExecLua(code string, result any, args ...any) error {
	return p.Seat.execLua(&p, code, result, args...)
}

func (s *Seat) execLua(patient *Patient, code string, result any, args ...any) error {
	g := s.await()
	if g == nil {
		return ErrNobody
	}

	own := result
	if result != nil { // a late answer must not change what the caller has
		own = reflect.New(reflect.TypeOf(result).Elem()).Interface()
	}

	answered := make(chan error, 1)
	caught.GoOr(func() { answered <- g.ExecLua(code, own, args...) }, func(fault *caught.Error) { // ends when Neovim answers or goes away
		caught.Report(fault)
		answered <- fault
	})

	var err error
	select {
	case err = <-answered:
	case <-g.decided:
		switch {
		case s.Guest() == g: // the host ends
		case patient == nil:
			return ErrNobody
		default:
			said := caught.After(patience, func() { patient.Say(g.PID()) })
			defer said.Stop()
			<-answered // what it did counts for nothing: it was not told what has come since
			return ErrNobody
		}
		err = <-answered
	}

	if err == nil && result != nil {
		reflect.ValueOf(result).Elem().Set(reflect.ValueOf(own).Elem())
	}
	if !slices.ContainsFunc(broken, func(e error) bool { return errors.Is(err, e) }) {
		return err
	}

	<-g.decided
	if s.Guest() != g {
		return ErrNobody
	}

	return err
}
